import { validateName } from '../../auth/accounts.ts';
import type { MemberId } from '../../auth/members.ts';
import { checkScopes, covers } from '../../auth/scopes.ts';
import { recordSecurityEvent, type SecurityAction, type SecurityEvent } from '../../auth/security-log.ts';
import { findScopes } from '../../auth/sessions/people.ts';
import {
  createToken,
  listTokens,
  maxRateLimit,
  revokeToken,
  setTokenRateLimit,
  type TokenDetails,
} from '../../auth/tokens.ts';
import type { Context } from '../../context.ts';
import { type FieldErrors, notFound, ServiceError, validationError } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { defineOperation, uuidArgument } from '../../resource/index.ts';
import { actorOf, assertSignedInLately, mainCompanyId } from './session-access.ts';
import { ApiToken, CreateApiTokenInput, CreatedApiToken, type CreatedToken } from './token-types.ts';

const inSession = { type: 'ApiToken', path: '/api-tokens', rest: false } as const;

const includeRevoked = {
  required: true,
  defaultValue: false,
  description: 'Whether to include revoked tokens.',
} as const;

/** The API tokens of the caller. */
export const myApiTokens = defineOperation({
  ...inSession,
  action: 'list',
  field: 'myApiTokens',
  access: 'session',
  description: 'List your API tokens for the active company and its sandbox, newest first.',
  returns: (kit) => [ApiToken(kit)],
  args: (arg) => ({ includeRevoked: arg.boolean(includeRevoked) }),
  run: async ({ includeRevoked }, context) =>
    listTokens(context.unscopedDb, await ownTokens(context), includeRevoked ? {} : { revoked: false }),
});

/** The API tokens of all members. */
export const companyApiTokens = defineOperation({
  ...inSession,
  action: 'list',
  field: 'companyApiTokens',
  access: 'admin',
  description: "List all members' API tokens for the active company and its sandbox, newest first. Admins only.",
  returns: (kit) => [ApiToken(kit)],
  args: (arg) => ({ includeRevoked: arg.boolean(includeRevoked) }),
  run: async ({ includeRevoked }, context) =>
    listTokens(context.unscopedDb, await companyTokens(context), includeRevoked ? {} : { revoked: false }),
});

/** Creates an API token of the caller. */
export const createApiToken = defineOperation({
  ...inSession,
  action: 'create',
  field: 'createApiToken',
  label: 'Create token',
  access: 'session',
  description:
    'Create an API token that acts on your behalf. You must have signed in within the last hour (REAUTHENTICATION_REQUIRED).',
  returns: CreatedApiToken,
  args: (arg, kit) => ({
    input: arg({ type: CreateApiTokenInput(kit), required: true, description: 'The new token.' }),
  }),
  async run({ input }, context): Promise<CreatedToken> {
    const {
      unscopedDb: db,
      caller: { userId },
    } = context;
    assertSignedInLately(context, 'create a token');
    const { name, scopes, live, expiresAt } = input;
    const of = await ownTokens(context);
    const wanted = { ...of, userId, name, scopes, live: live ?? true, expiresAt };
    const errors = await validateNewToken(wanted, context);
    if (Object.keys(errors).length > 0) throw validationError(errors);
    const create = async (transaction: typeof db) => {
      const created = await createToken(transaction, { ...wanted, scopes: checkScopes(scopes) });
      const details = { token: name, scopes: scopes.join(' '), live: live ?? true };
      await record(transaction, 'token_created', context, { ...of, userId }, details);
      return created;
    };
    const { id, token } = await db.$transaction(create);
    return { token, apiToken: await findToken(id, context) };
  },
});

/** Revokes an API token. */
export const revokeApiToken = defineOperation({
  ...inSession,
  action: 'delete',
  field: 'revokeApiToken',
  label: 'Revoke token',
  access: 'session',
  description:
    'Permanently revoke an API token. Admins can revoke any token of the company, other users only their own.',
  returns: ApiToken,
  args: (arg) => ({ id: arg.id({ required: true, description: 'ID of the token.' }) }),
  async run(args, context) {
    const id = uuidArgument(args, 'id');
    const { owner, name } = await findToken(id, context);
    const of = await manageableTokens(context);
    await context.unscopedDb.$transaction(async (transaction) => {
      const isRevoked = await revokeToken(transaction, id, of);
      const member = { companyId: of.companyId, userId: owner.id };
      if (isRevoked) await record(transaction, 'token_revoked', context, member, { token: name });
    });
    return findToken(id, context);
  },
});

