import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaClient } from './generated/client/client.ts';
import { defaultTimeoutMs } from './transaction.ts';

/** Creates the Prisma client over an adapter. */
export const createClient = (adapter: SqlDriverAdapterFactory): PrismaClient =>
  new PrismaClient({ adapter, transactionOptions: { timeout: defaultTimeoutMs } });
