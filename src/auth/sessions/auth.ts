import { prismaAdapter } from 'better-auth/adapters/prisma';
import { betterAuth } from 'better-auth/minimal';
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth';
import type { FastifyBaseLogger } from 'fastify';
import type { PrismaClient } from '../../database/generated/client/client.ts';
import { longestPassword, shortestPassword } from './passwords.ts';
import { startingCompany } from './people.ts';

/** What the library works with. */
export interface AuthFoundation {
  readonly prisma: PrismaClient;
  /** The address people reach the service at. */
  readonly publicUrl: string;
  /** Signs the cookies. */
  readonly secret: string;
  readonly log: FastifyBaseLogger;
}

/** Where the library's addresses begin. They are called from here; a few of them have an address of ours. */
export const basePath = '/auth';

/** The library's name for the OpenID provider. */
export const oidcId = 'oidc';

export const day = 24 * 3600;
/** How long (s) a session lasts after it was last extended. */
export const sessionLength = 7 * day;
/** A session is extended once it is this old (s). */
export const extendAfter = day;

/** The library that signs people in, over our tables. */
export type Auth = ReturnType<typeof makeAuth>;

/**
 * Sets the library up: what it may do, how long, and in which tables. It asks an OpenID provider at once what it offers.
 * @param provider the OpenID provider, if people may come from there
 */
export function makeAuth({ prisma, publicUrl, secret, log }: AuthFoundation, provider?: GenericOAuthConfig) {
  return betterAuth({
    appName: 'Premises',
    baseURL: `${publicUrl}${basePath}`,
    basePath,
    secret,
    trustedOrigins: [new URL(publicUrl).origin],
    database: prismaAdapter(prisma, { provider: 'postgresql' }),
    user: { modelName: 'person', fields: { name: 'fullName' } },
    session: {
      fields: { userId: 'personId' },
      additionalFields: { companyId: { type: 'string', required: false, input: false } },
      expiresIn: sessionLength,
      updateAge: extendAfter,
    },
    account: {
      fields: { userId: 'personId' },
      // Whom the provider knows is all that is asked of it, so its tokens are not kept.
      updateAccountOnSignIn: false,
    },
    // People are made by an admin, so nobody signs up.
    emailAndPassword: {
      enabled: true,
      disableSignUp: true,
      minPasswordLength: shortestPassword,
      maxPasswordLength: longestPassword,
    },
    plugins: provider ? [genericOAuth({ config: [provider] })] : [],
    databaseHooks: {
      session: {
        create: {
          // Whoever belongs to no company has nothing to sign in to.
          before: async (session) => {
            await prisma.session.deleteMany({ where: { expiresAt: { lt: new Date() } } });
            const companyId = await startingCompany(prisma, session.userId);
            return companyId === undefined ? false : { data: { ...session, companyId } };
          },
        },
      },
      account: {
        create: {
          before: async ({ userId, providerId, accountId, password }) => ({
            data: { userId, providerId, accountId, password, ...withoutTokens },
          }),
        },
      },
    },
    advanced: {
      cookiePrefix: 'premises',
      useSecureCookies: !isHttpOnThisMachine(publicUrl),
      // Pictures and the provider's tokens, which it would have columns for, are nothing we keep.
      database: { generateId: false, validateSchema: false },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      // The library would not check where requests come from in tests.
      disableOriginCheck: false,
    },
    // Guesses are counted by us, exactly over all instances.
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    // Failures of the database go the way of all errors.
    onAPIError: { throw: true, errorURL: `${publicUrl}/sign-in` },
    logger: {
      level: 'warn',
      log: (level, message, ...details: unknown[]) => {
        const err = details.find((detail) => detail instanceof Error);
        log.debug({ err, level }, `sign-in: ${message}`);
      },
    },
  });
}

/** Tells the library the caller's address, which we know better than it. */
export const addressHeader = 'x-premises-address';

const withoutTokens = {
  accessToken: undefined,
  refreshToken: undefined,
  idToken: undefined,
  accessTokenExpiresAt: undefined,
  refreshTokenExpiresAt: undefined,
  scope: undefined,
};

/** Whether an address is one of those at which browsers keep secure things without HTTPS. */
export function isHttpOnThisMachine(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
