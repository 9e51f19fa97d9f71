import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import { noLongerValid, ServiceError } from '../errors.ts';
import { nilUuid } from '../formats.ts';
import { type Access, accessError, needsSession } from './access.ts';
import type { Caller } from './caller.ts';
import type { Limiter, RateLimitStatus } from './limits.ts';
import { linkOf } from './link-callers.ts';
import { assertNamedCompany, assertNamedPerson } from './named-company.ts';
import { networkOf } from './network.ts';
import type { TokenCallers } from './token-callers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller; set before the handler runs, on every route that requires one. */
    caller: Caller;
    /** The caller's rate limit after this request; set with the caller. */
    rateLimit: RateLimitStatus;
    /** Counts the bytes of a response to a request by a signed link. @throws ServiceError RATE_LIMITED */
    countBytes?: (bytes: number) => Promise<void>;
  }
  interface FastifyContextConfig {
    /** What a route requires of its caller; by default any token or session. */
    access?: Access;
    /** Whether a signed-in session may call, besides tokens. */
    sessions?: boolean;
  }
}

/** What authenticating and counting a request depends on. */
export interface AuthDependencies {
  readonly tokens: TokenCallers;
  readonly limiter: Limiter;
  readonly rateLimits: Config['rateLimits'];
  /** Finds the session of a request from one of our own pages; may extend the session in the reply. */
  readonly findSession?: (request: FastifyRequest, reply: FastifyReply) => Promise<Caller | null>;
  /** Finds the caller of a request that comes by a signed link. */
  readonly findLinked?: (request: FastifyRequest, link: string) => Promise<Caller | null>;
}

/** How many bytes a request by a signed link counts as at least: what else it costs. */
const leastBytes = 10_000;

/**
 * Creates the hook that finds a request's caller, counts the request against the caller's rate limit and sets
 * `request.caller` and `request.rateLimit`. Requests without a valid token or session count against their network, an
 * IPv4 address or 64 bits of an IPv6 address. Requests by signed links count by bytes, as a page may show many files.
 *
 * @returns the hook, which throws ServiceError RATE_LIMITED or INVALID_TOKEN
 */
export function authenticate(dependencies: AuthDependencies) {
  const { limiter, rateLimits } = dependencies;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Most callers are remembered, and most requests are counted in memory; then nothing is awaited.
    const caller = recallCaller(request, dependencies) ?? (await findCaller(request, reply, dependencies));
    if (caller && linkOf(request) !== undefined) return admitLinked(caller, request, reply);
    const limit = rateLimitOf(caller, request, rateLimits);
    const status = limiter.take(...limit) ?? (await limiter.consume(...limit));
    setRateLimitHeaders(reply, status);
    if (!status.allowed) {
      reply.header('retry-after', status.retryAfter);
      throw new ServiceError('RATE_LIMITED', `Too many requests; try again in ${status.retryAfter} seconds.`);
    }
    if (!caller) throw unauthenticated(request);
    if (rateLimits.company !== undefined && caller.kind !== 'guest')
      await countForCompany(caller.companyId, rateLimits.company, reply).catch(async (error: unknown) => {
        // A request that is refused does not count.
        await limiter.refund(...limit);
        setRateLimitHeaders(reply, { ...status, remaining: status.remaining + 1 });
        throw error;
      });
    // A guest is of no company.
    if (caller.kind !== 'guest') {
      assertNamedCompany(request, caller);
      assertNamedPerson(request, caller);
    }
    request.caller = caller;
    request.rateLimit = status;
    request.countRows = (rows) => countRows(caller.companyId, rows, reply);
  };

  /** Sets the caller of a request by a signed link. @throws ServiceError RATE_LIMITED after too many bytes */
  async function admitLinked(caller: Caller, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const countBytes = async (bytes: number) => {
      if (bytes <= 0) return;
      // In units that the counts of very high limits have room for.
      const [limit, units] = [Math.ceil(rateLimits.bytes / 1000), Math.ceil(bytes / 1000)];
      const { allowed, retryAfter } = await limiter.consume(`bytes:${caller.kind}:${caller.id}`, limit, units);
      if (allowed) return;
      reply.header('retry-after', retryAfter);
      const message = `Too many bytes by signed links; try again in ${retryAfter} seconds.`;
      throw new ServiceError('RATE_LIMITED', message);
    };
    const status = await limiter.peek(...rateLimitOf(caller, request, rateLimits));
    setRateLimitHeaders(reply, status);
    await countBytes(leastBytes);
    request.caller = caller;
    request.rateLimit = status;
    request.countBytes = (bytes) => countBytes(bytes - leastBytes);
  }

  /** @throws ServiceError RATE_LIMITED when the company may not write so many rows in this hour */
  async function countRows(companyId: string, rows: number, reply: FastifyReply): Promise<void> {
    if (rows === 0) return;
    const { allowed, limit, remaining, resetsAt, retryAfter } = await limiter.consume(
      `rows:${companyId}`,
      rateLimits.rows,
      rows,
    );
    reply.headers({
      'x-rowlimit-limit': limit,
      'x-rowlimit-remaining': remaining,
      'x-rowlimit-reset': resetsAt,
    });
    if (allowed) return;
    reply.header('retry-after', retryAfter);
    const message = `Your company can write ${remaining} more rows at once in this hour; try again in ${retryAfter} seconds.`;
    throw new ServiceError('RATE_LIMITED', message);
  }

  /** @throws ServiceError RATE_LIMITED when the limit of the whole company is used up */
  async function countForCompany(companyId: string, limit: number, reply: FastifyReply): Promise<void> {
    const { allowed, retryAfter } = await limiter.consume(`company:${companyId}`, limit);
    if (allowed) return;
    reply.header('retry-after', retryAfter);
    throw new ServiceError('RATE_LIMITED', `Too many requests of your company; try again in ${retryAfter} seconds.`);
  }
}

