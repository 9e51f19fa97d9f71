import { validateName } from '../../auth/accounts.ts';
import { checkScopes, covers } from '../../auth/scopes.ts';
import { findMainCompanyId, findScopes } from '../../auth/sessions/people.ts';
import { createToken, listTokens, revokeToken, setTokenRateLimit, type TokenDetails } from '../../auth/tokens.ts';
import type { Context } from '../../context.ts';
import { type FieldErrors, InputError, notFound, validationError } from '../../errors.ts';
import { extendSchema } from '../../resource/index.ts';

/**
 * Adds what people do with API tokens. A token of a company may work on its sandbox, which is another company: so the whole
 * database is read, by functions that say whose tokens they mean.
 */
export const apiTokens = extendSchema((kit) => {
  const { builder } = kit;
  const State = builder.enumType('ApiTokenState', {
    description: 'Whether a token works.',
    values: {
      VALID: { description: 'It works.' },
      EXPIRED: { description: 'Its time is over.' },
      REVOKED: { description: 'It was revoked, for good.' },
    },
  });

  const Owner = builder.objectRef<TokenDetails['owner']>('ApiTokenOwner').implement({
    description: 'The user that a token acts as.',
    fields: (t) => ({
      id: t.exposeID('id', { description: "The user's id." }),
      fullName: t.exposeString('fullName', { description: "The user's full name." }),
      email: t.exposeString('email', { description: "The user's e-mail address." }),
    }),
  });

  const ApiToken = builder.objectRef<TokenDetails>('ApiToken').implement({
    description: 'A key that lets a program act as a user. The key itself is told once, when it is made.',
    fields: (t) => ({
      id: t.exposeID('id', { description: 'Its id, a uuid.' }),
      name: t.exposeString('name', { description: 'What it is for.' }),
      scopes: t.field({ type: ['String'], description: 'What it may do.', resolve: ({ scopes }) => [...scopes] }),
      live: t.exposeBoolean('live', {
        description: 'Whether it works on the company itself; a test token works on its sandbox.',
      }),
      state: t.field({ type: State, description: 'Whether it works.', resolve: ({ state }) => state }),
      rateLimit: t.exposeInt('rateLimit', {
        nullable: true,
        description: "Requests an hour of its own; null is the service's default.",
      }),
      expiresAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'From when on it is refused; null is never.',
        resolve: ({ expiresAt }) => expiresAt,
      }),
      lastUsedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was last used, to the minute.',
        resolve: ({ lastUsedAt }) => lastUsedAt,
      }),
      revokedAt: t.field({
        type: 'DateTime',
        nullable: true,
        description: 'When it was revoked.',
        resolve: ({ revokedAt }) => revokedAt,
      }),
      createdAt: t.field({ type: 'DateTime', description: 'When it was made.', resolve: ({ createdAt }) => createdAt }),
      owner: t.expose('owner', { type: Owner, description: 'The user it acts as.' }),
    }),
  });

  const CreatedApiToken = builder.objectRef<MadeToken>('CreatedApiToken').implement({
    description: 'A new token.',
    fields: (t) => ({
      token: t.exposeString('token', {
        description: 'The key to send as `Authorization: Bearer …`. It is told this once.',
      }),
      apiToken: t.expose('apiToken', { type: ApiToken, description: 'What stays known of it.' }),
    }),
  });

  const CreateApiTokenInput = builder.inputType('CreateApiTokenInput', {
    description: 'A new token.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'What it is for.' }),
      scopes: t.stringList({ required: true, description: 'What it may do: no more than its maker may.' }),
      live: t.boolean({
        defaultValue: true,
        description: 'Whether it works on the company itself; a test token works on its sandbox.',
      }),
      expiresAt: t.field({ type: 'DateTime', description: 'From when on it is refused; never unless given.' }),
    }),
  });

  kit.addOperation({
    ...inSession,
    action: 'list',
    field: 'myApiTokens',
    access: 'session',
    description: 'The API tokens of whoever is signed in, on the active company and its sandbox, the latest first.',
    returns: [ApiToken],
    args: (arg) => ({
      includeRevoked: arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to tell of those that were revoked, too.',
      }),
    }),
    resolve: async ({ includeRevoked }, context) =>
      listTokens(context.unscopedDb, await mine(context), includeRevoked ? {} : { revoked: false }),
  });

  kit.addOperation({
    ...inSession,
    action: 'list',
    field: 'companyApiTokens',
    access: 'admin',
    description: "All members' API tokens on the active company and its sandbox, the latest first. For admins.",
    returns: [ApiToken],
    args: (arg) => ({
      includeRevoked: arg.boolean({
        required: true,
        defaultValue: false,
        description: 'Whether to tell of those that were revoked, too.',
      }),
    }),
    resolve: async ({ includeRevoked }, context) =>
      listTokens(context.unscopedDb, await everybodys(context), includeRevoked ? {} : { revoked: false }),
  });

  kit.addOperation({
    ...inSession,
    action: 'create',
    field: 'createApiToken',
    access: 'session',
    description: 'Makes an API token that acts as whoever is signed in.',
    returns: CreatedApiToken,
    args: (arg) => ({ input: arg({ type: CreateApiTokenInput, required: true, description: 'The new token.' }) }),
    async resolve({ input }, context): Promise<MadeToken> {
      const {
        unscopedDb: db,
        caller: { userId },
      } = context;
      const { name, scopes, live, expiresAt } = input as NewApiToken;
      const of = await mine(context);
      const wanted = { ...of, userId, name, scopes, live: live ?? true, expiresAt: expiresAt ?? undefined };
      const faults = await faultsOf(wanted, context);
      if (Object.keys(faults).length > 0) throw validationError(faults);
      const { id, token } = await createToken(db, { ...wanted, scopes: checkScopes(scopes) });
      return { token, apiToken: await known(id, context) };
    },
  });

  kit.addOperation({
    ...inSession,
    action: 'delete',
    field: 'revokeApiToken',
    access: 'session',
    description: 'Refuses a token from now on, for good. Admins may revoke any of the company, others their own.',
    returns: ApiToken,
    args: (arg) => ({ id: arg.id({ required: true, description: 'The id of the token.' }) }),
    async resolve({ id }, context) {
      await revokeToken(context.unscopedDb, id as string, await changeable(context));
      return known(id as string, context);
    },
  });

  kit.addOperation({
    ...inSession,
    action: 'update',
    field: 'setApiTokenRateLimit',
    access: 'admin',
    description: 'Sets how many requests an hour a token of the company has. For admins.',
    returns: ApiToken,
    args: (arg) => ({
      id: arg.id({ required: true, description: 'The id of the token.' }),
      rateLimit: arg.int({ description: "Requests an hour; null returns to the service's default." }),
    }),
    async resolve({ id, rateLimit = null }, context) {
      const limit = rateLimit as number | null;
      if (limit !== null && (limit < 1 || limit > mostAnHour))
        throw validationError({ rateLimit: `must be between 1 and ${mostAnHour}` });
      await setTokenRateLimit(context.unscopedDb, id as string, limit, await everybodys(context));
      return known(id as string, context);
    },
  });
});

