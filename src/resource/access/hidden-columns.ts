// The columns that policies of reads hide.
import { roleOf, roleWord, type Writer } from '../../auth/roles.ts';
import { ServiceError } from '../../errors.ts';
import type { Row } from '../definition/model.ts';
import type { Policies } from '../definition/policy.ts';

/** The columns that are null to a caller. Asked for every list and row. */
export const hiddenColumns = (caller: Writer, { decisions }: Policies): readonly string[] =>
  decisions.read[roleOf(caller)].hidden;

/** Whether there is a role to which a column is null. */
export const isHiddenFromSome = ({ of }: Policies, column: string): boolean =>
  of.read.some(({ hidden }) => hidden?.includes(column));

/** A row, or what was selected of it, as a caller may see it. */
export function withoutHidden(caller: Writer, policies: Policies, row: Row): Row {
  const columns = hiddenColumns(caller, policies).filter((column) => column in row);
  return columns.length === 0 ? row : { ...row, ...Object.fromEntries(columns.map((column) => [column, null])) };
}

/**
 * Rejects a condition on a column, or a use of it otherwise, by a caller who may not read it.
 *
 * @param path the place of the condition in the arguments
 * @throws ServiceError INSUFFICIENT_SCOPE, which names the role
 */
export function assertReadable(caller: Writer, policies: Policies, column: string, path: string): void {
  if (!hiddenColumns(caller, policies).includes(column)) return;
  const reason = `cannot be read with the role ${roleWord(roleOf(caller))}`;
  throw new ServiceError('INSUFFICIENT_SCOPE', reason, undefined, path);
}
