// Reads the log of changes by row.
import { Prisma } from '../database/generated/client/client.ts';
import { type Client, columns, type LoggedChange, type LoggedRow, type Tenant, toChange } from './log.ts';

/** A row whose history is read. */
export interface HistoryOf {
  readonly id: string;
  /** Only changes with a lower `seq`. */
  readonly below?: string | undefined;
}

/**
 * Reads the latest changes of rows of one table.
 *
 * @param limit the most changes of each row
 * @returns the changes by row, latest first
 */
export async function readHistories(
  client: Client,
  { companyId }: Tenant,
  { table, rows, limit }: { readonly table: string; readonly rows: readonly HistoryOf[]; readonly limit: number },
): Promise<Map<string, LoggedChange[]>> {
  const changes = await client.$queryRaw<LoggedRow[]>`
    SELECT found.*
    FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ below }) => below ?? null)}::bigint[])
      AS wanted (id, below)
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM changes
      WHERE company_id = ${companyId}::uuid AND row_id = wanted.id AND table_name = ${table}
        AND (wanted.below IS NULL OR changes.seq < wanted.below)
      ORDER BY changes.seq DESC LIMIT ${limit}
    ) AS found
    ORDER BY found.seq::bigint DESC`;
  const histories = new Map<string, LoggedChange[]>();
  for (const change of changes) histories.set(change.rowId, [...(histories.get(change.rowId) ?? []), toChange(change)]);
  return histories;
}

/** Changes of a row that the same callers may read. */
interface SimilarChanges {
  /** One of these changes, with only the columns that decide whether it can be read. */
  readonly change: LoggedChange;
  readonly count: number;
}

/**
 * Counts the changes of rows of one table by what decides who can read them: the action, the changed fields, and the
 * columns that decide who sees the row, before and after.
 *
 * @param deciding names of these columns
 */
export async function countHistories(
  client: Client,
  { companyId }: Tenant,
  { table, rowIds, deciding }: { table: string; rowIds: readonly string[]; deciding: readonly string[] },
): Promise<SimilarChanges[]> {
  const part = (row: Prisma.Sql) => Prisma.sql`
    CASE WHEN ${row} IS NOT NULL THEN (
      SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(${row}) WHERE key = ANY(${[...deciding]})
    ) END`;
  // The old value of the update time shows that it changed; the new value is left out.
  const rows = await client.$queryRaw<(LoggedRow & { readonly count: number })[]>`
    SELECT min(xid)::text AS xid, min(seq)::text AS seq, min(at) AS at, ${table}::text AS "table", row_id::text AS "rowId",
           action::text, fields, (before || CASE WHEN touched THEN '{"updated_at": null}' ELSE '{}' END::jsonb)::text AS before,
           after::text, NULL AS actor, count(*)::int AS count
    FROM (
      SELECT xid, seq, at, row_id, action, fields, before ? 'updated_at' AS touched,
             ${part(Prisma.sql`before`)} AS before, ${part(Prisma.sql`after`)} AS after
      FROM changes
      WHERE company_id = ${companyId}::uuid AND row_id = ANY(${[...rowIds]}::uuid[]) AND table_name = ${table}
    ) AS change
    GROUP BY row_id, action, fields, touched, before, after`;
  return rows.map(({ count, ...change }) => ({ change: toChange(change), count }));
}
