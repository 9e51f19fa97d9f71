import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from './auth/caller.ts';
import type { FileLinks } from './auth/file-links.ts';
import type { RateLimitStatus } from './auth/limits.ts';
import type { Actor } from './database/actor.ts';
import type { Prisma } from './database/generated/client/client.ts';
import type { Database, RowFilter } from './database/index.ts';
import type { Models } from './database/read/models.ts';
import type { Reader } from './database/read/reader.ts';
import type { Requester } from './database/requester.ts';
import { SortedIds } from './database/sorted-ids.ts';
import { type TenantClient, tenantClient } from './database/tenant.ts';
import type { Writer } from './database/write/writer.ts';
import type { LogPage } from './events/log.ts';
import type { Files } from './files/index.ts';
import { type Mailer, noMailer } from './mail/index.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** What the API that it serves stores. */
    readonly storage: ApiStorage;
    /** Sends email of companies. */
    readonly mailer: Mailer;
    /** The hosts of webhooks that may be private, and without TLS. */
    readonly webhookHosts: readonly string[];
    readonly files: Files;
    /** Signs links to files. */
    readonly fileLinks: FileLinks;
  }
  interface FastifyRequest {
    /** The order of the list that the request reads page by page. */
    sortedIds?: SortedIds;
    /** Counts rows that are about to be written together. @throws ServiceError RATE_LIMITED */
    countRows?: (rows: number) => Promise<void>;
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
  /** Reads rows of the caller's company, of each type those that the caller can access: the kit's reads. */
  readonly reader: Reader;
  /** Makes readers of other rows, such as those of another company. */
  readonly readerOf: Database['readerOf'];
  /** What the API stores. */
  readonly storage: ApiStorage;
  /** Writes rows of all companies: the kit's writes. */
  readonly writer: Writer;
  /** Makes writers of the fields of another API. */
  readonly writerOf: Database['writerOf'];
  /** Sends email of companies, once what it reports was committed. */
  readonly mailer: Mailer;
  /** The hosts of webhooks that may be private, and without TLS; undefined where no webhooks are saved. */
  readonly webhookHosts?: readonly string[];
  /** The store of files; undefined where none are sent or shown. */
  readonly files?: Files;
  /** Signs links to files; undefined where none are shown. */
  readonly fileLinks?: FileLinks;
  /** Runs work in a transaction; see `inTransaction`. */
  readonly transaction: Database['transaction'];
  /** The request id in the response, the logs and `meta.request_id`. */
  readonly requestId: string;
  /** The caller's IP address, resolved by the proxy settings. */
  readonly ip: string;
  /** The caller's rate limit after this request; undefined where no request is counted, as in the seed. */
  readonly rateLimit?: RateLimitStatus;
  /** Counts rows that are about to be written together; undefined where none are counted. */
  readonly countRows?: ((rows: number) => Promise<void>) | undefined;
  /**
   * The fields that the caller was refused so far, by their path in the response. Only their first error is reported.
   */
  readonly refusedFields: Set<string>;
  /** The maximum page size of lists, if it is another than for clients. */
  readonly maxPageSize?: number;
  /** The maximum number of groups, if it is another than for clients of GraphQL. */
  readonly maxGroups?: number;
  /** Takes the groups of a list, which its field then lacks. */
  readonly takeGroups?: (groups: readonly Readonly<Record<string, unknown>>[]) => void;
  /** The order of the list that the request reads page by page; undefined where it reads one page. */
  readonly sortedIds?: SortedIds | undefined;
  /** A page of the log of changes that was already read, shared by all listeners. */
  readonly logPage?: LogPage;
  /** The time of writes, where it is not now: the seed creates rows in the past. */
  readonly at?: Date;
}

/** What an API stores, of which its contexts read and write. */
export interface ApiStorage {
  /** The models, with the fields that its resources have. */
  readonly models: Models;
  /** Finds the row filters of a caller. */
  readonly rowFilters: (context: Context) => RowFilter;
  /** Finds which files the caller may read, of those that exist. */
  readonly readableFiles: (ids: readonly string[], context: Context) => Promise<ReadonlySet<string>>;
}

/** The parts of a database that a context has. */
type ContextDatabase = Pick<Database, 'readerOf' | 'writerOf' | 'transaction'> & {
  readonly prisma: Prisma.TransactionClient;
};

