import { AsyncLocalStorage } from 'node:async_hooks';
import type { Config } from '../../config.ts';
import { type Auth, type AuthOptions, createAuth } from './auth.ts';
import { type Identity, oidcProviderId, subjectAt } from './openid-links.ts';

type Provider = NonNullable<Config['oidc']>;

/** How long a provider may take to respond to discovery. */
const discoveryTimeoutMs = 10_000;

/**
 * Sets better-auth up with an OpenID provider, when it is first needed: the service starts without the provider.
 *
 * @returns a function that rejects while the provider is out of reach or reports another issuer, and tries again when
 * it is called again
 */
export function createOidcAuth(options: AuthOptions, provider: Provider): () => Promise<Auth> {
  let connected: Promise<Auth> | undefined;
  return () =>
    (connected ??= connect(options, provider).catch((error: unknown) => {
      connected = undefined;
      throw error;
    }));
}

/** Receives what the provider says during the callback that is being handled. */
const currentIdentity = new AsyncLocalStorage<(identity: Identity) => void>();

/** Handles a callback. @returns its result, and what the provider has said, if anything */
export async function identify<T>(handle: () => Promise<T>): Promise<{ result: T; identity: Identity | undefined }> {
  let identity: Identity | undefined;
  const result = await currentIdentity.run((found) => (identity = found), handle);
  return { result, identity };
}

async function connect(options: AuthOptions, { issuer, clientId, clientSecret, name }: Provider): Promise<Auth> {
  const withoutSlash = issuer.replace(/\/$/, '');
  const auth = createAuth(options, {
    issuer: withoutSlash,
    providerId: oidcProviderId,
    name,
    discoveryUrl: `${withoutSlash}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    tokenEndpointAuth: { method: 'client_secret_basic' },
    scopes: ['openid', 'email', 'profile'],
    requireIdTokenVerification: true,
    // Only people that an admin has created can sign in.
    disableSignUp: true,
    accountSubject: ({ profile: { sub } }) => (sub ? subjectAt(withoutSlash, sub) : ''),
    mapProfileToUser({ sub, email, email_verified: verified }) {
      // Some providers send it as text.
      const emailVerified = verified === true || verified === 'true';
      const verifiedEmail = emailVerified && typeof email === 'string' ? email.toLowerCase() : undefined;
      currentIdentity.getStore()?.({ subject: subjectAt(withoutSlash, sub ?? ''), verifiedEmail });
      return { emailVerified };
    },
  });
  const { socialProviders } = await withTimeout(auth.$context);
  const found = socialProviders.find(({ id }) => id === oidcProviderId);
  if (!found) throw new Error(`The OpenID provider ${issuer} did not respond to discovery.`);
  // Without an ID token better-auth would believe what the provider's user info says.
  const { getUserInfo } = found;
  found.getUserInfo = async (tokens) => (tokens.idToken ? getUserInfo(tokens) : null);
  if (found.issuer?.replace(/\/$/, '') !== withoutSlash)
    throw new Error(`The OpenID provider at ${issuer} reports the issuer ${found.issuer}.`);
  return auth;
}

function withTimeout<T>(promise: Promise<T>): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error('The OpenID provider does not respond.')), discoveryTimeoutMs).unref(),
    ),
  ]);
}

/** Why signing in at the provider failed; the sign-in page gets it as `?error=`. */
export type OidcError =
  | 'not_a_member'
  | 'email_not_verified'
  | 'another_identity'
  | 'provider_unavailable'
  | 'cancelled'
  | 'failed';

/** Translates an error code of better-auth or of the provider. */
export function toOidcError(code: string): OidcError {
  return oidcErrors[code] ?? 'failed';
}

const oidcErrors: Record<string, OidcError> = {
  signup_disabled: 'not_a_member',
  unable_to_create_session: 'not_a_member',
  account_not_linked: 'email_not_verified',
  unable_to_link_account: 'another_identity',
  email_not_found: 'email_not_verified',
  access_denied: 'cancelled',
};