/**
 * Creates the function that finds the caller of a long-running request again, without counting the request.
 *
 * @returns a function that returns whether the caller is still valid, and updates `request.caller`
 */
export function checkCaller(dependencies: AuthDependencies) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const caller = await findCaller(request, reply, dependencies);
    // A session may have changed to another company meanwhile.
    if (caller?.companyId !== request.caller.companyId) return false;
    request.caller = caller;
    return true;
  };
}

/**
 * Creates the function that finds the caller of a long-running request again as `checkCaller` does, and throws if it is
 * no longer valid.
 *
 * @returns a function that throws ServiceError INVALID_TOKEN
 */
export function assertCaller(dependencies: AuthDependencies) {
  const isValid = checkCaller(dependencies);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (!(await isValid(request, reply))) throw noLongerValid();
  };
}

/**
 * Creates the hook that sets the rate limit headers of a response that does not count, such as to OPTIONS. The headers
 * are left out while the limit cannot be read.
 */
export function showRateLimit(dependencies: AuthDependencies) {
  const { limiter, rateLimits } = dependencies;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (reply.statusCode >= 500) return;
    try {
      const caller = await findCaller(request, reply, dependencies);
      setRateLimitHeaders(reply, await limiter.peek(...rateLimitOf(caller, request, rateLimits)));
    } catch (error) {
      request.log.warn({ err: error }, 'rate limit not shown');
    }
  };
}

/** The key that a request counts under, and the requests per hour that it may make. */
const rateLimitOf = (
  caller: Caller | null,
  { ip, method }: FastifyRequest,
  rateLimits: Config['rateLimits'],
): [key: string, limit: number] =>
  caller
    ? [`${keyOf(caller, method)}:${caller.id}`, caller.rateLimit]
    : [`anonymous:${networkOf(ip)}`, rateLimits.public];

/** Guests' lookups count apart from what they register. */
const keyOf = ({ kind }: Caller, method: string) => (kind === 'guest' && isRead(method) ? 'lookup' : kind);

const isRead = (method: string) => method === 'GET' || method === 'HEAD';

/** The token in a request's `Authorization` header, if there is one. */
const bearerToken = ({ headers }: FastifyRequest) => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];

/** The caller of a request with a token that was looked up a moment ago. */
function recallCaller(request: FastifyRequest, { tokens }: AuthDependencies): Caller | undefined {
  const isOther = request.routeOptions.config.access === 'public' || linkOf(request) !== undefined;
  const token = isOther ? undefined : bearerToken(request);
  return token === undefined ? undefined : tokens.recall(token);
}

/**
 * Finds the caller, or null. A request with a token is never treated as one with a session, nor one with a link as one
 * with either.
 */
async function findCaller(
  request: FastifyRequest,
  reply: FastifyReply,
  { tokens, rateLimits, findSession, findLinked }: AuthDependencies,
): Promise<Caller | null> {
  const { access, sessions } = request.routeOptions.config;
  if (access === 'public') return guestCaller(request, rateLimits);
  const link = linkOf(request);
  if (link !== undefined) return findLinked ? findLinked(request, link) : null;
  const token = bearerToken(request);
  if (token) return tokens.find(token);
  return sessions && findSession ? findSession(request, reply) : null;
}

/** The caller of a public route: identified by network, in no company. */
const guestCaller = ({ ip, method }: FastifyRequest, rateLimits: Config['rateLimits']): Caller => ({
  kind: 'guest',
  id: networkOf(ip),
  companyId: nilUuid,
  timeZone: 'UTC',
  userId: nilUuid,
  scopes: [],
  rateLimit: isRead(method) ? rateLimits.lookup : rateLimits.public,
});

/** The error for a request without a caller; it names the expected authentication. */
function unauthenticated(request: FastifyRequest): ServiceError {
  const { access } = request.routeOptions.config;
  if (linkOf(request) !== undefined) return new ServiceError('INVALID_TOKEN', 'The link is not valid, or has expired.');
  if (bearerToken(request)) return new ServiceError('INVALID_TOKEN', 'The API token is not valid.');
  if (access && needsSession(access)) return accessError({ kind: 'guest' }, access);
  return new ServiceError('INVALID_TOKEN', 'An API token is required: Authorization: Bearer <token>.');
}

const setRateLimitHeaders = (reply: FastifyReply, status: RateLimitStatus): void =>
  void reply.headers(rateLimitHeaders(status));

/** The `X-RateLimit-*` headers and those of the IETF draft. */
const rateLimitHeaders = ({ limit, remaining, resetsAt }: RateLimitStatus) => ({
  'x-ratelimit-limit': limit,
  'x-ratelimit-remaining': remaining,
  'x-ratelimit-reset': resetsAt,
  'ratelimit-policy': `"hour";q=${limit};w=3600`,
  ratelimit: `"hour";r=${remaining};t=${Math.min(3600, Math.max(0, resetsAt - Math.floor(Date.now() / 1000)))}`,
});

/**
 * Creates the function that reads the rate limit headers of an address from which no readable request came.
 *
 * @returns a function that rejects while the limit cannot be read
 */
export const readAddressLimit =
  ({ limiter, rateLimits }: Pick<AuthDependencies, 'limiter' | 'rateLimits'>) =>
  async (ip: string) =>
    rateLimitHeaders(await limiter.peek(`anonymous:${networkOf(ip)}`, rateLimits.public));
