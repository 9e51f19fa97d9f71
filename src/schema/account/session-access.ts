import type { Actor } from '../../auth/security-log.ts';
import { findMainCompanyId } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import { badRequest } from '../../errors.ts';
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
