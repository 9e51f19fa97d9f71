import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { capturable, isCapturing } from './capture-sql.ts';
import { PrismaClient } from './generated/client/client.ts';

/** How long (ms) a transaction of a request may take, with the wait for its connection. */
const transactionTimeoutMs = 10_000;

/** Creates the Prisma client over an adapter. @param onQuery called with every SQL statement */
export function createClient(factory: SqlDriverAdapterFactory, onQuery?: (sql: string) => void): PrismaClient {
  const adapter = capturable(factory);
  const transactionOptions = { timeout: transactionTimeoutMs };
  if (!onQuery) return new PrismaClient({ adapter, transactionOptions });
  const prisma = new PrismaClient({ adapter, transactionOptions, log: [{ emit: 'event', level: 'query' }] });
  prisma.$on('query', ({ query }) => {
    if (!isCapturing()) onQuery(query);
  });
  return prisma;
}
