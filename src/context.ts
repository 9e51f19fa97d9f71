import type { FastifyRequest } from 'fastify';
import type { Caller } from './auth/caller.ts';
import type { Prisma } from './database/generated/client/client.ts';
import type { Database } from './database/index.ts';
import { type TenantClient, tenantClient } from './database/tenant.ts';

/** What every resolver knows of the request it serves. */
export interface Context {
  /** Who calls; every row read or written belongs to the caller's company. */
  readonly caller: Caller;
  /** The database, as far as it is the caller's company's. Resolvers take it from here, never from a module. */
  readonly db: TenantClient;
  /** The whole database, for what crosses companies or is written in SQL; whoever uses it adds the company. */
  readonly unscopedDb: Prisma.TransactionClient;
  /** The id that the response, the logs and `meta.request_id` carry. */
  readonly requestId: string;
  /** The caller's address as the proxy settings let us see it. */
  readonly ip: string;
  /** The time that writes are dated with, where that is not now: the demo's history is written later than it happened. */
  readonly at?: Date;
}

/** The user that a request runs as; whoever is not named in a body is that one. */
export const callerId = ({ caller }: Pick<Context, 'caller'>): string => caller.userId;

/** The time that a write is dated with. */
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

/** How a transaction is to run; see Prisma's options of the same names. */
export interface TransactionOptions {
  readonly isolationLevel?: Prisma.TransactionIsolationLevel;
}

/**
 * Runs work in a transaction: all of it is kept, or nothing when it throws. Inside another transaction it is a savepoint, so
 * that a refused write undoes itself and the rest goes on.
 */
export const inTransaction = <T>(
  context: Context,
  work: (context: Context) => Promise<T>,
  options?: TransactionOptions,
): Promise<T> => context.unscopedDb.$transaction((tx) => work(withClient(context, tx)), options);
