import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDriverAdapterFactory, SqlQuery } from '@prisma/driver-adapter-utils';

/** The statements captured during a Prisma call. */
const captures = new AsyncLocalStorage<SqlQuery[]>();

/** Whether statements are captured now rather than sent to the database. */
export const isCapturing = (): boolean => captures.getStore() !== undefined;

/**
 * Captures the SQL of a Prisma call without running it. Conditions that Prisma can express, such as a list's filter,
 * can so become part of a statement that it cannot.
 *
 * @param call a read, outside any transaction
 * @returns its statement, in PostgreSQL's SQL
 */
export async function captureSql(call: () => Promise<unknown>): Promise<SqlQuery> {
  const statements: SqlQuery[] = [];
  // Awaited inside, as Prisma runs a query when it is awaited.
  await captures.run(statements, async () => await call());
  const [statement, ...others] = statements;
  if (!statement || others.length > 0) throw new Error(`The call ran ${statements.length} statements instead of one.`);
  return statement;
}

/** Lets `captureSql` capture the statements of an adapter. */
export const capturable = (factory: SqlDriverAdapterFactory): SqlDriverAdapterFactory => ({
  provider: factory.provider,
  adapterName: factory.adapterName,
  async connect() {
    const adapter = await factory.connect();
    const queryRaw = adapter.queryRaw.bind(adapter);
    adapter.queryRaw = async (query) => {
      const statements = captures.getStore();
      if (!statements) return queryRaw(query);
      statements.push(query);
      return { columnNames: [], columnTypes: [], rows: [] };
    };
    return adapter;
  },
});
