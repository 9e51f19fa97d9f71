import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { UserRole } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import type { Caller } from '../caller.ts';
import type { Limiter } from '../limits.ts';
import { type Auth, addressHeader, basePath, extendAfter, makeAuth, sessionLength } from './auth.ts';
import { isOurs, signedCookie } from './cookie.ts';
import { oidcAuth } from './oidc.ts';
import { scopesOf } from './people.ts';
import { sharedSecret } from './secret.ts';

/** What sessions are made of. */
export interface SessionDependencies {
  readonly config: Pick<Config, 'publicUrl' | 'authSecret' | 'oidc' | 'rateLimits'>;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly log: FastifyBaseLogger;
}

/** Somebody who is signed in, in one browser. */
export interface Session {
  readonly id: string;
  readonly personId: string;
  /** The active company; null when the person is no longer in it. */
  readonly companyId: string | null;
  /** The person's role there. */
  readonly role: UserRole | null;
  readonly expiresAt: Date;
}

/** The sessions of one service. */
export interface Sessions {
  readonly auth: Auth;
  /** The same with the OpenID provider, if one is configured; rejects while it cannot be reached. */
  readonly oidc?: () => Promise<Auth>;
  /** Whether a request comes from a page of ours or is a plain navigation. */
  isOurs(request: FastifyRequest): boolean;
  /** The session that a request's cookie stands for, extended when it is old. */
  find(request: FastifyRequest, reply: FastifyReply): Promise<Session | null>;
  /** The session of that token, which the library has just made. */
  ofToken(token: string): Promise<Session | null>;
  /** Who calls with the cookie; null without a session or without an active company. */
  findCaller(request: FastifyRequest, reply: FastifyReply): Promise<Caller | null>;
}

// Every request of a page runs this, so it is said in SQL. A membership that is gone takes the company with it at once.
const findSession = {
  name: 'find-session',
  text: `
    SELECT s.id, s.person_id, s.expires_at, u.company_id, upper(u.role::text) AS role,
           s.expires_at < now() + interval '${sessionLength - extendAfter} seconds' AS is_old
    FROM sessions s LEFT JOIN users u ON u.company_id = s.company_id AND u.id = s.person_id
    WHERE s.token = $1 AND s.expires_at > now()`,
};

/** What `findSession` selects. */
interface SessionRow {
  id: string;
  person_id: string;
  expires_at: Date;
  company_id: string | null;
  role: UserRole | null;
  is_old: boolean;
}

/** Sets the sessions up; makes the secret that signs their cookies when nobody gave one. */
export async function openSessions({ config, database, log }: SessionDependencies): Promise<Sessions> {
  const { publicUrl, rateLimits } = config;
  const { origin } = new URL(publicUrl);
  const secret = config.authSecret ?? (await sharedSecret(database));
  const foundation = { prisma: database.prisma, publicUrl, secret, log };
  const auth = makeAuth(foundation);
  const { authCookies } = await auth.$context;

  async function rowOf(token: string): Promise<SessionRow | undefined> {
    const { rows } = await database.query({ ...findSession, values: [token] });
    return rows[0] as SessionRow | undefined;
  }

  async function find(request: FastifyRequest, reply: FastifyReply): Promise<Session | null> {
    if (!isOurs(request, origin)) return null;
    const token = signedCookie(request.headers.cookie, authCookies.sessionToken.name, secret);
    const row = token === undefined ? undefined : await rowOf(token);
    if (!row) return null;
    // The library does it, once a day; a request does not fail for it.
    if (row.is_old)
      await callLibrary(auth, publicUrl, request, reply, 'GET', '/get-session').catch((err: unknown) =>
        request.log.warn({ err }, 'session not extended'),
      );
    return sessionOf(row);
  }

  return {
    auth,
    oidc: config.oidc && oidcAuth(foundation, config.oidc),
    isOurs: (request) => isOurs(request, origin),
    find,
    async ofToken(token) {
      const row = await rowOf(token);
      return row ? sessionOf(row) : null;
    },
    async findCaller(request, reply) {
      const session = await find(request, reply);
      if (!session?.companyId || !session.role) return null;
      const { id, companyId, personId: userId, role } = session;
      return { kind: 'session', id, companyId, userId, role, scopes: scopesOf(role), rateLimit: rateLimits.session };
    },
  };
}

const sessionOf = ({
  id,
  person_id: personId,
  company_id: companyId,
  role,
  expires_at: expiresAt,
}: SessionRow): Session => ({ id, personId, companyId, role, expiresAt });

/**
 * Lets the library answer a request that we have looked at, and hands on the cookies it sets.
 * @throws what the database throws
 */
export async function callLibrary(
  auth: Auth,
  publicUrl: string,
  { headers, ip }: FastifyRequest,
  reply: FastifyReply,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
): Promise<Response> {
  // The address is our own: what a client says in `Host` is nothing to build one from.
  const request = new Request(`${publicUrl}${basePath}${path}`, {
    method,
    headers: {
      [addressHeader]: ip,
      origin: new URL(publicUrl).origin,
      ...(headers.cookie && { cookie: headers.cookie }),
      ...(headers['user-agent'] && { 'user-agent': headers['user-agent'].slice(0, 500) }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await auth.handler(request);
  if (response.status >= 500)
    throw new Error(`the library failed at ${path.split('?', 1)[0]}: ${await response.text()}`);
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
  return response;
}
