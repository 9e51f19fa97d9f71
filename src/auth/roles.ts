// The limits that a user's role sets in addition to the scopes of their token: on writes only, in both APIs.
import type { Prisma, UserRole } from '../database/generated/client/client.ts';
import { type FieldErrors, insufficientRole, type ServiceError } from '../errors.ts';
import { aOrAn, plural, words } from '../names.ts';
import type { Caller } from './caller.ts';

/** The writes that a rule can bound. Replacing counts as an update, a batch as a creation. */
export type BoundedAction = 'create' | 'update' | 'delete';

/**
 * A row of the table of roles. It limits all roles except `roles`. Without `own`, `readOnly`, `statuses` and `approved`
 * these may not perform the actions at all.
 */
export interface RoleRule {
  /** The types of the rows, which are named as their models. */
  readonly types: readonly Prisma.ModelName[];
  /** The bounded actions; all three by default. */
  readonly actions?: readonly BoundedAction[];
  /** The roles that it does not limit. */
  readonly roles: readonly UserRole[];
  /** The column with the id of a row's user: the others may write their own rows only. */
  readonly own?: string;
  /** With `own`: the roles that may write the rows of deactivated users too, who cannot do so themselves. */
  readonly ofDeactivated?: readonly UserRole[];
  /** The fields that the others may not set. */
  readonly readOnly?: readonly string[];
  /** The values of `status` that the others may not set. */
  readonly statuses?: readonly string[];
  /** Approved rows, by their status: the others may neither delete them nor change these fields of theirs. */
  readonly approved?: { readonly statuses: readonly string[]; readonly fields: readonly string[] };
}

type Payload<Type extends Prisma.ModelName> = Prisma.TypeMap['model'][Type]['payload'];
type Column<Type extends Prisma.ModelName> = keyof Payload<Type>['scalars'] & string;
type Status<Type extends Prisma.ModelName> = Payload<Type>['scalars'] extends { readonly status: infer Value }
  ? Value & string
  : never;

/** A rule whose columns and statuses are those of its types: the compiler rejects others. */
const defineRule = <Type extends Prisma.ModelName>(
  checked: RoleRule & {
    readonly types: readonly Type[];
    readonly own?: Column<Type>;
    readonly readOnly?: readonly Column<Type>[];
    readonly statuses?: readonly Status<Type>[];
    readonly approved?: {
      readonly statuses: readonly Status<Type>[];
      readonly fields: readonly (Column<Type> | (keyof Payload<Type>['objects'] & string))[];
    };
  },
): RoleRule => checked;

const admins: readonly UserRole[] = ['ADMIN'];
const approvers: readonly UserRole[] = ['ADMIN', 'EXECUTIVE'];

/** The table of roles. Types that it does not name are limited by scopes alone. */
export const roleRules: readonly RoleRule[] = [
  defineRule({
    types: ['HrDocument', 'TrainingProgram', 'TrainingQuestion', 'TimeClockSettings', 'TimeClockLocation'],
    roles: admins,
  }),
  defineRule({ types: ['TimeClockRecord'], roles: admins, own: 'userId' }),
  defineRule({
    types: ['HrAcknowledgment'],
    roles: admins,
    own: 'userId',
    readOnly: ['userId', 'acknowledgedAt', 'ipAddress'],
  }),
  defineRule({ types: ['HrAcknowledgment'], actions: ['update'], roles: admins, readOnly: ['documentId'] }),
  defineRule({ types: ['ServiceRequest', 'MoveRequest'], actions: ['delete'], roles: admins, own: 'createdBy' }),
  defineRule({
    types: ['Requisition'],
    actions: ['create', 'update'],
    roles: approvers,
    statuses: ['APPROVED', 'REJECTED'],
  }),
  defineRule({
    types: ['PurchaseOrder'],
    actions: ['create', 'update'],
    roles: approvers,
    statuses: ['SENT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED'],
  }),
  defineRule({
    types: ['Invoice'],
    actions: ['create', 'update'],
    roles: approvers,
    statuses: ['APPROVED', 'PAID', 'VOID'],
  }),
  defineRule({
    types: ['Requisition'],
    actions: ['update', 'delete'],
    roles: approvers,
    approved: { statuses: ['APPROVED'], fields: ['requestedBy', 'vendorId', 'totalAmount', 'lineItems'] },
  }),
  defineRule({
    types: ['PurchaseOrder'],
    actions: ['update', 'delete'],
    roles: approvers,
    approved: {
      statuses: ['SENT', 'PARTIALLY_RECEIVED', 'RECEIVED'],
      fields: ['requisitionId', 'vendorId', 'totalAmount', 'lineItems'],
    },
  }),
  defineRule({
    types: ['Invoice'],
    actions: ['update', 'delete'],
    roles: approvers,
    approved: { statuses: ['APPROVED', 'PAID'], fields: ['vendorId', 'purchaseOrderId', 'invoiceNumber', 'amount'] },
  }),
  defineRule({ types: ['Note'], actions: ['update', 'delete'], roles: [], own: 'userId', ofDeactivated: admins }),
];

