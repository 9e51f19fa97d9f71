import { Prisma } from '../database/generated/client/client.ts';
import type { TableName } from '../database/tables.ts';
import { nilUuid } from '../formats.ts';
import type { ReportedAction } from './log.ts';

/** The client that the clock writes to the log with. */
type Client = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw'>;

/** What the log reports of the rows of a table besides their changes, once each time it becomes true. */
export interface Reported {
  readonly action: ReportedAction;
  readonly table: TableName;
}

/** A condition that becomes true without a write, which the clock reports. */
export interface Occurrence extends Reported {
  /** The condition of a row, named `stored`. */
  readonly holds: Prisma.Sql;
  /** Distinguishes one occurrence from another. */
  readonly since: Prisma.Sql;
  /**
   * The rows whose condition may have become true after a time, on indexes: all others need not be compared again.
   * Without it all are, and what is no longer true is forgotten at once.
   */
  readonly newSince?: (time: Date) => Prisma.Sql;
}

/** How many rows one statement logs. */
const batchSize = 500;

/** How many rows, or conditions that were logged, one statement compares. */
const pageSize = 2000;

/** How occurrences are logged. */
interface LogOptions {
  /** When all rows were compared or later; without it they are now. */
  readonly since?: Date;
  /** Whether to go on with the next page of a comparison; without it all are compared. */
  readonly mayContinue?: () => Promise<boolean>;
}

/**
 * Logs the conditions that have become true for rows, such as reminders that fell due, and forgets those that are no
 * longer true, so that they are logged again.
 *
 * @returns how many were logged
 */
export async function logOccurrences(
  client: Client,
  occurrences: readonly Occurrence[],
  { since, mayContinue = async () => true }: LogOptions = {},
): Promise<number> {
  let logged = 0;
  for (const occurrence of occurrences) {
    const isNew = since && occurrence.newSince?.(since);
    if (isNew) logged += await logAmong(client, occurrence, isNew);
    else {
      await forget(client, occurrence, mayContinue);
      logged += await compareAll(client, occurrence, mayContinue);
    }
  }
  return logged;
}

async function logAmong(client: Client, occurrence: Occurrence, among: Prisma.Sql): Promise<number> {
  let logged = 0;
  for (let count = batchSize; count === batchSize; logged += count) count = await logRows(client, occurrence, among);
  return logged;
}

/** Compares all rows of all companies with what was logged of them, a page at a time. @returns how many were logged */
async function compareAll(
  client: Client,
  occurrence: Occurrence,
  mayContinue: () => Promise<boolean>,
): Promise<number> {
  const { table, holds, since } = occurrence;
  let logged = 0;
  for (
    let after: Page | undefined = { companyId: nilUuid, id: nilUuid, missing: [] };
    after && (await mayContinue());
  ) {
    const [page]: Page[] = await client.$queryRaw<Page[]>`
      WITH page AS MATERIALIZED (
        SELECT stored.company_id, stored.id, (${holds}) AS holds, ${since} AS since FROM ${Prisma.raw(table)} AS stored
        WHERE (stored.company_id, stored.id) > (${after.companyId}::uuid, ${after.id}::uuid)
        ORDER BY stored.company_id, stored.id LIMIT ${pageSize}::int
      )
      SELECT company_id::text AS "companyId", id::text, ARRAY(
        SELECT ARRAY[company_id::text, id::text] FROM page WHERE page.holds AND NOT EXISTS (
          SELECT FROM clock_marks AS mark
          WHERE mark.company_id = page.company_id AND mark.table_name = ${table} AND mark.row_id = page.id
            AND mark.since = page.since
          -- For each by the index: pages are small, and the table may be large.
          OFFSET 0
        )
      ) AS missing
      FROM page ORDER BY company_id DESC, id DESC LIMIT 1`;
    if (page && page.missing.length > 0) logged += await logAmong(client, occurrence, amongRows(page.missing));
    after = page;
  }
  return logged;
}

/** The end of a page of rows, and which of its rows are to be logged. */
interface Page {
  readonly companyId: string;
  readonly id: string;
  readonly missing: readonly (readonly [companyId: string, id: string])[];
}

const amongRows = (keys: Page['missing']) => Prisma.sql`(stored.company_id, stored.id) IN (
  SELECT * FROM unnest(${keys.map(([companyId]) => companyId)}::uuid[], ${keys.map(([, id]) => id)}::uuid[])
)`;

/**
 * The rows are locked, as a change gets its number while its row is locked; rows that others write now are logged
 * later.
 */
async function logRows(
  client: Client,
  { action, table, holds, since }: Occurrence,
  among: Prisma.Sql,
): Promise<number> {
  const [{ count = 0 } = {}] = await client.$queryRaw<{ count: number | null }[]>`
    WITH found AS MATERIALIZED (
      SELECT stored.company_id, stored.id, ${since} AS since
      FROM ${Prisma.raw(table)} AS stored
      WHERE ${holds} AND (${among}) AND NOT EXISTS (
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
    SELECT log_occurrences(${table}, ${action}::change_action, array_agg(company_id), array_agg(id)) AS count FROM found`;
  return count ?? 0;
}

/** Forgets what is no longer true, a page of all that was logged at a time. */
async function forget(
  client: Client,
  { table, holds }: Occurrence,
  mayContinue: () => Promise<boolean>,
): Promise<void> {
  for (let after: Mark | undefined = { companyId: nilUuid, table: '', id: nilUuid }; after && (await mayContinue()); )
    [after] = await client.$queryRaw<Mark[]>`
      WITH page AS MATERIALIZED (
        SELECT company_id, table_name, row_id FROM clock_marks
        WHERE (company_id, table_name, row_id) > (${after.companyId}::uuid, ${after.table}, ${after.id}::uuid)
        ORDER BY company_id, table_name, row_id LIMIT ${pageSize}::int
      ), forgotten AS (
        DELETE FROM clock_marks AS mark USING page
        WHERE mark.company_id = page.company_id AND mark.table_name = page.table_name AND mark.row_id = page.row_id
          AND page.table_name = ${table} AND NOT EXISTS (
            SELECT FROM ${Prisma.raw(table)} AS stored
            WHERE stored.company_id = page.company_id AND stored.id = page.row_id AND ${holds} OFFSET 0
          )
      )
      SELECT company_id::text AS "companyId", table_name AS table, row_id::text AS id
      FROM page ORDER BY company_id DESC, table_name DESC, row_id DESC LIMIT 1`;
}

/** Something that was logged of a row. */
interface Mark {
  readonly companyId: string;
  readonly table: string;
  readonly id: string;
}
