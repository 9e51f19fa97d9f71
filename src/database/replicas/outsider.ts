import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { leaseMs } from './primary.ts';

/** How often (ms) an outsider looks whether others read on replicas, and how long (s) it keeps them from it. */
const outsiderMs = 30_000;
const keptOffSeconds = 60;

const keepOff = `UPDATE write_marks SET kept_by = NULL, changed_at = clock_timestamp() + interval '${keptOffSeconds} seconds'
  WHERE kept_by IS NOT NULL`;

/** PostgreSQL's codes for a table that does not exist, or may not be written: yet, as migrations are about to run. */
const unprepared: readonly unknown[] = ['42P01', '42501'];

/**
 * Sends all reads to the primary, and waits until no instance goes by an earlier answer.
 * @returns whether the database is prepared, so that it could
 */
export async function sendEverybody(client: Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>): Promise<boolean> {
  const { rowCount } = await client.query(keepOff).catch((error: unknown) => {
    // pg throws only errors, those of the server with a code.
    if (unprepared.includes((error as { code?: unknown }).code)) return { rowCount: undefined };
    throw error;
  });
  if (rowCount) await sleep(leaseMs);
  return rowCount !== undefined;
}

/** A process without replicas, which marks no writes: while it runs, other instances read on the primary too. */
export class Outsider {
  private entering: Promise<boolean> | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** Keeps other instances from replicas before the first use of a connection. */
  async enter(client: pg.ClientBase): Promise<void> {
    this.entering ??= sendEverybody(client);
    try {
      // The next connection looks again.
      if (!(await this.entering)) this.entering = undefined;
    } catch (error) {
      this.entering = undefined;
      throw error;
    }
  }

  /** Keeps them from replicas as long as it runs: they name a keeper only seconds before they use it. */
  stay(pool: pg.Pool): void {
    this.timer = setInterval(() => {
      if (this.entering) void sendEverybody(pool).catch(() => {}); // The next time.
    }, outsiderMs).unref();
  }

  leave(): void {
    clearInterval(this.timer);
  }
}
