import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaClient } from './generated/client/client.ts';

/** How long (ms) a statement or transaction waits for a connection before it fails. */
export const connectionPatience = 5000;

/**
 * Makes the Prisma client over an adapter.
 *
 * @param onQuery told every SQL statement
 */
export function makeClient(adapter: SqlDriverAdapterFactory, onQuery?: (sql: string) => void): PrismaClient {
  const transactionOptions = { maxWait: connectionPatience };
  if (!onQuery) return new PrismaClient({ adapter, transactionOptions });
  const prisma = new PrismaClient({ adapter, transactionOptions, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', ({ query }) => onQuery(query));
  return prisma;
}
