import { PrismaPg } from '@prisma/adapter-pg';
import type {
  Transaction as PrismaTransaction,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
} from '@prisma/driver-adapter-utils';
import type { AdmittedPool } from './admitted.ts';
import type { StatementNames } from './read/names.ts';
import { currentTransaction, runIn, Transaction } from './transaction.ts';

/**
 * Creates Prisma's adapter over pools whose statements wait for admission.
 *
 * @param pools all of them
 * @param poolOf chooses the one for the current work
 */
export function prismaAdapter(
  pools: readonly AdmittedPool[],
  poolOf: () => AdmittedPool,
  names: StatementNames,
): SqlDriverAdapterFactory {
  const factories = pools.map(
    ({ connections }) => new PrismaPg(connections, { statementNameGenerator: ({ sql }) => names.nameOf(sql) ?? '' }),
  );
  // There is one for each pool, and at least one pool.
  const [{ provider, adapterName }] = factories as [PrismaPg];
  return {
    provider,
    adapterName,
    async connect() {
      const adapters = new Map<AdmittedPool, SqlDriverAdapter>();
      // The pools, their factories and their adapters have the same order.
      for (const [n, pool] of pools.entries()) adapters.set(pool, await (factories[n] as PrismaPg).connect());
      // Every pool has one, from above.
      const adapterOf = (pool: AdmittedPool) => adapters.get(pool) as SqlDriverAdapter;
      const run = <T>(sql: string, work: (adapter: SqlDriverAdapter) => Promise<T>) => {
        const pool = poolOf();
        return pool.run(sql, () => work(adapterOf(pool)));
      };
      return {
        provider,
        adapterName,
        queryRaw: (query) => run(query.sql, (adapter) => adapter.queryRaw(query)),
        executeRaw: (query) => run(query.sql, (adapter) => adapter.executeRaw(query)),
        executeScript: (script) => run(script, (adapter) => adapter.executeScript(script)),
        startTransaction: async (isolationLevel) => {
          const pool = poolOf();
          const transaction = currentTransaction()?.nested() ?? Transaction.on(pool, { isolationLevel });
          return prismaTransaction(transaction, adapterOf(pool));
        },
        getConnectionInfo: () => adapterOf(poolOf()).getConnectionInfo?.() ?? { supportsRelationJoins: true },
        dispose: async () => void (await Promise.all([...adapters.values()].map((adapter) => adapter.dispose()))),
      };
    },
  };
}

/** A transaction that Prisma begins and ends: of its own, or for the nested writes of one of its operations. */
function prismaTransaction(transaction: Transaction, adapter: SqlDriverAdapter): PrismaTransaction {
  const within = <T>(work: () => Promise<T>) => runIn(transaction, work);
  const run = (sql: string) => async () => void (await transaction.query(sql));
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    options: { usePhantomQuery: true },
    queryRaw: (query: SqlQuery) => within(() => adapter.queryRaw(query)),
    executeRaw: (query: SqlQuery) => within(() => adapter.executeRaw(query)),
    commit: () => transaction.commit(),
    rollback: () => transaction.rollback(),
    createSavepoint: (name) => within(run(`SAVEPOINT ${name}`)),
    rollbackToSavepoint: (name) => within(run(`ROLLBACK TO SAVEPOINT ${name}`)),
    releaseSavepoint: (name) => within(run(`RELEASE SAVEPOINT ${name}`)),
  };
}