/** What differs from one context to another; the rest follows from the database and the caller. */
type ContextParts = Pick<Context, 'caller' | 'storage' | 'requestId'> &
  Partial<Omit<Context, 'db' | 'unscopedDb' | 'reader' | 'readerOf' | 'writer' | 'writerOf' | 'transaction'>>;

/** Creates a context. Without a mailer it sends no email. */
export function createContext(database: ContextDatabase, parts: ContextParts): Context {
  const { prisma, readerOf, writerOf, transaction } = database;
  const { models, rowFilters } = parts.storage;
  const writer = writerOf(models);
  const { caller, at } = parts;
  const { kind, companyId, userId } = caller;
  let filterOf: RowFilter | undefined;
  const context: Context = {
    mailer: noMailer,
    ip: '',
    refusedFields: new Set(),
    ...parts,
    unscopedDb: prisma,
    readerOf,
    writer,
    writerOf,
    transaction,
    db: tenantClient({ prisma, writer }, companyId, at),
    reader: readerOf({
      models,
      companyId,
      memberId: kind === 'session' ? userId : undefined,
      // Most requests read no type that has one.
      filterOf: (model, type) => (filterOf ??= rowFilters(context))(model, type),
    }),
  };
  return context;
}

/** The id of the user that a request runs as, the default for users left out of a body. */
export const callerId = ({ caller }: Pick<Context, 'caller'>): string => caller.userId;

/** The time of a write. */
export const timeOf = ({ at }: Context): Date => at ?? new Date();

/**
 * The context of a request whose caller is known.
 *
 * @param options `isShared` where what it reads is sent to others with the same rights too: there are no links then, as
 *   they end with the token or session of one caller
 */
export const contextOf = (
  { caller, rateLimit, id, ip, sortedIds, countRows, server }: FastifyRequest,
  database: Database,
  { isShared = false } = {},
): Context => {
  const { mailer, webhookHosts, storage, files, fileLinks } = server;
  const ofServer = { mailer, webhookHosts, storage, files, ...(!isShared && { fileLinks }) };
  return createContext(database, { ...ofServer, caller, rateLimit, countRows, requestId: id, ip, sortedIds });
};

/** Lets a request sort the list that it reads page by page only once, until the response has ended. */
export function sortOnce(request: FastifyRequest, { raw }: FastifyReply): void {
  const sortedIds = new SortedIds(request.caller.companyId);
  request.sortedIds = sortedIds;
  raw.once('close', () => void sortedIds.close());
}

/** The same request as one of a guest of a company, whoever makes it. */
export function asGuestOf(companyId: string, context: Context): Context {
  const { caller, unscopedDb: prisma } = context;
  const { id, timeZone, userId, rateLimit } = caller;
  return createContext(
    { ...context, prisma },
    { ...context, caller: { kind: 'guest', id, companyId, timeZone, userId, scopes: [], rateLimit } },
  );
}

/** The requester of a request's statements: its caller or, until that is known, its address. */
export function requesterOf({ caller, ip, id, deadline, budget, operation }: FastifyRequest): Requester {
  // Undefined before `authenticate`, although its type says otherwise.
  const known = caller as Caller | undefined;
  const name = known ? `${known.kind}:${known.id}` : ip;
  return {
    company: known?.companyId ?? '',
    caller: name,
    actor: known && { ...actorOf(known, id), ...(operation.span && { traceparent: operation.span.traceparent }) },
    signal: deadline,
    budget,
    operation,
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
export const inTransaction = <T>({ transaction }: Pick<Context, 'transaction'>, work: () => Promise<T>): Promise<T> =>
  transaction(work);

/** Passes the result of work through a transaction that is rolled back. */
class TakenBack extends Error {
  constructor(readonly result: unknown) {
    super('What the work has written is taken back.');
  }
}

/**
 * Runs work in a transaction, and takes back what it has written unless its result is to be kept.
 *
 * @returns the result of the work
 */
export async function inTransactionIf<T>(
  context: Pick<Context, 'transaction'>,
  keeps: (result: T) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await inTransaction(context, async () => {
      const result = await work();
      if (!keeps(result)) throw new TakenBack(result);
      return result;
    });
  } catch (error) {
    // Only the work above throws one, as each that is inside it is caught there.
    if (error instanceof TakenBack) return error.result as T;
    throw error;
  }
}
