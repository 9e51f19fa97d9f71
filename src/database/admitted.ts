import type {
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  SqlQueryable,
  Transaction,
} from '@prisma/driver-adapter-utils';
import type { Admission, Claim, Release } from './admission.ts';
import facts from './generated/facts.ts';
import { currentRequester, type Requester } from './requester.ts';

/** A connection pool and its admission. */
export interface Pool {
  readonly factory: SqlDriverAdapterFactory;
  readonly admission: Admission;
}

/**
 * Makes every statement and transaction of Prisma wait for admission.
 * @param requests the connections for requests
 * @param background those for streams and for the service's own work
 */
export function admitted(requests: Pool, background: Pool): SqlDriverAdapterFactory {
  const { provider, adapterName } = requests.factory;
  return {
    provider,
    adapterName,
    async connect() {
      const [forRequests, forBackground] = await Promise.all([admittedAdapter(requests), admittedAdapter(background)]);
      const adapter = () => {
        const requester = currentRequester();
        return requester && !requester.isPatient ? forRequests : forBackground;
      };
      return {
        provider,
        adapterName,
        queryRaw: (query) => adapter().queryRaw(query),
        executeRaw: (query) => adapter().executeRaw(query),
        executeScript: (script) => adapter().executeScript(script),
        startTransaction: (isolationLevel) => adapter().startTransaction(isolationLevel),
        getConnectionInfo: forRequests.getConnectionInfo?.bind(forRequests),
        dispose: async () => void (await Promise.all([forRequests.dispose(), forBackground.dispose()])),
      };
    },
  };
}

async function admittedAdapter({ factory, admission }: Pool): Promise<SqlDriverAdapter> {
  const adapter = await factory.connect();
  const admit = (sql: string) => admission.admit(claimOf(currentRequester(), sql));
  const run = async <T>(sql: string, work: () => Promise<T>): Promise<T> => {
    const release = await admit(sql);
    return work().finally(release);
  };
  return Object.assign(Object.create(adapter) as SqlDriverAdapter, {
    queryRaw: (query: SqlQuery) => run(query.sql, () => adapter.queryRaw(query)),
    executeRaw: (query: SqlQuery) => run(query.sql, () => adapter.executeRaw(query)),
    startTransaction: async (isolationLevel: Parameters<SqlDriverAdapter['startTransaction']>[0]) =>
      lateTransaction(adapter, admit, () => adapter.startTransaction(isolationLevel)),
  });
}

/**
 * A transaction that begins with its first statement, which determines its tables. Until then it uses no connection.
 */
function lateTransaction(
  { provider, adapterName }: SqlQueryable,
  admit: (sql: string) => Promise<Release>,
  start: () => Promise<Transaction>,
): Transaction {
  let begun: Promise<{ transaction: Transaction; release: Release }> | undefined;
  const begin = async (sql: string) => {
    const release = await admit(sql);
    try {
      return { transaction: await start(), release };
    } catch (error) {
      release();
      throw error;
    }
  };
  const within = async <T>(sql: string, work: (transaction: Transaction) => Promise<T>): Promise<T> =>
    work((await (begun ??= begin(sql))).transaction);
  const end = async (work: (transaction: Transaction) => Promise<void>) => {
    // A transaction that failed to begin does not need to end; its first statement has reported the error.
    const running = await begun?.catch(() => undefined);
    if (running) await work(running.transaction).finally(running.release);
  };
  return {
    provider,
    adapterName,
    options: { usePhantomQuery: true },
    queryRaw: (query) => within(query.sql, (transaction) => transaction.queryRaw(query)),
    executeRaw: (query) => within(query.sql, (transaction) => transaction.executeRaw(query)),
    commit: () => end((transaction) => endWith('COMMIT', transaction)),
    rollback: () => end((transaction) => endWith('ROLLBACK', transaction)),
    createSavepoint: (name) => within('', async (transaction) => transaction.createSavepoint?.(name)),
    rollbackToSavepoint: (name) => within('', async (transaction) => transaction.rollbackToSavepoint?.(name)),
    releaseSavepoint: (name) => within('', async (transaction) => transaction.releaseSavepoint?.(name)),
  };
}

/** Ends a transaction, with SQL if the adapter requires it, and always releases its connection. */
async function endWith(sql: 'COMMIT' | 'ROLLBACK', transaction: Transaction): Promise<void> {
  const giveBack = () => (sql === 'COMMIT' ? transaction.commit() : transaction.rollback());
  if (transaction.options.usePhantomQuery) return giveBack();
  await transaction.executeRaw({ sql, args: [], argTypes: [] }).finally(giveBack);
}

function claimOf(requester: Requester | undefined, sql: string): Claim | undefined {
  if (!requester) return undefined;
  const { model, ...owner } = requester;
  const named = tablesOf(sql);
  const table = model === undefined ? undefined : models[model]?.table;
  return { ...owner, tables: table === undefined || named.includes(table) ? named : [table, ...named] };
}

const models: Readonly<Record<string, { readonly table: string }>> = facts.models;

const tableNames = new RegExp(
  `\\b(${Object.values(models)
    .map(({ table }) => table)
    .join('|')})\\b`,
  'g',
);

/** The tables of known statements; a service has a few hundred statements. */
const known = new Map<string, readonly string[]>();
const maxKnown = 1000;

/** The tables that a statement names. Columns of the same name count too, which is harmless. */
function tablesOf(sql: string): readonly string[] {
  let tables = known.get(sql);
  if (!tables) {
    tables = [...new Set(sql.match(tableNames))];
    if (known.size < maxKnown) known.set(sql, tables);
  }
  return tables;
}
