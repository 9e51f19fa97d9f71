import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import type { SqlMigrationAwareDriverAdapterFactory, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { DriverAdapterError, isDriverAdapterError } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { createClient } from './client.ts';
import type { Database, DatabaseOptions } from './database.ts';
import { lockFolder } from './lock.ts';
import { parsers } from './parsers.ts';

/** Opens the embedded database in `dataDir`, or one in memory when that is `memory://`. See `openDatabase`. */
export async function openEmbedded(dataDir: string, options: DatabaseOptions): Promise<Database> {
  if (dataDir.startsWith('memory://')) return overPGlite(await PGlite.create({ dataDir }), options);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const release = await lockFolder(dataDir); // PGlite itself would let a second process open it, and lose rows
  try {
    const pglite = await PGlite.create({ dataDir: join(dataDir, 'pglite') });
    return await overPGlite(pglite, options, async () => {
      await pglite.close();
      await release();
    });
  } catch (error) {
    await release();
    throw error;
  }
}

/** Creates a `Database` over an open PGlite. @param close closes what it runs on; by default closes the PGlite too */
export async function overPGlite(
  pglite: PGlite,
  { onQuery }: DatabaseOptions = {},
  close: () => Promise<void> = () => pglite.close(),
): Promise<Database> {
  // The adapter sends timestamps without a zone, and reads them as UTC.
  await pglite.exec(`SET TIME ZONE 'UTC'`);
  const adapter = patchAdapter(pglite);
  const prisma = createClient(adapter, onQuery);
  return {
    kind: 'embedded',
    prisma,
    async query({ text, values }) {
      onQuery?.(text);
      const { rows, affectedRows } = await pglite.query<Record<string, unknown>>(text, values, { parsers });
      return { rows, rowCount: affectedRows || rows.length };
    },
    async inOneTransaction(work) {
      await pglite.exec('BEGIN');
      try {
        const result = await work({ adapter, execute: (sql) => pglite.exec(sql) });
        await pglite.exec('COMMIT');
        return result;
      } catch (error) {
        await pglite.exec('ROLLBACK');
        throw error;
      }
    },
    async close() {
      await prisma.$disconnect();
      await close();
    },
  };
}

/** The PGlite adapter, patched to behave like the PostgreSQL adapter where the two differ. */
function patchAdapter(pglite: PGlite): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPGlite(pglite);
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connectToShadowDb: () => factory.connectToShadowDb(),
    async connect() {
      const adapter = await factory.connect();
      const start = adapter.startTransaction.bind(adapter);
      // The original sets the isolation level before it begins the transaction, to no effect; with one connection all
      // levels are the same.
      adapter.startTransaction = async () => withSavepoints(patchErrors(await start()));
      return patchErrors(adapter);
    },
  };
}

/** Adds the savepoints that Prisma uses for nested transactions. */
function withSavepoints(transaction: Transaction): Transaction {
  const run = async (sql: string) => void (await transaction.executeRaw({ sql, args: [], argTypes: [] }));
  transaction.createSavepoint = (name) => run(`SAVEPOINT ${name}`);
  transaction.rollbackToSavepoint = (name) => run(`ROLLBACK TO SAVEPOINT ${name}`);
  transaction.releaseSavepoint = (name) => run(`RELEASE SAVEPOINT ${name}`);
  return transaction;
}

function patchErrors<T extends SqlQueryable>(queryable: T): T {
  const queryRaw = queryable.queryRaw.bind(queryable);
  const executeRaw = queryable.executeRaw.bind(queryable);
  queryable.queryRaw = (query) => queryRaw(query).catch(rethrow);
  queryable.executeRaw = (query) => executeRaw(query).catch(rethrow);
  return queryable;
}

/**
 * Names the constraint as the PostgreSQL adapter does, and handles the SQLSTATE of `ON DELETE RESTRICT` since version
 * 18.
 */
function rethrow(error: unknown): never {
  if (isDriverAdapterError(error)) {
    const index = /constraint "([^"]+)"/.exec(error.cause.originalMessage ?? '')?.[1];
    const constraint = index === undefined ? undefined : { index };
    const { originalCode, originalMessage } = error.cause;
    const original = { originalCode, originalMessage, constraint };
    if (originalCode === '23505') throw new DriverAdapterError({ kind: 'UniqueConstraintViolation', ...original });
    if (originalCode === '23001') throw new DriverAdapterError({ kind: 'RestrictViolation', ...original });
  }
  throw error;
}
