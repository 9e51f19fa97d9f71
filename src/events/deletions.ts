// Finds deletions in the log of changes.
import type { RowOf } from './deleted-rows.ts';
import type { Client, Tenant } from './log.ts';

/** The deletion of a row, which is the last that the log has of it. */
export interface Deletion {
  readonly xid: string;
  /** The user who deleted it; null where no user did. */
  readonly by: string | null;
  readonly secondsAgo: number;
}

/** Finds the deletion of a row; undefined where it is not deleted, or the log does not have its deletion. */
export async function findDeletion(
  client: Client,
  { companyId }: Tenant,
  { table, rowId }: RowOf,
): Promise<Deletion | undefined> {
  const [last] = await client.$queryRaw<(Deletion & { readonly action: string })[]>`
    SELECT xid::text, action::text, actor->>'user_id' AS by,
           extract(epoch FROM clock_timestamp() - at)::float8 AS "secondsAgo"
    FROM changes WHERE company_id = ${companyId}::uuid AND row_id = ${rowId}::uuid AND table_name = ${table}
    ORDER BY changes.seq DESC LIMIT 1`;
  return last?.action === 'delete' ? last : undefined;
}

/** A transaction in which a user deleted something. */
export interface DeletionTransaction {
  readonly xid: string;
  readonly at: Date;
}

/** How many changes of the log one statement looks at. */
const pageSize = 5000;

/**
 * Finds the transactions in which a user deleted something, from the latest on. They are read a page of the log at a
 * time, so that what is done with each can take its time.
 */
export async function* findDeletions(
  client: Client,
  { companyId }: Tenant,
  { userId, since }: { readonly userId: string; readonly since: Date },
): AsyncGenerator<DeletionTransaction> {
  let before: string | null = null;
  for (;;) {
    const page: (DeletionTransaction & { isWanted: boolean; isLate: boolean })[] = await client.$queryRaw`
      SELECT xid::text, at, at >= ${since} AS "isLate", at >= ${since} AND EXISTS (
        SELECT FROM changes WHERE changes.company_id = ${companyId}::uuid AND changes.xid = latest.xid
          AND action = 'delete' AND actor->>'user_id' = ${userId} AND at >= ${since}
      ) AS "isWanted"
      FROM (
        SELECT xid, max(at) AS at FROM (
          SELECT xid, at FROM changes
          WHERE company_id = ${companyId}::uuid AND (${before}::bigint IS NULL OR xid < ${before}::bigint)
          ORDER BY xid DESC, seq DESC LIMIT ${pageSize}::int
        ) AS part GROUP BY xid
      ) AS latest ORDER BY latest.xid DESC`;
    for (const { xid, at, isWanted } of page) if (isWanted) yield { xid, at };
    before = page.at(-1)?.xid ?? null;
    // Transactions that began earlier can have ended later, but not by as many changes as a page has.
    if (before === null || !page.some(({ isLate }) => isLate)) return;
  }
}
