import { Prisma } from '../database/generated/client/client.ts';
import type { TableName } from '../database/tables.ts';
import type { ClockAction } from './log.ts';

/** The client that the clock writes to the log with. */
type Client = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>;

/** A condition that becomes true for rows of all companies without a write to them, and is logged once each time. */
export interface Occurrence {
  readonly action: ClockAction;
  readonly table: TableName;
  /** The condition of a row, named `stored`. */
  readonly holds: Prisma.Sql;
  /** Distinguishes one occurrence from another. */
  readonly since: Prisma.Sql;
}

/** How many rows one statement logs. */
const batchSize = 500;

/**
 * Logs the conditions that have become true for rows, such as reminders that fell due, and forgets those that are no
 * longer true, so that they are logged again.
 *
 * @returns how many were logged
 */
export async function logOccurrences(client: Client, occurrences: readonly Occurrence[]): Promise<number> {
  let logged = 0;
  for (const occurrence of occurrences) {
    await forget(client, occurrence);
    for (let count = batchSize; count === batchSize; logged += count) count = await logRows(client, occurrence);
  }
  return logged;
}

/**
 * The rows are locked, as a change gets its number while its row is locked; rows that others write now are logged
 * later.
 */
const logRows = (client: Client, { action, table, holds, since }: Occurrence): Promise<number> =>
  client.$executeRaw`
    WITH found AS MATERIALIZED (
      SELECT stored.company_id, stored.id, ${since} AS since, to_jsonb(stored) AS image
      FROM ${Prisma.raw(table)} AS stored
      WHERE ${holds} AND NOT EXISTS (
        SELECT FROM clock_marks AS mark
        WHERE mark.company_id = stored.company_id AND mark.table_name = ${table} AND mark.row_id = stored.id
          AND mark.since = ${since}
      )
      LIMIT ${batchSize} FOR NO KEY UPDATE OF stored SKIP LOCKED
    ), marked AS (
      INSERT INTO clock_marks (company_id, table_name, row_id, since)
      SELECT company_id, ${table}, id, since FROM found
      ON CONFLICT (company_id, table_name, row_id) DO UPDATE SET since = excluded.since
    )
    INSERT INTO changes (company_id, table_name, row_id, action, fields, after, actor)
    SELECT company_id, ${table}, id, ${action}::change_action, '{}', image, '{"kind": "clock"}' FROM found`;

const forget = (client: Client, { table, holds }: Occurrence): Promise<number> =>
  client.$executeRaw`
    DELETE FROM clock_marks AS mark WHERE mark.table_name = ${table} AND NOT EXISTS (
      SELECT FROM ${Prisma.raw(table)} AS stored
      WHERE stored.company_id = mark.company_id AND stored.id = mark.row_id AND ${holds}
    )`;
