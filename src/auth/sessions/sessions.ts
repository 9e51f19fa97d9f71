import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config.ts';
import type { UserRole } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import type { Caller } from '../caller.ts';
import type { Limiter } from '../limits.ts';
import {
  type Auth,
  basePath,
  clientIpHeader,
  createAuth,
  isHttpOnThisMachine,
  sessionSeconds,
  sessionUpdateAgeSeconds,
} from './auth.ts';
import { isTrustedOrigin, readSignedCookie, type Secrets, serializeCookie, signCookie } from './cookie.ts';
import { createDevices, type Devices } from './devices.ts';
import { tokenHash } from './hash-tokens.ts';
import { createOidcAuth } from './oidc.ts';
import { findPasswordHash } from './passwords.ts';
import { scopesOfRole } from './people.ts';
import { loadSecret } from './secrets.ts';
import { encryptKeysAgain } from './two-factor-keys.ts';

/** What signing in depends on. */
export interface SessionDependencies {
  readonly config: Pick<Config, 'publicUrl' | 'authSecret' | 'previousAuthSecret' | 'oidc' | 'rateLimits'>;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly log: FastifyBaseLogger;
}

/** A person who is signed in, in one browser. */
export interface Session {
  readonly id: string;
  readonly personId: string;
  /** The active company; null when the person is no longer a member of it. */
  readonly companyId: string | null;
  /** That company's time zone. */
  readonly timeZone: string | null;
  /** The person's role there. */
  readonly role: UserRole | null;
  /** Whether the person signed in with OpenID, as the verified owner of the account's email address. */
  readonly isEmailVerified: boolean;
  /** When the person signed in. */
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** The sessions of the service. */
export interface Sessions {
  readonly auth: Auth;
  /** What signs cookies and encrypts the keys of authenticator apps. */
  readonly secrets: Secrets;
  /** The name of the cookie of a session. */
  readonly cookieName: string;
  /** better-auth with the OpenID provider, if one is configured; rejects while the provider is out of reach. */
  readonly oidc?: () => Promise<Auth>;
  /** The browsers in which somebody has signed in before. */
  readonly devices: Devices;
  /** Whether a request comes from one of our own pages or is a plain navigation. */
  isTrustedOrigin(request: FastifyRequest): boolean;
  /** Finds the session of a request's cookie, and extends it once a day. */
  find(request: FastifyRequest, reply: FastifyReply): Promise<Session | null>;
  /**
   * Finds the session that a response of better-auth has just created.
   *
   * @param hash of the password that the person entered: where it was replaced meanwhile, the session is ended
   */
  findCreated(response: Response, hash?: string): Promise<Session | null>;
  /** Finds the person whose sign-in waits for a code in the browser of a request. */
  findWaiting(request: FastifyRequest): Promise<string | undefined>;
  /** Finds the caller of a request by its cookie; null without a session or without an active company. */
  findCaller(request: FastifyRequest, reply: FastifyReply): Promise<Caller | null>;
  /** Finds the caller of the session with an id; null where it has ended, or another company is active in it. */
  findCallerById(of: Pick<Caller, 'id' | 'companyId'>): Promise<Caller | null>;
}

// SQL, as every request of a page runs this. A membership that has ended takes effect at once.
const findWhere = (condition: string) => ({
  isPrepared: true,
  text: `
    SELECT s.id, s.person_id, s.is_email_verified, s.created_at, s.expires_at, u.company_id, upper(u.role::text COLLATE "C") AS role, c.time_zone,
           s.expires_at < now() + interval '${sessionSeconds - sessionUpdateAgeSeconds} seconds' AS is_old
    FROM sessions s LEFT JOIN users u
      ON u.company_id = s.company_id AND u.id = s.person_id AND u.deactivated_at IS NULL
    LEFT JOIN companies c ON c.id = u.company_id
    WHERE ${condition} AND s.expires_at > now()`,
});

const findByToken = findWhere('s.token = $1');
const findById = findWhere('s.id = $1');

/** What these select. */
interface SessionRow {
  id: string;
  person_id: string;
  is_email_verified: boolean;
  created_at: Date;
  expires_at: Date;
  company_id: string | null;
  time_zone: string | null;
  role: UserRole | null;
  is_old: boolean;
}

/** Sets up sessions; without AUTH_SECRET it creates the secret that signs their cookies. */
export async function openSessions({ config, database, log }: SessionDependencies): Promise<Sessions> {
  const { publicUrl, rateLimits } = config;
  const { origin } = new URL(publicUrl);
  const secrets = await loadSecrets(config, database);
  const options = { database, publicUrl, secrets, log };
  const secure = !isHttpOnThisMachine(publicUrl);
  const auth = createAuth(options);
  const { authCookies, createAuthCookie } = await auth.$context;
  const { name } = authCookies.sessionToken;
  await encryptKeysAgain(database.prisma, secrets, log);

  async function findRow(token: string): Promise<SessionRow | undefined> {
    const { rows } = await database.query({ ...findByToken, values: [tokenHash(token)] });
    // The columns that the statement selects.
    return rows[0] as SessionRow | undefined;
  }

  function callerOf(session: Session | null): Caller | null {
    if (!session?.companyId || !session.timeZone || !session.role) return null;
    const { id, companyId, timeZone, personId: userId, role, createdAt: signedInAt } = session;
    const scopes = scopesOfRole(role);
    const rateLimit = rateLimits.session;
    return { kind: 'session', id, companyId, timeZone, userId, role, signedInAt, scopes, rateLimit };
  }

  async function find(request: FastifyRequest, reply: FastifyReply): Promise<Session | null> {
    if (!isTrustedOrigin(request, origin)) return null;
    const cookie = readSignedCookie(request.headers.cookie, name, secrets);
    const row = cookie && (await findRow(cookie.value));
    if (!row) return null;
    // better-auth extends it; a failure does not fail the request.
    if (row.is_old)
      await callBetterAuth(auth, publicUrl, request, reply, 'GET', '/get-session').catch((err: unknown) =>
        request.log.warn({ err }, 'session not extended'),
      );
    else if (!cookie.isCurrent) {
      const maxAgeSeconds = Math.floor((row.expires_at.getTime() - Date.now()) / 1000);
      const options = { path: '/', maxAgeSeconds, sameSite: 'Lax', secure } as const;
      reply.header('set-cookie', serializeCookie(name, signCookie(cookie.value, secrets), options));
    }
    return toSession(row);
  }

  return {
    auth,
    secrets,
    cookieName: name,
    oidc: config.oidc && createOidcAuth(options, config.oidc),
    devices: createDevices(secrets, secure),
    isTrustedOrigin: (request) => isTrustedOrigin(request, origin),
    find,
    async findCreated(response, hash) {
      const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';', 1)[0]);
      const cookie = readSignedCookie(cookies.join('; '), name, secrets);
      const row = cookie && (await findRow(cookie.value));
      if (!row) return null;
      if (hash === undefined || hash === (await findPasswordHash(database.prisma, { id: row.person_id })))
        return toSession(row);
      await database.prisma.session.deleteMany({ where: { id: row.id } });
      return null;
    },
    async findWaiting({ headers }) {
      const cookie = readSignedCookie(headers.cookie, createAuthCookie('two_factor').name, secrets);
      if (!cookie) return undefined;
      const where = { identifier: cookie.value, expiresAt: { gt: new Date() } };
      return (await database.prisma.verification.findFirst({ where, select: { value: true } }))?.value;
    },
    async findCaller(request, reply) {
      return callerOf(await find(request, reply));
    },
    async findCallerById({ id, companyId }) {
      const { rows } = await database.query({ ...findById, values: [id] });
      // The columns that the statement selects.
      const row = rows[0] as SessionRow | undefined;
      return row?.company_id === companyId ? callerOf(toSession(row)) : null;
    },
  };
}

