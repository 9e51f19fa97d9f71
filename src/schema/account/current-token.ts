import { accessError } from '../../auth/access.ts';
import type { RateLimitStatus } from '../../auth/limits.ts';
import { listTokens, type TokenDetails } from '../../auth/tokens.ts';
import { column, defineOperation, defineType } from '../../resource/index.ts';
import { Company } from '../people/company.ts';
import { User } from '../people/user.ts';

const CurrentApiToken = defineType((kit) => {
  const { builder } = kit;
  const Owner = builder.objectRef<TokenDetails['owner']>('CurrentApiTokenUser').implement({
    description: 'The user that the token acts on behalf of.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the user.', extensions: { stored: User.roles.key } }),
      ...kit.columnFields(t, User, ['fullName', 'email']),
    }),
  });

  const Workplace = builder.objectRef<TokenDetails['company']>('CurrentApiTokenCompany').implement({
    description: 'The company that the token accesses, or its sandbox.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the company.', extensions: { stored: Company.roles.key } }),
      ...kit.columnFields(t, Company, ['name', 'slug']),
    }),
  });

  const RateLimit = builder.objectRef<RateLimitStatus>('CurrentApiTokenRateLimit').implement({
    description: 'The rate limit of the token, after this request.',
    fields: (t) => ({
      limit: t.exposeInt('limit', {
        description: 'Requests that the token may make per hour.',
        extensions: { example: 100 },
      }),
      remaining: t.exposeInt('remaining', {
        description: 'Requests left in the current window.',
        extensions: { example: 97 },
      }),
      resetsAt: t.field({
        type: 'DateTime',
        description: 'End of the current window.',
        resolve: ({ resetsAt }) => new Date(resetsAt * 1000),
      }),
    }),
  });

  return builder.objectRef<CurrentToken>('CurrentApiToken').implement({
    description: 'The API token of a request.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the token.', extensions: { stored: column('ApiToken', 'id') } }),
      name: t.exposeString('name', {
        description: 'Purpose of the token.',
        extensions: { stored: column('ApiToken', 'name'), example: 'Mailroom scanner' },
      }),
      live: t.exposeBoolean('live', {
        description: 'Whether the token accesses live data. A test token accesses the sandbox.',
      }),
      user: t.expose('owner', { type: Owner, description: 'The user that the token acts on behalf of.' }),
      company: t.expose('company', { type: Workplace, description: 'The company that the token accesses.' }),
      scopes: t.field({
        type: ['String'],
        description: 'Scopes granted to the token.',
        extensions: { example: 'service_requests:read' },
        resolve: ({ scopes }) => [...scopes],
      }),
      rateLimit: t.expose('status', { type: RateLimit, description: 'The rate limit of the token.' }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time the token expires. Null if it does not expire.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time the token was created.',
        resolve: ({ createdAt }) => createdAt,
      }),
    }),
  });
});

/**
 * The API token that a request is made with, so that an app can find out what it may do and as whom. Functions on
 * tokens take the company explicitly, as a company's test tokens belong to its sandbox.
 */
export const currentApiToken = defineOperation({
  action: 'read',
  rest: true,
  field: 'currentApiToken',
  path: '/token',
  access: 'token',
  tag: { name: 'API token', description: 'The API token of a request.' },
  type: 'CurrentApiToken',
  words: { one: 'the current API token' },
  description: 'Get the API token that the request is made with.',
  returns: CurrentApiToken,
  async run(_args, { unscopedDb, caller, rateLimit: status }): Promise<CurrentToken> {
    const [token] = await listTokens(unscopedDb, caller, { id: caller.id });
    // It was deleted after the request was authenticated.
    if (!token || !status) throw accessError({ kind: 'guest' }, 'token');
    return { ...token, status };
  },
});

interface CurrentToken extends TokenDetails {
  readonly status: RateLimitStatus;
}
