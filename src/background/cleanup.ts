import { deletePages } from '../database/delete-pages.ts';
import { Prisma } from '../database/generated/client/client.ts';

/** From when on the rows of a table are kept, by an index. */
const timeColumns = {
  notifications: 'created_at',
  webhook_deliveries: 'created_at',
  jobs: 'finished_at',
  imports: 'created_at',
} as const;

/**
 * Deletes the rows of a table, of all companies, that are older than so many days; of jobs, those that ended before.
 *
 * @param isStopped whether to leave the rest to the next time
 */
export async function deleteOldRows(
  client: Pick<Prisma.TransactionClient, '$executeRaw'>,
  table: keyof typeof timeColumns,
  days: number,
  isStopped: () => boolean,
): Promise<void> {
  const [name, time] = [Prisma.raw(table), Prisma.raw(timeColumns[table])];
  await deletePages(
    (size) => client.$executeRaw`
      DELETE FROM ${name} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM ${name} WHERE ${time} < now() - make_interval(days => ${days}::int)
        ORDER BY ${time} LIMIT ${size}
      ))`,
    isStopped,
  );
}