interface MadeToken {
  readonly token: string;
  readonly apiToken: TokenDetails;
}

/** What `CreateApiTokenInput` holds. */
interface NewApiToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly live?: boolean | null;
  readonly expiresAt?: Date | null;
}

const inSession = { type: 'ApiToken', path: '/api-tokens', rest: false } as const;

const mostAnHour = 1_000_000_000;

/** Tokens of the active company or, in a sandbox, of the one it is the twin of. */
const everybodys = async ({ unscopedDb: db, caller }: Context) => ({
  companyId: await findMainCompanyId(db, caller.companyId),
});

const mine = async (context: Context) => ({ ...(await everybodys(context)), userId: context.caller.userId });

/** Those that the caller may change, and see one by one. */
const changeable = (context: Context) => (context.caller.role === 'ADMIN' ? everybodys(context) : mine(context));

/** A token as it is now. @throws ServiceError NOT_FOUND when there is none, or it is somebody else's affair */
async function known(id: string, context: Context): Promise<TokenDetails> {
  const [token] = await listTokens(context.unscopedDb, await changeable(context), { id });
  if (!token) throw notFound('ApiToken');
  return token;
}

/** All that is wrong with a new token. */
async function faultsOf(
  { companyId, userId, name, scopes, live, expiresAt }: { companyId: string; userId: string } & NewApiToken,
  { unscopedDb: db }: Context,
): Promise<FieldErrors> {
  const faults: FieldErrors = {};
  const fault = validateName(name);
  if (fault) faults['name'] = fault;
  try {
    const held = await findScopes(db, companyId, userId, live ?? true);
    const more = checkScopes(scopes).filter((scope) => !covers(held, scope));
    if (more.length > 0) faults['scopes'] = `must not hold what you do not: ${more.join(', ')}`;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    faults['scopes'] = error.message;
  }
  if (expiresAt && expiresAt <= new Date()) faults['expiresAt'] = 'must be in the future';
  return faults;
}
