import type { Client, Tenant } from './log.ts';
import type { Undoing } from './undo.ts';

/** What the log has of an import. */
export interface LoggedImport extends Undoing {
  /** Who made it; null where that is not known. */
  readonly userId: string | null;
}

/** How many changes of the log one statement looks at. */
const pageSize = 20_000;

/** Finds the changes of an import, in the whole log of a company. @returns undefined where it has none */
export async function findImportInLog(
  client: Client,
  { companyId }: Tenant,
  imports: string,
): Promise<LoggedImport | undefined> {
  let found: LoggedImport | undefined;
  let before: string | null = null;
  do {
    const [page]: { first: string | null; last: string | null; userId: string | null; reached: string | null }[] =
      await client.$queryRaw`
        SELECT min(xid)::text AS reached, min(xid) FILTER (WHERE is_wanted)::text AS first,
               max(xid) FILTER (WHERE is_wanted)::text AS last, max(user_id) FILTER (WHERE is_wanted) AS "userId"
        FROM (
          SELECT xid, actor->>'user_id' AS user_id, actor->>'imports' = ${imports} AS is_wanted FROM changes
          WHERE company_id = ${companyId}::uuid AND (${before}::bigint IS NULL OR xid < ${before}::bigint)
          ORDER BY xid DESC, seq DESC LIMIT ${pageSize}::int
        ) AS part`;
    if (page?.first && page.last)
      found = { imports, userId: page.userId, firstXid: page.first, lastXid: found?.lastXid ?? page.last };
    // The rest of a transaction that is larger than a page is of the same actor.
    before = page?.reached ?? null;
  } while (before !== null);
  return found;
}
