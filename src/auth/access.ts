import { insufficientScope, ServiceError } from '../errors.ts';
import type { Caller } from './caller.ts';
import { allows, type Scope } from './scopes.ts';

/**
 * What an operation requires of its caller:
 * - a scope, or write access to everything (`write-all`) where no single scope group fits;
 * - a session: of any role (`session`), of an admin or executive (`management`), or of an admin (`admin`);
 * - any API token (`token`);
 * - any API token or session (`caller`), where the result depends on its scopes;
 * - neither (`public`): guests. REST only, because every request of a guest counts for the rate limit, and one GraphQL
 *   request could contain many operations.
 */
export type Access = Scope | 'write-all' | 'session' | 'management' | 'admin' | 'token' | 'caller' | 'public';

/** Whether an operation requires a scope of one group: it reads or writes rows. */
export const isScope = (access: Access): access is Scope => access.includes(':');

/** Whether an operation requires a signed-in session, so that API tokens cannot call it. */
export const needsSession = (access: Access): access is 'session' | 'management' | 'admin' =>
  access === 'session' || access === 'management' || access === 'admin';

/** Whether a caller may use an operation that requires `access`. */
export function permits({ kind, role, scopes }: Caller, access: Access): boolean {
  if (access === 'public') return kind === 'guest';
  if (access === 'token') return kind === 'token';
  if (access === 'caller') return kind !== 'guest';
  if (access === 'session') return kind === 'session';
  if (access === 'management') return kind === 'session' && role !== 'MEMBER';
  if (access === 'admin') return kind === 'session' && role === 'ADMIN';
  return allows(scopes, access === 'write-all' ? '*:write' : access);
}

/**
 * Creates the error for a caller that `permits` refuses.
 *
 * @returns INVALID_TOKEN where a session or token is required and missing, INSUFFICIENT_SCOPE otherwise
 */
export function accessError({ kind }: Pick<Caller, 'kind'>, access: Access): ServiceError {
  if (access === 'public')
    return new ServiceError('FORBIDDEN', 'Only guests can do this: send the request without a token or session.');
  if (access === 'token') return new ServiceError('INVALID_TOKEN', 'This requires an API token.');
  if (access === 'caller') return new ServiceError('INVALID_TOKEN', 'This requires an API token or a session.');
  if (!needsSession(access)) return insufficientScope(access === 'write-all' ? '*:write' : access);
  if (kind !== 'session')
    return new ServiceError('INVALID_TOKEN', 'This requires a signed-in session; API tokens are not accepted here.');
  return new ServiceError(
    'INSUFFICIENT_SCOPE',
    access === 'admin' ? 'This requires the role admin.' : 'This requires the role admin or executive.',
  );
}

/** The actions that write rows which exist already. */
const changingActions: readonly string[] = [
  'write',
  'update',
  'updateMany',
  'replace',
  'delete',
  'deleteMany',
  'restore',
];

/**
 * Finds the read scope that a caller of an operation lacks, where the operation writes a row that exists already: its
 * response then has only what the caller knows. A new row has been described by its creator, and is shown whole.
 */
export function findMissingRead(
  { scopes }: Caller,
  { access, action }: { readonly access: Access; readonly action: string },
): Scope | undefined {
  if (!changingActions.includes(action) || !access.endsWith(':write')) return undefined;
  // What ends with it is a scope.
  const needed = access.replace(/:write$/, ':read') as Scope;
  return allows(scopes, needed) ? undefined : needed;
}
