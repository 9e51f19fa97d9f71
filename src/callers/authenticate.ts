import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import { ServiceError } from '../schema/resource/errors.ts';
import type { Caller } from './caller.ts';
import type { Limiter, Window } from './limits.ts';
import { findCaller } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set on every route that needs a caller before its handler runs. */
    caller: Caller;
  }
}

/** What finding out who calls, and whether they may call again, depends on. */
export interface Reception {
  readonly database: Database;
  readonly limiter: Limiter;
  readonly rateLimits: Config['rateLimits'];
}

/**
 * Makes the hook that finds a request's caller and counts the request (spec §5, §8). A request without a valid
 * token counts against its address.
 */
export function authenticate({ database, limiter, rateLimits }: Reception) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const caller = token ? await findCaller(database, token, rateLimits.token) : null;
    const window = caller
      ? await limiter.take(`token:${caller.id}`, caller.rateLimit)
      : await limiter.take(`stranger:${request.ip}`, rateLimits.public);
    tellLimits(reply, window);
    if (!window.allowed) throw new ServiceError('RATE_LIMITED', `Too many requests; try again in ${window.retryAfter} seconds.`);
    if (!caller) {
      reply.header('www-authenticate', 'Bearer');
      throw new ServiceError('INVALID_TOKEN', token ? 'The API token is not valid.' : 'An API token is needed: Authorization: Bearer <token>.');
    }
    request.caller = caller;
  };
}

/** Tells the caller where it stands, in the spec's headers (§8) and in the IETF's. */
function tellLimits(reply: FastifyReply, { limit, remaining, resetsAt, allowed, retryAfter }: Window): void {
  reply.headers({
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': resetsAt,
    'ratelimit-policy': `"hour";q=${limit};w=3600`,
    ratelimit: `"hour";r=${remaining};t=${Math.min(3600, Math.max(0, resetsAt - Math.floor(Date.now() / 1000)))}`,
    ...(!allowed && { 'retry-after': retryAfter }),
  });
}
