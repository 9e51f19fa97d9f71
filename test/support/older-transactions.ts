import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../src/database/index.ts';

/**
 * Waits until all changes can be read: older transactions of the whole server have to end first, those of other tests
 * included.
 */
export async function waitForOlderTransactions(database: Database): Promise<void> {
  const text = `SELECT count(*) AS count FROM changes WHERE xid >= change_number(pg_snapshot_xmin(pg_current_snapshot()))`;
  const deadline = Date.now() + 60_000;
  while (Number((await database.query({ text })).rows[0]?.['count']) > 0) {
    if (Date.now() > deadline) throw new Error('An older transaction has not ended for a minute.');
    await sleep(20);
  }
}
