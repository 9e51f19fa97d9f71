import { Prisma } from '../database/generated/client/client.ts';

/** How many rows one statement deletes at most, so that it locks none for long. */
const batchSize = 1000;

/**
 * Deletes the rows of a table, of all companies, that are older than so many days.
 *
 * @param isStopped whether to leave the rest to the next time
 */
export async function deleteOldRows(
  client: Pick<Prisma.TransactionClient, '$executeRaw'>,
  table: 'notifications' | 'webhook_deliveries',
  days: number,
  isStopped: () => boolean,
): Promise<void> {
  const name = Prisma.raw(table);
  for (let count = batchSize; count === batchSize && !isStopped(); )
    count = await client.$executeRaw`
      DELETE FROM ${name} AS old USING (
        SELECT company_id, id FROM ${name}
        WHERE created_at < now() - make_interval(days => ${days}::int) ORDER BY created_at LIMIT ${batchSize}
      ) AS chosen
      WHERE old.company_id = chosen.company_id AND old.id = chosen.id`;
}
