import { randomUUID } from 'node:crypto';
import type { Database } from '../database/index.ts';

/** How long an instance keeps a duty that it does not renew. */
const heldForSeconds = 45;

const take = `
  INSERT INTO duties AS duty (name, holder, until) VALUES ($1, $2, now() + make_interval(secs => ${heldForSeconds}))
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE duty.holder = excluded.holder OR duty.until < now()
  RETURNING name`;

/**
 * Work that one instance at a time does. Another takes it over when this one gives it up or dies: within a minute. A
 * row says who has it, as locks of the database belong to connections, which a pool closes.
 */
export class Duty {
  private readonly holder = randomUUID();

  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly name: string,
  ) {}

  /** Takes the duty, or holds on to it. @returns whether this instance has it for the next half minute */
  async take(): Promise<boolean> {
    const { rows } = await this.database.query({ text: take, values: [this.name, this.holder] });
    return rows.length > 0;
  }

  /** Lets another instance have it. */
  async release(): Promise<void> {
    const text = 'DELETE FROM duties WHERE name = $1 AND holder = $2';
    await this.database.query({ text, values: [this.name, this.holder] });
  }
}
