import { insufficientScope, ServiceError } from '../errors.ts';
import type { Caller } from './caller.ts';
import { allows, type Scope } from './scopes.ts';

/**
 * What an operation needs of its caller (spec §5): a scope, or the right to write everything where no family's scope is
 * meant; a person who is signed in, or one who is as admin or executive (`management`) or as admin; or nothing at all.
 */
export type Access = Scope | 'write-all' | 'session' | 'management' | 'admin' | 'public';

/** Whether an operation is for people who are signed in, and not for API tokens. */
export const needsSession = (access: Access): access is 'session' | 'management' | 'admin' =>
  access === 'session' || access === 'management' || access === 'admin';

/** Whether a caller may use what needs `access`. */
export function permits({ kind, role, scopes }: Caller, access: Access): boolean {
  if (access === 'public') return true;
  if (access === 'session') return kind === 'session';
  if (access === 'management') return kind === 'session' && role !== 'MEMBER';
  if (access === 'admin') return kind === 'session' && role === 'ADMIN';
  return allows(scopes, access === 'write-all' ? '*:write' : access);
}

/** The error for a caller whom `permits` refuses. */
export function refusal({ kind }: Pick<Caller, 'kind'>, access: Access): ServiceError {
  if (!needsSession(access)) return insufficientScope(access === 'write-all' ? '*:write' : access);
  if (kind !== 'session')
    return new ServiceError('INVALID_TOKEN', 'This needs a signed-in session; API tokens are not accepted here.');
  return new ServiceError(
    'INSUFFICIENT_SCOPE',
    access === 'admin' ? 'This is for admins.' : 'This is for admins and executives.',
  );
}
