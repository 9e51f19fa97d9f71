import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Database } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { type Access, needsSession, refusal } from './access.ts';
import type { Caller } from './caller.ts';
import type { Limiter, Window } from './limits.ts';
import { findCaller as findTokenCaller } from './tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set on every route that needs a caller before its handler runs. */
    caller: Caller;
  }
  interface FastifyContextConfig {
    /** What a route needs of its caller; a token or a session of any kind when it does not say. */
    access?: Access;
    /** Whether a signed-in session may call besides tokens. */
    sessions?: boolean;
  }
}

/** What finding out who calls, and whether they may call again, depends on. */
export interface AuthDependencies {
  readonly database: Database;
  readonly limiter: Limiter;
  readonly rateLimits: Config['rateLimits'];
  /** Finds the session of a request that a page of our own sent, and may extend it in the reply. */
  readonly findSession?: (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;
}

/**
 * Makes the hook that finds a request's caller and counts the request (spec §5, §8). A request without a valid token
 * or session counts against its address.
 */
export function authenticate(authDependencies: AuthDependencies) {
  const { limiter, rateLimits } = authDependencies;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const caller = await findCaller(request, reply, authDependencies);
    const window = caller
      ? await limiter.take(`${caller.kind}:${caller.id}`, caller.rateLimit)
      : await limiter.take(`anonymous:${request.ip}`, rateLimits.public);
    tellLimits(reply, window);
    if (!window.allowed)
      throw new ServiceError('RATE_LIMITED', `Too many requests; try again in ${window.retryAfter} seconds.`);
    if (!caller) throw refuseAnonymous(request);
    request.caller = caller;
  };
}

/** The token in a request's `Authorization`, if there is one. */
const bearer = ({ headers }: FastifyRequest) => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** Who calls, or null. Whoever sends a token speaks for it alone. */
async function findCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { database, rateLimits, findSession }: AuthDependencies,
): Promise<Caller | null> {
  const { access, sessions } = request.routeOptions.config;
  if (access === 'public') return guest(request, rateLimits.public);
  const token = bearer(request);
  if (token) return findTokenCaller(database, token, rateLimits.token);
  return sessions && findSession ? findSession(request, reply) : null;
}

/** Somebody without an account, who is known by their address and belongs to no company. */
const guest = ({ ip }: FastifyRequest, rateLimit: number): Caller => ({
  kind: 'guest',
  id: ip,
  companyId: nobody,
  userId: nobody,
  scopes: [],
  rateLimit,
});
const nobody = '00000000-0000-0000-0000-000000000000';

function refuseAnonymous(request: FastifyRequest): ServiceError {
  const { access } = request.routeOptions.config;
  if (bearer(request)) return new ServiceError('INVALID_TOKEN', 'The API token is not valid.');
  if (access && needsSession(access)) return refusal({ kind: 'guest' }, access);
  return new ServiceError('INVALID_TOKEN', 'An API token is needed: Authorization: Bearer <token>.');
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
