import type { Actor } from '../../auth/security-log.ts';
import { findMainCompanyId } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import { badRequest, ServiceError } from '../../errors.ts';
import { messages } from '../../input/index.ts';
import { maxPageSize, uuidArgument } from '../../resource/index.ts';

/** The active company or, in a sandbox, the company that the sandbox belongs to. */
export const mainCompanyId = ({ unscopedDb, caller }: Context): Promise<string> =>
  findMainCompanyId(unscopedDb, caller.companyId);

/** Whether the active company is a sandbox. */
export const isInSandbox = async (context: Context): Promise<boolean> =>
  (await mainCompanyId(context)) !== context.caller.companyId;

/** The signed-in person, for the security log. */
export const actorOf = ({ caller, ip }: Context): Actor & { readonly personId: string } => ({
  personId: caller.userId,
  ip,
});

/** An argument `ids` that must be uuids, at most those of a page. @throws ServiceError BAD_REQUEST */
export function idsArgument(ids: readonly string[]): string[] {
  if (ids.length > maxPageSize) throw badRequest(messages.tooManyValues(maxPageSize), 'ids');
  return ids.map((id, n) => uuidArgument({ [`ids.${n}`]: id }, `ids.${n}`));
}

/** How long (ms) after signing in a person can do what `assertSignedInLately` guards. */
const reauthenticationMs = 3_600_000;

/**
 * Requires a recent sign-in for what reads data after its creator has left the browser, such as a token, and for what
 * cannot be undone: whoever finds a browser open must not do these.
 *
 * @param purpose what the person wants to do, for the error: `create a token`
 * @throws ServiceError REAUTHENTICATION_REQUIRED
 */
export function assertSignedInLately({ caller: { signedInAt } }: Context, purpose: string): void {
  if (signedInAt && Date.now() - signedInAt.getTime() < reauthenticationMs) return;
  throw new ServiceError(
    'REAUTHENTICATION_REQUIRED',
    `You signed in more than an hour ago. Sign in again to ${purpose}.`,
  );
}
