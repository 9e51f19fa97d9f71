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
    SELECT delete_old_changes(${companyId}::uuid, ${days}::int, ${batchSize}::int) AS count`;
  return count === batchSize;
}