type Row = Readonly<Record<string, unknown>>;

/** Who writes: only the user and their role matter here. */
type Writer = Pick<Caller, 'role' | 'userId'>;

const boundedActions: readonly BoundedAction[] = ['create', 'update', 'delete'];

const rulesByType = new Map<string, RoleRule[]>();
for (const each of roleRules)
  for (const type of each.types) rulesByType.set(type, [...(rulesByType.get(type) ?? []), each]);

/** The bounded action that an action counts as; undefined for reads. */
function boundedAction(action: string): BoundedAction | undefined {
  if (action === 'replace') return 'update';
  return action === 'batch' ? 'create' : boundedActions.find((each) => each === action);
}

/** The actions that a rule bounds. */
const actionsOf = ({ actions = boundedActions }: RoleRule): readonly BoundedAction[] => actions;

/** Whether a rule forbids its actions to the roles that it bounds, for all rows. */
export const forbids = ({ own, readOnly, statuses, approved }: RoleRule): boolean =>
  !own && !readOnly && !statuses && !approved;

const rulesFor = (type: string, action: string): readonly RoleRule[] => {
  const bounded = boundedAction(action);
  return bounded ? (rulesByType.get(type) ?? []).filter((rule) => actionsOf(rule).includes(bounded)) : [];
};

/** The role of a caller; one without a role, such as a guest, has the least. */
const roleOf = ({ role }: Writer): UserRole => role ?? 'MEMBER';

const rulesOf = (caller: Writer, type: string, action: string): readonly RoleRule[] =>
  rulesFor(type, action).filter(({ roles }) => !roles.includes(roleOf(caller)));

/**
 * The error for an operation that the caller's role may not run on any row; undefined for one that it may.
 *
 * @param type the GraphQL type of its rows
 */
export function findRoleRefusal(caller: Writer, type: string, action: string): ServiceError | undefined {
  const rule = rulesOf(caller, type, action).find(forbids);
  return rule && insufficientRole(`This requires the role ${namesOf(rule.roles)}; yours is ${nameOf(caller)}.`);
}

/**
 * Rejects an operation that the caller's role may not run on any row.
 *
 * @throws ServiceError as `findRoleRefusal` finds
 */
export function assertRole(caller: Writer, type: string, action: string): void {
  const refusal = findRoleRefusal(caller, type, action);
  if (refusal) throw refusal;
}

/**
 * Finds the fields of an input that the caller's role may not set.
 *
 * @param input the fields as the client gave them; in a new row null means "left out"
 */
export function findRoleErrors(caller: Writer, type: string, action: 'create' | 'update', input: Row): FieldErrors {
  const errors: FieldErrors = {};
  const isSet = (name: string) => input[name] !== undefined && !(action === 'create' && input[name] === null);
  for (const { own, readOnly = [] } of rulesOf(caller, type, action)) {
    if (own && isSet(own) && input[own] !== caller.userId)
      errors[own] = `must be yourself, as your role is ${nameOf(caller)}`;
    for (const name of readOnly) if (isSet(name)) errors[name] = `cannot be set by the role ${nameOf(caller)}`;
  }
  return errors;
}

