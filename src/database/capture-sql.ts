import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDriverAdapterFactory, SqlQuery } from '@prisma/driver-adapter-utils';

/** The statements of a call of Prisma's that is not to run, but to tell what it would run. */
const captures = new AsyncLocalStorage<SqlQuery[]>();

/** Whether what runs now is captured, and not sent to the database. */
export const isCapturing = (): boolean => captures.getStore() !== undefined;

/**
 * Tells what a call of Prisma's would ask the database, and asks nothing. What Prisma knows how to say, such as the
 * filter of a list, can so become a part of a statement that Prisma has no words for.
 * @param call one that reads, outside any transaction
 * @returns its statement, in PostgreSQL's SQL
 */
export async function captureSql(call: () => Promise<unknown>): Promise<SqlQuery> {
  const statements: SqlQuery[] = [];
  // Awaited inside: Prisma begins when somebody waits for it.
  await captures.run(statements, async () => await call());
  const [statement, ...others] = statements;
  if (!statement || others.length > 0) throw new Error(`The call takes ${statements.length} statements and not one.`);
  return statement;
}

/** Lets `captureSql` capture what an adapter would run. */
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
