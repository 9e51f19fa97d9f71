// The one place that asks policies: by the action before the body is read, by the row under its lock, by what changes
// in it before it is saved. Both APIs, the documents and buttons have the same answers.
import { type Access, accessError, permits } from '../../auth/access.ts';
import type { Caller } from '../../auth/caller.ts';
import { roleOf, type Writer } from '../../auth/roles.ts';
import type { Context } from '../../context.ts';
import { type FieldErrors, insufficientRole, type ServiceError } from '../../errors.ts';
import type { Row } from '../definition/model.ts';
import type { Action } from '../definition/operation.ts';
import type { ChangedRow, Decision, Policies, PolicyAction, WrittenRow } from '../definition/policy.ts';

/** An action on rows of a type, which policies limit. */
export type Asked = {
  readonly action: Action;
  /** The GraphQL type of the rows. */
  readonly type: string;
  readonly policies: Policies;
};

/** What an operation requires of its caller. */
export type Guarded = Asked & { readonly access: Access };

/** The action that an operation's counts as. */
export const policyActions: Readonly<Record<Action, PolicyAction>> = {
  list: 'read',
  read: 'read',
  create: 'create',
  batch: 'create',
  write: 'create',
  update: 'update',
  updateMany: 'update',
  replace: 'update',
  delete: 'delete',
  deleteMany: 'delete',
  restore: 'restore',
  aggregate: 'read',
};

/** What is known of a write under the lock of its row: what the caller sets, what changes in it, or both. */
export type KnownWrite = Pick<WrittenRow, 'previous'> &
  Partial<Pick<WrittenRow, 'data' | 'deletion'> & Pick<ChangedRow, 'changes'>>;

/**
 * Decides whether a caller may do something.
 *
 * - Without a row: what is known before the body is read. The answer is a refusal; or final, where nothing limits the
 *   caller; or depends on the policies in `limits`.
 * - With a row: by what the caller sets of it (`data`), by what the write changes in it (`changes`), or by both. With
 *   `changes` the answer is final. Each part of a policy is asked once a write, as soon as what it needs is known.
 */
export function decide(by: { readonly caller: Writer }, asked: Asked): Decision;
export function decide(by: Context, asked: Asked, write: KnownWrite): Promise<Decision>;
export function decide(by: { readonly caller: Writer } | Context, asked: Asked, write?: KnownWrite) {
  const decision = asked.policies.decisions[policyActions[asked.action]][roleOf(by.caller)];
  if (!write) return decision;
  // By the overloads, who asks about a row has the whole context.
  return decideRow(by as Context, asked, write, decision);
}

async function decideRow(
  context: Context,
  { policies, action: of }: Asked,
  { previous, data, changes, deletion }: KnownWrite,
  decision: Decision,
): Promise<Decision> {
  if (decision.refusal !== undefined) return decision;
  const { words, status } = policies;
  const asked = { caller: context.caller, action: policyActions[of], words, status };
  for (const policy of data ? decision.limits : []) {
    const refusal = await policy.refuseRow?.(asked, { context, previous, data: data ?? {}, deletion });
    if (refusal !== undefined) return { ...decision, refusal };
  }
  const limits = decision.limits.filter(({ refuseChanges }) => refuseChanges);
  if (!changes) return { ...decision, limits };
  for (const policy of limits) {
    const refusal = await policy.refuseChanges?.(asked, { context, previous, changes });
    if (refusal !== undefined) return { ...decision, refusal };
  }
  return { ...decision, limits: [] };
}

/** Rejects what a decision refuses. @throws ServiceError INSUFFICIENT_SCOPE, which names the role */
export function assertAllowed({ refusal }: Decision): void {
  if (refusal !== undefined) throw insufficientRole(refusal);
}

/** The error for a caller whose scopes or role do not allow an operation at all; undefined for others. */
export function findRefusal(caller: Caller, guarded: Guarded): ServiceError | undefined {
  if (!permits(caller, guarded.access)) return accessError(caller, guarded.access);
  const { refusal } = decide({ caller }, guarded);
  return refusal === undefined ? undefined : insufficientRole(refusal);
}

/** Finds the fields of an input that the caller may not set. @param input the fields as the client gave them */
export function findFieldErrors({ caller }: Pick<Context, 'caller'>, asked: Asked, input: Row): FieldErrors {
  const { words, status } = asked.policies;
  const write = { caller, action: policyActions[asked.action], words, status };
  const errors: FieldErrors = {};
  for (const { findErrors } of decide({ caller }, asked).limits) Object.assign(errors, findErrors?.(write, input));
  return errors;
}

/** Describes the roles that an operation requires, as sentences; empty for most. */
export const describePolicies = ({ action, policies }: Pick<Asked, 'action' | 'policies'>): string =>
  policies.of[policyActions[action]]
    .map(({ describe }) => describe(policyActions[action]))
    .filter((sentence) => sentence !== undefined)
    .join(' ');
