import {
  CompanyTokensDocument,
  type CreateApiTokenInput,
  CreateTokenDocument,
  GrantableScopesDocument,
  MyTokensDocument,
  RevokeTokenDocument,
  SetTokenRateLimitDocument,
  type TokenFragment,
} from './generated/graphql.ts';
import { execute } from './graphql.ts';

/** An API token as its owner and admins see it, without its secret. */
export type ApiToken = TokenFragment;

export const listMyTokens = async () => (await execute(MyTokensDocument)).tokens;

/** Lists the tokens of every member of the company, for admins. */
export const listCompanyTokens = async () => (await execute(CompanyTokensDocument)).tokens;

/** Lists the scopes that the signed-in person can grant to a token. */
export const listGrantableScopes = async () => (await execute(GrantableScopesDocument)).me.grantableScopes;

/** @returns the token's secret, which cannot be read again */
export const createToken = async (input: CreateApiTokenInput) =>
  (await execute(CreateTokenDocument, { input })).createApiToken.token;

export const revokeToken = (id: string) => execute(RevokeTokenDocument, { id });

/** @param rateLimit requests per hour; null for the service's default */
export const setTokenRateLimit = (id: string, rateLimit: number | null) =>
  execute(SetTokenRateLimitDocument, { id, rateLimit });
