import type { Database } from '../database/index.ts';

/** Companies whose changes have become readable, and up to which transaction. */
interface ChangedCompanies {
  readonly ids: readonly string[];
  /** The fence: changes of this transaction and later ones are found the next time. */
  readonly until: string;
}

/**
 * Each transaction that wrote for a company is one step on the index of `xid + 0`, however many changes it has. Without
 * the number of a transaction none is found.
 */
const find = {
  isPrepared: true,
  text: `
    WITH RECURSIVE here AS MATERIALIZED (
      SELECT change_number(pg_snapshot_xmin(pg_current_snapshot())) AS fence
    ), changed (xid, company_id) AS (
      (
        SELECT xid, company_id FROM changes WHERE xid + 0 >= $1::bigint AND xid + 0 < (SELECT fence FROM here)
        ORDER BY xid + 0, company_id LIMIT 1
      )
      UNION ALL
      SELECT next.* FROM changed CROSS JOIN LATERAL (
        SELECT xid, company_id FROM changes
        WHERE (changes.xid + 0, changes.company_id) > (changed.xid, changed.company_id)
          AND changes.xid + 0 < (SELECT fence FROM here)
        ORDER BY changes.xid + 0, changes.company_id LIMIT 1
      ) AS next
    )
    SELECT fence::text AS until, ARRAY(SELECT DISTINCT company_id::text FROM changed) AS ids FROM here`,
};

/**
 * Finds the companies with changes that have become readable since another look, on an index.
 *
 * @param since what the other look returned as `until`; without it none is found
 */
export async function findChangedCompanies(
  database: Pick<Database, 'query'>,
  since: string | undefined,
): Promise<ChangedCompanies> {
  const { rows } = await database.query({ ...find, values: [since ?? null] });
  // The columns that the statement selects, in its only row.
  return rows[0] as unknown as ChangedCompanies;
}