/** Limits the requests of an API token. */
export const setApiTokenRateLimit = defineOperation({
  ...inSession,
  action: 'update',
  field: 'setApiTokenRateLimit',
  label: 'Set the rate limit',
  access: 'admin',
  description: 'Set the rate limit of an API token. Admins only.',
  returns: ApiToken,
  args: (arg) => ({
    id: arg.id({ required: true, description: 'ID of the token.' }),
    rateLimit: arg.int({
      description: 'Maximum number of requests per hour. Null restores the default.',
      extensions: { label: 'Requests per hour' },
    }),
  }),
  async run(args, context) {
    const { rateLimit: limit = null } = args;
    if (limit !== null && (limit < 1 || limit > maxRateLimit))
      throw validationError({ rateLimit: messages.between(1, maxRateLimit) });
    const before = await findToken(uuidArgument(args, 'id'), context);
    if (limit === before.rateLimit) return before;
    const of = await companyTokens(context);
    await context.unscopedDb.$transaction(async (transaction) => {
      await setTokenRateLimit(transaction, before.id, limit, of);
      const details = { token: before.name, from: before.rateLimit, to: limit };
      await record(transaction, 'token_limit_changed', context, { ...of, userId: before.owner.id }, details);
    });
    return findToken(before.id, context);
  },
});

/**
 * The operations on API tokens. They read across companies, as a company's test tokens belong to its sandbox, which is
 * another company; the functions they call take the company explicitly.
 */
export const tokenOperations = [myApiTokens, companyApiTokens, createApiToken, revokeApiToken, setApiTokenRateLimit];

/** The value of a `CreateApiTokenInput`. */
interface NewApiToken {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly live?: boolean | null;
  readonly expiresAt?: Date | null;
}

/** Selects all tokens of the active company or, in a sandbox, of the company that the sandbox belongs to. */
const companyTokens = async (context: Context) => ({ companyId: await mainCompanyId(context) });

/** Adds a change of a token to the security log. @param owner the owner of the token */
const record = (
  transaction: Context['unscopedDb'],
  action: SecurityAction,
  context: Context,
  { companyId, userId: personId }: MemberId,
  details: SecurityEvent['details'],
): Promise<void> => recordSecurityEvent(transaction, { action, actor: actorOf(context), companyId, personId, details });

const ownTokens = async (context: Context) => ({ ...(await companyTokens(context)), userId: context.caller.userId });

/** Selects the tokens that the caller may read and change. */
const manageableTokens = (context: Context) =>
  context.caller.role === 'ADMIN' ? companyTokens(context) : ownTokens(context);

/** Finds a token. @throws ServiceError NOT_FOUND when it does not exist or the caller may not manage it */
async function findToken(id: string, context: Context): Promise<TokenDetails> {
  const [token] = await listTokens(context.unscopedDb, await manageableTokens(context), { id });
  if (!token) throw notFound('API token');
  return token;
}

/** Validates a new token. @returns a message for each invalid field */
async function validateNewToken(
  { companyId, userId, name, scopes, live, expiresAt }: { companyId: string; userId: string } & NewApiToken,
  { unscopedDb: db }: Context,
): Promise<FieldErrors> {
  const errors: FieldErrors = {};
  const nameError = validateName(name);
  if (nameError) errors['name'] = nameError;
  const granted = await findScopes(db, companyId, userId, live ?? true);
  try {
    const more = checkScopes(scopes).filter((scope) => !covers(granted, scope));
    if (more.length > 0) errors['scopes'] = `must not include scopes that you do not have: ${more.join(', ')}`;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    Object.assign(errors, error.fieldErrors);
  }
  if (expiresAt && expiresAt <= new Date()) errors['expiresAt'] = messages.inFuture;
  return errors;
}
