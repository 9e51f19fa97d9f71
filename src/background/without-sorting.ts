import { Prisma } from '../database/generated/client/client.ts';
import type { Database } from '../database/index.ts';

/** What the work needs. */
export type WithoutSortingDatabase = Pick<Database, 'prisma' | 'transaction'>;

/**
 * Setting for the rest of a transaction: rows that an index has in order are read by that index. Where PostgreSQL
 * expects few rows, because none was there when it last counted, it would read all of them, and sort.
 */
export const noSorting = Prisma.sql`set_config('enable_sort', 'off', true)`;

/** Runs work, whose statements read the first rows of an index, in a transaction that sorts nothing. */
export const withoutSorting = <T>(
  { prisma, transaction }: WithoutSortingDatabase,
  work: () => Promise<T>,
): Promise<T> =>
  transaction(async () => {
    await prisma.$queryRaw`SELECT ${noSorting}`;
    return work();
  });
