import type { Actor } from '../../auth/security-log.ts';
import { findMainCompanyId } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';

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