/** The secret of the configuration, or else of the database, and the previous one. */
async function loadSecrets(
  { authSecret, previousAuthSecret }: SessionDependencies['config'],
  database: Database,
): Promise<Secrets> {
  const current = authSecret ?? (await loadSecret(database, 'cookies'));
  return previousAuthSecret === undefined || previousAuthSecret === current ? [current] : [current, previousAuthSecret];
}

const toSession = ({
  id,
  person_id: personId,
  company_id: companyId,
  time_zone: timeZone,
  role,
  is_email_verified: isEmailVerified,
  created_at: createdAt,
  expires_at: expiresAt,
}: SessionRow): Session => ({ id, personId, companyId, timeZone, role, isEmailVerified, createdAt, expiresAt });

/**
 * Calls a route of better-auth for a request of ours, and sets the cookies it returns in the reply.
 *
 * @throws {Error} when better-auth responds with a 5xx, and database errors
 */
export async function callBetterAuth(
  auth: Auth,
  publicUrl: string,
  { headers, ip }: Pick<FastifyRequest, 'headers' | 'ip'>,
  reply: FastifyReply,
  method: 'GET' | 'POST',
  path: string,
  body?: Record<string, unknown>,
): Promise<Response> {
  // Built from PUBLIC_URL, as `Host` is set by the client.
  const request = new Request(`${publicUrl}${basePath}${path}`, {
    method,
    headers: {
      [clientIpHeader]: ip,
      origin: new URL(publicUrl).origin,
      ...(headers.cookie && { cookie: headers.cookie }),
      ...(headers['user-agent'] && { 'user-agent': headers['user-agent'].slice(0, 500) }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const response = await auth.handler(request);
  if (response.status >= 500)
    throw new Error(`better-auth failed at ${path.split('?', 1)[0]}: ${await response.text()}`);
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie);
  return response;
}