/**
 * Rejects the write of a row that the caller's role may not write, or may not give this status.
 *
 * @param previous the row before the write; null for a new one
 * @param data the columns that the write sets; none for a deletion
 * @param isDeactivated finds out whether a user is deactivated
 * @throws ServiceError INSUFFICIENT_SCOPE, which names the role
 */
export async function assertRoleForRow(
  caller: Writer,
  type: string,
  action: BoundedAction,
  previous: Row | null,
  data: Row,
  isDeactivated: (userId: string) => Promise<boolean>,
): Promise<void> {
  for (const { own, ofDeactivated = [], statuses = [], approved } of rulesOf(caller, type, action)) {
    if (own && previous && previous[own] !== caller.userId) {
      const mayWrite = ofDeactivated.includes(roleOf(caller)) && (await isDeactivated(String(previous[own])));
      if (!mayWrite)
        throw insufficientRole(
          `With the role ${nameOf(caller)} you can ${action} only your own ${words(plural(type))}.`,
        );
    }
    if (approved && action === 'delete' && isApproved(approved, previous)) throw whatWasApproved(caller, type);
    const status = data['status'];
    if (typeof status === 'string' && status !== previous?.['status'] && statuses.includes(status))
      throw insufficientRole(
        `With the role ${nameOf(caller)} you cannot set ${aOrAn(words(type))} to ${words(status.toLowerCase())}.`,
      );
  }
}

/**
 * Rejects changes to what was approved in a row, where the caller's role may not approve.
 *
 * @param changes the columns and nested items that the write changes
 * @throws ServiceError INSUFFICIENT_SCOPE, which names the role
 */
export function assertRoleForChanges(caller: Writer, type: string, previous: Row, changes: Row): void {
  if (changesApproved(rulesOf(caller, type, 'update'), previous, changes)) throw whatWasApproved(caller, type);
}

/** Whether changes concern what was approved in a row, whoever makes them. */
export const changesWhatWasApproved = (type: string, previous: Row, changes: Row): boolean =>
  changesApproved(rulesFor(type, 'update'), previous, changes);

const changesApproved = (rules: readonly RoleRule[], previous: Row, changes: Row): boolean =>
  rules.some(
    ({ approved }) => approved && isApproved(approved, previous) && approved.fields.some((name) => name in changes),
  );

const isApproved = ({ statuses }: NonNullable<RoleRule['approved']>, row: Row | null): boolean =>
  statuses.includes(String(row?.['status']));

const whatWasApproved = (caller: Writer, type: string) =>
  insufficientRole(`With the role ${nameOf(caller)} you cannot change what was approved in ${aOrAn(words(type))}.`);

/** Describes the roles that an operation requires, as sentences; empty for most. */
export function describeRoles(type: string, action: string): string {
  return rulesFor(type, action)
    .flatMap((rule) => {
      const change = action === 'delete' ? 'delete' : 'change';
      const who = rule.roles.length === 0 ? 'Nobody' : `Only ${peopleOf(rule.roles)}`;
      if (forbids(rule)) return [`Requires the role ${namesOf(rule.roles)}.`];
      if (rule.own && action !== 'create') {
        const except = rule.ofDeactivated
          ? `, but ${peopleOf(rule.ofDeactivated)} can ${change} those of deactivated users`
          : '';
        return [`${who} can ${change} those of other users${except}.`];
      }
      if (rule.approved) return [`${who} can ${change} what was approved.`];
      return rule.statuses ? [`${who} can set certain statuses.`] : [];
    })
    .join(' ');
}

const nameOf = (caller: Writer) => roleOf(caller).toLowerCase();

/** `admins and executives`. */
const peopleOf = (roles: readonly UserRole[]) => roles.map((role) => `${role.toLowerCase()}s`).join(' and ');
const namesOf = (roles: readonly UserRole[]) => roles.map((role) => role.toLowerCase()).join(' or ');
