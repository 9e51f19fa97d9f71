import type { FastifyRequest } from 'fastify';
import type { Caller } from './auth/caller.ts';
import type { Prisma } from './database/generated/client/client.ts';
import type { Database } from './database/index.ts';
import type { Requester } from './database/requester.ts';
import { type TenantClient, tenantClient } from './database/tenant.ts';

/** The request context that resolvers receive. */
export interface Context {
  /** The caller; every row read or written belongs to the caller's company. */
  readonly caller: Caller;
  /** The database scoped to the caller's company. Resolvers take it from here, never from a module. */
  readonly db: TenantClient;
  /** The unscoped database, for SQL and queries across companies; its users filter by company themselves. */
  readonly unscopedDb: Prisma.TransactionClient;
  /** The request id in the response, the logs and `meta.request_id`. */
  readonly requestId: string;
  /** The caller's IP address, resolved by the proxy settings. */
  readonly ip: string;
  /** Receives the fields that an update changes. */
  readonly onChange?: (fields: readonly string[]) => void;
  /** The time of writes, where it is not now: the seed creates rows in the past. */
  readonly at?: Date;
}

/** The id of the user that a request runs as, the default for users left out of a body. */
export const callerId = ({ caller }: Pick<Context, 'caller'>): string => caller.userId;

/** The time of a write. */
export const timeOf = ({ at }: Context): Date => at ?? new Date();

/** The same request on another database client, such as one in a transaction. */
export const withClient = (context: Context, client: Prisma.TransactionClient): Context => ({
  ...context,
  unscopedDb: client,
  db: tenantClient(client, context.caller.companyId, context.at),
});

/** The context of a request whose caller is known. */
export const contextOf = ({ caller, id, ip }: FastifyRequest, { prisma }: Pick<Database, 'prisma'>): Context => ({
  caller,
  unscopedDb: prisma,
  db: tenantClient(prisma, caller.companyId),
  requestId: id,
  ip,
});

/** The requester of a request's statements: its caller or, until that is known, its address. */
export function requesterOf({ caller, ip, deadline: { signal } }: FastifyRequest): Requester {
  const known = caller as Caller | undefined;
  return { company: known?.companyId ?? '', caller: known ? `${known.kind}:${known.id}` : ip, signal };
}

/** Options of a transaction; see Prisma's options of the same names. */
export interface TransactionOptions {
  readonly isolationLevel?: Prisma.TransactionIsolationLevel;
}

/**
 * Runs work in a transaction, which is rolled back when it throws. Inside another transaction it is a savepoint, so
 * that a refused write is rolled back and the rest continues.
 */
export const inTransaction = <T>(
  context: Context,
  work: (context: Context) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> => context.unscopedDb.$transaction((tx) => work(withClient(context, tx)), options);
