import { createHash } from 'node:crypto';
import { prismaAdapter } from 'better-auth/adapters/prisma';
import { betterAuth } from 'better-auth/minimal';
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth';
import { twoFactor } from 'better-auth/plugins/two-factor';
import type { FastifyBaseLogger } from 'fastify';
import type { PrismaClient } from '../../database/generated/client/client.ts';
import type { Database } from '../../database/index.ts';
import { type Secrets, signAgain } from './cookie.ts';
import { hashPassword, verifyHash } from './hash-passwords.ts';
import { hashTokens } from './hash-tokens.ts';
import { linkOnce } from './openid-links.ts';
import { maxPasswordLength, minPasswordLength } from './passwords.ts';
import { findStartingCompanyId, maySignIn } from './people.ts';

/** better-auth's options. */
export interface AuthOptions {
  readonly database: Database;
  /** The address that people reach the service at. */
  readonly publicUrl: string;
  /** The first one signs the cookies and encrypts; the others are accepted too. */
  readonly secrets: Secrets;
  readonly log: FastifyBaseLogger;
}

/** The prefix of our routes, and of better-auth's, which only our routes call. */
export const basePath = '/auth';

const daySeconds = 24 * 3600;
/** How long a session lasts after it was created or extended. */
export const sessionSeconds = 7 * daySeconds;
/** How long after it was created or extended a session is extended by its next request. */
export const sessionUpdateAgeSeconds = daySeconds;

/** better-auth on our tables. */
export type Auth = ReturnType<typeof createAuth>;

/** The cookies that better-auth signs: of the session, and of sign-ins that wait for the OpenID provider or a code. */
const signedCookies = ['session_token', 'state', 'two_factor'];

/**
 * Sets up better-auth on our tables. With a provider it requests the provider's discovery document at once.
 *
 * @param provider the OpenID provider, if people can sign in with one, with its issuer, without a slash at its end
 */
export function createAuth(
  { database, publicUrl, secrets, log }: AuthOptions,
  provider?: GenericOAuthConfig & { readonly issuer: string },
) {
  const { prisma } = database;
  const tables = hashTokens(prismaAdapter(prisma, { provider: 'postgresql' }));
  const useSecureCookies = !isHttpOnThisMachine(publicUrl);
  const auth = betterAuth({
    appName: 'Premises',
    baseURL: `${publicUrl}${basePath}`,
    basePath,
    secrets: secrets.map((value) => ({ version: versionOf(value), value })),
    trustedOrigins: [new URL(publicUrl).origin],
    database: provider ? linkOnce(database, provider.issuer, tables) : tables,
    user: { modelName: 'person', fields: { name: 'fullName' } },
    session: {
      fields: { userId: 'personId' },
      additionalFields: { companyId: { type: 'string', required: false, input: false } },
      expiresIn: sessionSeconds,
      updateAge: sessionUpdateAgeSeconds,
    },
    account: {
      fields: { userId: 'personId' },
      // The provider only identifies people, so its tokens are not stored.
      updateAccountOnSignIn: false,
    },
    // Admins create users; there is no sign-up.
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: minPasswordLength,
      maxPasswordLength: maxPasswordLength,
      password: { hash: hashPassword, verify: verifyHash },
    },
    plugins: [
      twoFactor({
        schema: { twoFactor: { fields: { userId: 'personId' } } },
        // Failures are counted with those of passwords, so that nobody can lock a person out of a known browser.
        accountLockout: { enabled: false },
      }),
      ...(provider ? [genericOAuth({ config: [provider] })] : []),
    ],
    databaseHooks: {
      session: {
        create: {
          before: async (session) => {
            await prisma.session.deleteMany({ where: { expiresAt: { lt: new Date() } } });
            await endOldestSessions(prisma, session.userId);
            if (!(await maySignIn(prisma, session.userId))) return false;
            const companyId = await findStartingCompanyId(prisma, session.userId);
            // A session that replaces another one stays in its company.
            return { data: { ...session, companyId: (session as { companyId?: string }).companyId ?? companyId } };
          },
        },
      },
      account: {
        create: {
          before: async ({ userId, providerId, accountId, password }) => ({
            data: { userId, providerId, accountId, password, ...noProviderTokens },
          }),
        },
      },
    },
    advanced: {
      cookiePrefix,
      useSecureCookies,
      // Our tables lack its columns for pictures and for the provider's tokens.
      database: { generateId: false, validateSchema: false },
      ipAddress: { ipAddressHeaders: [clientIpHeader] },
      // In tests it would skip the origin check by default.
      disableOriginCheck: false,
    },
    // brute-force.ts counts attempts exactly across all instances.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Database errors are handled as in all other routes.
    onAPIError: { throw: true, errorURL: `${publicUrl}/sign-in` },
    logger: {
      level: 'warn',
      log: (level, message, ...details: unknown[]) => {
        const err = details.find((detail) => detail instanceof Error);
        log.debug({ err, level }, `sign-in: ${message}`);
      },
    },
  });
  const names = signedCookies.map((name) => `${useSecureCookies ? '__Secure-' : ''}${cookiePrefix}.${name}`);
  return {
    ...auth,
    /** Answers a request, whichever of the secrets has signed its cookies. */
    handler(request: Request): Promise<Response> {
      const cookie = request.headers.get('cookie');
      if (cookie !== null) request.headers.set('cookie', signAgain(cookie, names, secrets));
      return auth.handler(request);
    },
  };
}

const cookiePrefix = 'premises';

/** Names the secret that encrypted something, for better-auth: the same number wherever the secret is configured. */
export const versionOf = (secret: string): number =>
  createHash('sha256').update(`version ${secret}`).digest().readUInt32BE();

/** Maximum number of a person's sessions; a new one ends the oldest. */
const maxSessions = 20;

async function endOldestSessions(prisma: PrismaClient, personId: string): Promise<void> {
  const kept = await prisma.session.findMany({
    where: { personId },
    orderBy: { createdAt: 'desc' },
    take: maxSessions - 1,
    select: { id: true },
  });
  await prisma.session.deleteMany({ where: { personId, id: { notIn: kept.map(({ id }) => id) } } });
}

/** The header that passes the client's IP address, as TRUST_PROXY resolves it, to better-auth. */
export const clientIpHeader = 'x-premises-address';

const noProviderTokens = {
  accessToken: undefined,
  refreshToken: undefined,
  idToken: undefined,
  accessTokenExpiresAt: undefined,
  refreshTokenExpiresAt: undefined,
  scope: undefined,
};

/** Whether an address is one where browsers keep secure cookies without HTTPS. */
export function isHttpOnThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
