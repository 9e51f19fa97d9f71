import type { FastifyRequest } from 'fastify';
import type { Caller } from './auth/caller.ts';
import type { RateLimitStatus } from './auth/limits.ts';
import type { Actor } from './database/actor.ts';
import type { Prisma } from './database/generated/client/client.ts';
import type { Database } from './database/index.ts';
import type { Reader } from './database/read/reader.ts';
import type { Requester } from './database/requester.ts';
import { type TenantClient, tenantClient } from './database/tenant.ts';
import type { Writer } from './database/write/writer.ts';
import type { LogPage } from './events/log.ts';
import type { Mailer } from './mail/index.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Sends email of companies. */
    readonly mailer: Mailer;
  }
}

/** The request context that resolvers receive. */
export interface Context {
  /** The caller; every row read or written belongs to the caller's company. */
  readonly caller: Caller;
  /** The database scoped to the caller's company. Resolvers take it from here, never from a module. */
  readonly db: TenantClient;
  /** The unscoped database, for SQL and queries across companies; its users filter by company themselves. */
  readonly unscopedDb: Prisma.TransactionClient;
  /** Reads rows of all companies: the kit's reads. */
  readonly reader: Reader;
  /** Writes rows of all companies: the kit's writes. */
  readonly writer: Writer;
  /** Sends email of companies, once what it reports was committed. */
  readonly mailer: Mailer;
  /** Runs work in a transaction; see `inTransaction`. */
  readonly transaction: Database['transaction'];
  /** The request id in the response, the logs and `meta.request_id`. */
  readonly requestId: string;
  /** The caller's IP address, resolved by the proxy settings. */
  readonly ip: string;
  /** The caller's rate limit after this request; undefined where no request is counted, as in the seed. */
  readonly rateLimit?: RateLimitStatus;
  /**
   * The fields that the caller was refused so far, by their path in the response. Only their first error is reported.
   */
  readonly refusedFields: Set<string>;
  /** The maximum page size of lists, if it is another than for clients. */
  readonly maxPageSize?: number;
  /** A page of the log of changes that was already read, shared by all listeners. */
  readonly logPage?: LogPage;
  /** The time of writes, where it is not now: the seed creates rows in the past. */
  readonly at?: Date;
}

/** The id of the user that a request runs as, the default for users left out of a body. */
export const callerId = ({ caller }: Pick<Context, 'caller'>): string => caller.userId;

/** The time of a write. */
export const timeOf = ({ at }: Context): Date => at ?? new Date();

/** The context of a request whose caller is known. */
export const contextOf = (
  { caller, rateLimit, id, ip, server: { mailer } }: FastifyRequest,
  { prisma, reader, writer, transaction }: Database,
): Context => ({
  caller,
  rateLimit,
  mailer,
  unscopedDb: prisma,
  reader,
  writer,
  transaction,
  db: tenantClient({ prisma, writer }, caller.companyId),
  requestId: id,
  ip,
  refusedFields: new Set(),
});

/** The same request as one of a guest of a company, whoever makes it. */
export function asGuestOf(companyId: string, context: Context): Context {
  const { caller, unscopedDb: prisma, writer } = context;
  const { id, timeZone, userId, rateLimit } = caller;
  return {
    ...context,
    caller: { kind: 'guest', id, companyId, timeZone, userId, scopes: [], rateLimit },
    db: tenantClient({ prisma, writer }, companyId),
  };
}

/** The requester of a request's statements: its caller or, until that is known, its address. */
export function requesterOf({ caller, ip, id, deadline, budget }: FastifyRequest): Requester {
  // Undefined before `authenticate`, although its type says otherwise.
  const known = caller as Caller | undefined;
  const name = known ? `${known.kind}:${known.id}` : ip;
  return {
    company: known?.companyId ?? '',
    caller: name,
    actor: known && actorOf(known, id),
    signal: deadline,
    budget,
  };
}

/** The requester of statements whose rows are streamed, at the pace of the reader, rather than kept. */
export const streamRequesterOf = (request: FastifyRequest) => ({
  ...requesterOf(request),
  isLongRunning: true,
  budget: undefined,
});

/** Who a request writes as. A guest is known by network only, which the log of changes does not keep. */
const actorOf = ({ kind, id, userId }: Caller, requestId: string): Actor =>
  kind === 'guest' ? { kind, request_id: requestId } : { kind, id, user_id: userId, request_id: requestId };

/**
 * Runs work in a transaction, which is rolled back when it throws. Inside another transaction it is a savepoint, so
 * that a refused write is rolled back and the rest continues.
 */
export const inTransaction = <T>({ transaction }: Context, work: () => Promise<T>): Promise<T> => transaction(work);
