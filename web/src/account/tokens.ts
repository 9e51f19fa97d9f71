import { graphql } from '../api.ts';

/** An API token as its owner and admins see it: never the token itself. */
export interface ApiToken {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly live: boolean;
  readonly state: 'VALID' | 'EXPIRED' | 'REVOKED';
  readonly rateLimit: number | null;
  readonly expiresAt: string | null;
  readonly lastUsedAt: string | null;
  readonly createdAt: string;
  readonly owner: { readonly fullName: string; readonly email: string };
}

const fields = 'id name scopes live state rateLimit expiresAt lastUsedAt createdAt owner { fullName email }';

/** What a new token is to be. */
export interface NewToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly live: boolean;
  readonly expiresAt: string | null;
}

export async function listTokens(mine: boolean): Promise<ApiToken[]> {
  const { tokens } = await graphql<{ tokens: ApiToken[] }>(
    `{ tokens: ${mine ? 'myApiTokens' : 'companyApiTokens'} { ${fields} } }`,
  );
  return tokens;
}

/** Every scope that a token of whoever is signed in may hold. */
export async function grantableScopes(): Promise<string[]> {
  const { me } = await graphql<{ me: { grantableScopes: string[] } }>('{ me { grantableScopes } }');
  return me.grantableScopes;
}

/** @returns the token, which nobody can look up afterwards */
export async function createToken(input: NewToken): Promise<string> {
  const mutation = 'mutation ($input: CreateApiTokenInput!) { createApiToken(input: $input) { token } }';
  return (await graphql<{ createApiToken: { token: string } }>(mutation, { input })).createApiToken.token;
}

export async function revokeToken(id: string): Promise<void> {
  await graphql('mutation ($id: ID!) { revokeApiToken(id: $id) { id } }', { id });
}

/** @param rateLimit requests an hour; null for the service's default */
export async function limitToken(id: string, rateLimit: number | null): Promise<void> {
  await graphql(
    'mutation ($id: ID!, $rateLimit: Int) { setApiTokenRateLimit(id: $id, rateLimit: $rateLimit) { id } }',
    { id, rateLimit },
  );
}
