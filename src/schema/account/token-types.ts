import type { TokenDetails } from '../../auth/tokens.ts';
import { defineType, lengthOf } from '../../resource/index.ts';

/** A new token, with its secret. */
export interface CreatedToken {
  readonly token: string;
  readonly apiToken: TokenDetails;
}

const ApiTokenState = defineType(({ builder }) =>
  builder.enumType('ApiTokenState', {
    description: 'Whether an API token is usable.',
    values: {
      VALID: { description: 'The token can be used.' },
      EXPIRED: { description: 'The token has expired.' },
      REVOKED: { description: 'The token was permanently revoked.' },
    },
  }),
);

const ApiTokenOwner = defineType(({ builder }) =>
  builder.objectRef<TokenDetails['owner']>('ApiTokenOwner').implement({
    description: 'The user that a token acts on behalf of.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the user.' }),
      fullName: t.exposeString('fullName', { description: 'Full name of the user.' }),
      email: t.exposeString('email', { description: 'Email address of the user.' }),
    }),
  }),
);

/** An API token, without the token itself. */
export const ApiToken = defineType((kit) => {
  const State = ApiTokenState(kit);
  const Owner = ApiTokenOwner(kit);
  return kit.builder.objectRef<TokenDetails>('ApiToken').implement({
    description:
      'A token that lets an app call the API on behalf of a user. The token itself is shown only once, when it is created.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'ID of the token.' }),
      name: t.exposeString('name', { description: 'Purpose of the token.' }),
      scopes: t.field({
        type: ['String'],
        description: 'Scopes granted to the token.',
        resolve: ({ scopes }) => [...scopes],
      }),
      lastFour: t.exposeString('lastFour', {
        nullable: true,
        description: 'Last four characters of the token. Null for tokens from before they were recorded.',
      }),
      live: t.exposeBoolean('live', {
        description: 'Whether the token accesses live data. A test token accesses the sandbox.',
      }),
      state: t.field({ type: State, description: 'Whether the token is usable.', resolve: ({ state }) => state }),
      rateLimit: t.exposeInt('rateLimit', {
        nullable: true,
        description: 'Maximum number of requests per hour. Null if the default limit applies.',
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time the token expires. Null if it does not expire.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
      lastUsedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time the token was last used, to the minute. Null if it never was.',
        resolve: ({ lastUsedAt }) => lastUsedAt,
      }),
      revokedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'Time the token was revoked. Null if it was not.',
        resolve: ({ revokedAt }) => revokedAt,
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'Time the token was created.',
        resolve: ({ createdAt }) => createdAt,
      }),
      owner: t.expose('owner', { type: Owner, description: 'The user that the token acts on behalf of.' }),
    }),
  });
});

/** A new token, with what to send. */
export const CreatedApiToken = defineType((kit) =>
  kit.builder.objectRef<CreatedToken>('CreatedApiToken').implement({
    description: 'A new token.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The token to send as `Authorization: Bearer …`. It is shown only once.',
      }),
      apiToken: t.expose('apiToken', { type: ApiToken(kit), description: 'Details of the token.' }),
    }),
  }),
);

/** What a token is created with. */
export const CreateApiTokenInput = defineType(({ builder }) =>
  builder.inputType('CreateApiTokenInput', {
    description: 'A new token.',
    fields: (t) => ({
      name: t.string({
        required: true,
        description: 'Purpose of the token.',
        extensions: lengthOf('ApiToken', 'name'),
      }),
      scopes: t.stringList({
        required: true,
        description: 'Scopes to grant. You can grant only scopes that you have.',
      }),
      live: t.boolean({
        defaultValue: true,
        description: 'Whether the token accesses live data. A test token accesses the sandbox.',
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'Time the token expires: in a year by default, and never if null.',
      }),
    }),
  }),
);
