import { randomUUID } from 'node:crypto';
import type { Database } from '../database/index.ts';

/** How long an instance stays the leader without renewing it. */
const leaderSeconds = 45;

const acquire = `
  INSERT INTO duties AS lock (name, holder, until) VALUES ($1, $2, now() + make_interval(secs => ${leaderSeconds}))
  ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
  WHERE lock.holder = excluded.holder OR lock.until < now()
  RETURNING name`;

/**
 * A lock that makes one instance the leader for some work. When the leader releases it or dies, another instance
 * acquires it within a minute. It is a row because the database's own locks belong to connections, which a pool closes.
 */
export class LeaderLock {
  private readonly instanceId = randomUUID();

  constructor(
    private readonly database: Pick<Database, 'query'>,
    private readonly name: string,
  ) {}

  /** Becomes the leader, or renews it. @returns whether this instance is the leader until its lease ends */
  async acquireLeadership(): Promise<boolean> {
    const { rows } = await this.database.query({ text: acquire, values: [this.name, this.instanceId] });
    return rows.length > 0;
  }

  /** Lets another instance become the leader. */
  async release(): Promise<void> {
    const text = 'DELETE FROM duties WHERE name = $1 AND holder = $2';
    await this.database.query({ text, values: [this.name, this.instanceId] });
  }
}
