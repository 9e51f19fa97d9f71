import type { Prisma } from '../database/generated/client/client.ts';

/** How many changes one statement deletes at most. */
const batchSize = 1000;

/**
 * Deletes the oldest changes of a company, up to the first one that is kept, and moves the beginning of its log with
 * the same statement.
 *
 * @param days how long changes are kept
 * @returns whether there may be more to delete
 */
export async function deleteOldChanges(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  companyId: string,
  days: number,
): Promise<boolean> {
  const [{ count = 0 } = {}] = await client.$queryRaw<{ count: number }[]>`
    WITH first AS MATERIALIZED (
      SELECT xid, seq, at < now() - make_interval(days => ${days}::int) AS is_old FROM changes
      WHERE company_id = ${companyId}::uuid ORDER BY xid, seq LIMIT ${batchSize}
    ), old AS MATERIALIZED (
      SELECT xid, seq FROM first
      WHERE (xid, seq) < ALL (SELECT xid, seq FROM first WHERE NOT is_old ORDER BY xid, seq LIMIT 1)
    ), deleted AS (
      DELETE FROM changes USING old
      WHERE changes.company_id = ${companyId}::uuid AND changes.xid = old.xid AND changes.seq = old.seq
    ), moved AS (
      INSERT INTO change_horizons (company_id, xid, seq)
      SELECT ${companyId}::uuid, xid, seq FROM old ORDER BY xid DESC, seq DESC LIMIT 1
      ON CONFLICT (company_id) DO UPDATE SET xid = excluded.xid, seq = excluded.seq
    )
    SELECT count(*)::int AS count FROM old`;
  return count === batchSize;
}
