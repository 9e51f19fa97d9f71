import type { Actor } from '../../auth/security-log.ts';
import { findMainCompanyId } from '../../auth/sessions/people.ts';
import type { Context } from '../../context.ts';
import { InputError, validationError } from '../../errors.ts';

/** The active company or, in a sandbox, the company that the sandbox belongs to. */
export const mainCompanyId = ({ unscopedDb, caller }: Context): Promise<string> =>
  findMainCompanyId(unscopedDb, caller.companyId);

/** The signed-in person, for the security log. */
export const actorOf = ({ caller, ip }: Context): Actor & { readonly personId: string } => ({
  personId: caller.userId,
  ip,
});

/** Converts an InputError to one for the client. @param names the input's fields by the column's name */
export const asValidationError =
  (names: Readonly<Record<string, string>>) =>
  (error: unknown): never => {
    const name = error instanceof InputError ? names[error.field] : undefined;
    throw error instanceof InputError && name !== undefined ? validationError({ [name]: error.fieldError }) : error;
  };
