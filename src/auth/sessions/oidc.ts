import type { Config } from '../../config.ts';
import { type Auth, type AuthFoundation, makeAuth, oidcId } from './auth.ts';

type Provider = NonNullable<Config['oidc']>;

/** How long (ms) a provider may take to say what it offers. */
const patience = 10_000;

/**
 * Makes a function that returns the library set up with an OpenID provider. The provider is asked when somebody comes who
 * needs it, and again until it answers: the service starts without it.
 *
 * @returns a function that rejects while the provider cannot be reached or is not who it should be
 */
export function oidcAuth(foundation: AuthFoundation, provider: Provider): () => Promise<Auth> {
  let asked: Promise<Auth> | undefined;
  return () =>
    (asked ??= connect(foundation, provider).catch((error: unknown) => {
      asked = undefined;
      throw error;
    }));
}

async function connect(foundation: AuthFoundation, { issuer, clientId, clientSecret, name }: Provider): Promise<Auth> {
  const withoutSlash = issuer.replace(/\/$/, '');
  const auth = makeAuth(foundation, {
    providerId: oidcId,
    name,
    discoveryUrl: `${withoutSlash}/.well-known/openid-configuration`,
    clientId,
    clientSecret,
    tokenEndpointAuth: { method: 'client_secret_basic' },
    scopes: ['openid', 'email', 'profile'],
    requireIdTokenVerification: true,
    // Only whom an admin has made a person comes in.
    disableSignUp: true,
    // Another provider's subjects are other people.
    accountSubject: ({ profile: { sub } }) => (sub ? `${withoutSlash} ${sub}` : ''),
    // Some providers write it as text, and "false" is not true.
    mapProfileToUser: ({ email_verified: verified }) => ({ emailVerified: verified === true || verified === 'true' }),
  });
  const { socialProviders } = await withinTime(auth.$context);
  const found = socialProviders.find(({ id }) => id === oidcId);
  if (!found) throw new Error(`The OpenID provider ${issuer} did not say what it offers.`);
  if (found.issuer?.replace(/\/$/, '') !== withoutSlash)
    throw new Error(`The OpenID provider at ${issuer} calls itself ${found.issuer}.`);
  return auth;
}

function withinTime<T>(answer: Promise<T>): Promise<T> {
  return Promise.race([
    answer,
    new Promise<never>((_resolve, reject) =>
      setTimeout(() => reject(new Error('The OpenID provider does not answer.')), patience).unref(),
    ),
  ]);
}

/** What a page is told of why somebody who came back from the provider is not signed in. */
export type OidcError = 'not_a_member' | 'email_not_verified' | 'provider_unavailable' | 'cancelled' | 'failed';

/** What the library's and the provider's words for it mean to whom it happened. */
export function oidcError(code: string): OidcError {
  return known[code] ?? 'failed';
}

const known: Record<string, OidcError> = {
  signup_disabled: 'not_a_member',
  unable_to_create_session: 'not_a_member',
  account_not_linked: 'email_not_verified',
  email_not_found: 'email_not_verified',
  access_denied: 'cancelled',
};
