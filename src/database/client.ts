import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { capturable, isCapturing } from './capture-sql.ts';
import { PrismaClient } from './generated/client/client.ts';

/** How long a statement or transaction waits for a connection before it fails. */
export const connectionTimeoutMs = 5000;

/** Creates the Prisma client over an adapter. @param onQuery called with every SQL statement */
export function createClient(factory: SqlDriverAdapterFactory, onQuery?: (sql: string) => void): PrismaClient {
  const adapter = capturable(factory);
  const transactionOptions = { maxWait: connectionTimeoutMs };
  if (!onQuery) return new PrismaClient({ adapter, transactionOptions });
  const prisma = new PrismaClient({ adapter, transactionOptions, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', ({ query }) => {
    if (!isCapturing()) onQuery(query);
  });
  return prisma;
}
