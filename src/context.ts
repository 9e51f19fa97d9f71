import type { FastifyRequest } from 'fastify';
import type { Caller } from './auth/caller.ts';
import type { PrismaClient } from './database/generated/client/client.ts';
import type { Database } from './database/index.ts';

/** What every resolver knows of the request it serves. */
export interface Context {
  /** Who calls; every row read or written belongs to the caller's company. */
  readonly caller: Caller;
  /** The database. Resolvers take it from here, never from a module. */
  readonly db: PrismaClient;
  /** The id that the response, the logs and `meta.request_id` carry (spec §1). */
  readonly requestId: string;
  /** The caller's address as the proxy settings let us see it. */
  readonly ip: string;
  /** Told the ETag of the one row that an operation reads or writes, where somebody wants it. */
  readonly tellEtag?: (etag: string) => void;
}

/** The user that a request runs as; whoever is not named in a body is that one. */
export const callerId = ({ caller }: Context): string => caller.userId;

/** The context of a request whose caller is known. */
export const contextOf = ({ caller, id, ip }: FastifyRequest, { prisma }: Database): Context => ({
  caller,
  db: prisma,
  requestId: id,
  ip,
});
