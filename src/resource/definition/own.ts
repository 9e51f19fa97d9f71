// The policy of rows that belong to their user.
import { peopleOf, roleOf } from '../../auth/roles.ts';
import type { Context } from '../../context.ts';
import type { UserRole } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { type Exception, isSet, nameOf, nothing, type Policy, verbOf, whoOf } from './policy.ts';

/** Who may write the rows of deactivated users, and the relation to a row's user. */
interface OfDeactivated {
  readonly roles: readonly UserRole[];
  readonly relation: string;
}

/**
 * Others write their own rows alone, and only in their own name.
 *
 * @param column has the id of a row's user
 * @param options.ofDeactivated the roles that may write the rows of deactivated users too, who cannot do so themselves;
 *   and the relation to a row's user
 */
export const own = <const Column extends string>(
  column: Column,
  { except = [], ofDeactivated }: Exception & { readonly ofDeactivated?: OfDeactivated } = {},
): Policy<Column, never, never> => ({
  ...nothing,
  columns: [column],
  except,
  ...(ofDeactivated && { reads: { [ofDeactivated.relation]: { select: { deactivatedAt: true } } } }),
  findErrors: ({ caller, action }, input): FieldErrors =>
    isSet(input[column], action) && input[column] !== caller.userId
      ? { [column]: `must be yourself, as your role is ${nameOf(caller)}` }
      : {},
  async refuseRow({ caller, action, words }, { context, previous }) {
    if (!previous || previous[column] === caller.userId) return undefined;
    if (ofDeactivated?.roles.includes(roleOf(caller))) {
      // As this policy reads it.
      const user = previous[ofDeactivated.relation] as { readonly deactivatedAt: Date | null } | null | undefined;
      const isDeactivated = user ? user.deactivatedAt !== null : findDeactivated(String(previous[column]), context);
      if (await isDeactivated) return undefined;
    }
    return `With the role ${nameOf(caller)} you can ${action} only your own ${words.many}.`;
  },
  describe(action) {
    if (action === 'create') return undefined;
    const change = verbOf(action);
    const others = ofDeactivated
      ? `, but ${peopleOf(ofDeactivated.roles)} can ${change} those of deactivated users`
      : '';
    return `${whoOf(except)} can ${change} those of other users${others}.`;
  },
  summarize(_action, role, { fields }) {
    const theirs = `their own (${fields([column])})`;
    return ofDeactivated?.roles.includes(role) ? `${theirs}, and those of deactivated users` : theirs;
  },
});

/** Whether a user of the company is deactivated. */
const findDeactivated = async (id: string, { db }: Context): Promise<boolean> =>
  (await db.user.count({ where: { id, deactivatedAt: { not: null } } })) > 0;
