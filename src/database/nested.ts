import type { PrismaClient } from './generated/client/client.ts';

/** The client inside a transaction. */
type Transaction = Parameters<Parameters<PrismaClient['$transaction']>[0]>[0];
type Method = (args: unknown) => Promise<unknown>;

const writes = [
  'create',
  'createMany',
  'createManyAndReturn',
  'update',
  'updateMany',
  'updateManyAndReturn',
  'upsert',
  'delete',
  'deleteMany',
];

/**
 * A client inside a transaction that behaves as the one outside: a write that the database refuses undoes itself alone,
 * and so does a transaction. PostgreSQL would otherwise refuse all that follows. Each is a savepoint, one at a time.
 */
export function asClient(tx: Transaction): PrismaClient {
  let last: Promise<unknown> = Promise.resolve();
  const atomically = <T>(work: (inner: Transaction) => Promise<T>): Promise<T> => {
    const done = last.catch(() => {}).then(() => tx.$transaction(work));
    last = done;
    return done;
  };
  const table = (name: string, delegate: object) =>
    new Proxy(delegate, {
      get(target, method) {
        if (!writes.includes(String(method))) return Reflect.get(target, method) as unknown;
        return (args: unknown) =>
          atomically(
            (inner) =>
              (inner as unknown as Record<string, Record<string, Method>>)[name]?.[String(method)]?.(
                args,
              ) as Promise<unknown>,
          );
      },
    });
  const tables = new Map<string, object>();
  // What is not the transaction's own, such as connecting, nobody asks for in a request.
  return new Proxy(tx as unknown as PrismaClient, {
    get(target, property) {
      const value = Reflect.get(target, property) as unknown;
      if (property === '$transaction') {
        return (work: ((inner: Transaction) => Promise<unknown>) | readonly PromiseLike<unknown>[]) =>
          atomically(async (inner) => {
            if (typeof work === 'function') return work(inner);
            const results: unknown[] = [];
            // They begin when they are awaited.
            for (const statement of work) results.push(await statement);
            return results;
          });
      }
      if (typeof property !== 'string' || /^[$_]/.test(property) || typeof value !== 'object' || value === null)
        return value;
      const known = tables.get(property) ?? table(property, value);
      tables.set(property, known);
      return known;
    },
  });
}
