// Policies: what the caller's role may not do, as values beside the resource that they limit. Each says which roles it
// does not limit, answers for its part of a write, and describes itself in the documents. `decide.ts` asks them.
import { admins, peopleOf, roleOf, roleWord, roleWords, type Writer } from '../../auth/roles.ts';
import type { Context } from '../../context.ts';
import type { UserRole } from '../../database/generated/client/client.ts';
import type { FieldErrors } from '../../errors.ts';
import { spaced } from '../../names.ts';
import type { Row } from './model.ts';
import { type Words, wordsOf } from './words.ts';

/** What policies limit. Replacing counts as an update, a batch as a creation, a list as a read. */
export type PolicyAction = 'create' | 'update' | 'delete' | 'read' | 'restore';

/** The rows that policies limit. */
interface Limited {
  /** What people call them. */
  readonly words: Words;
  /** The field that has their status, of those that have one. */
  readonly status?: string;
}

/** The write that a policy is asked about. */
export interface AskedWrite extends Limited {
  readonly caller: Writer;
  readonly action: PolicyAction;
}

/** A row under its lock, and what a write sets of it. */
export interface WrittenRow {
  readonly context: Context;
  /** The row before the write; null for a new one. */
  readonly previous: Row | null;
  /** The columns that the caller sets; none in a deletion. */
  readonly data: Row;
  /** The deletion of a row that is restored. */
  readonly deletion?: DeletionOf | undefined;
}

/** Who deleted a row, and how long ago. */
export interface DeletionOf {
  /** The id of the user; null where no user did. */
  readonly by: string | null;
  readonly secondsAgo: number;
}

/** A row under its lock, and what differs in it once hooks have resolved the input. */
export interface ChangedRow extends Omit<WrittenRow, 'data' | 'deletion'> {
  /** The columns and nested items that the write changes, or all of a new row; none in a deletion. */
  readonly changes: Row;
}

type Refusal = string | undefined;

/** Spells the names of a resource in a document. */
export interface Spelling {
  readonly fields: (names: readonly string[]) => string;
  readonly statuses: (values: readonly string[]) => string;
}

/**
 * A limit of what the roles that it does not except may do. Its type parameters are the columns, the fields (which can
 * be nested items) and the statuses that it names, so that the compiler rejects those of another model.
 */
export interface Policy<Column extends string = string, Field extends string = string, Status extends string = string> {
  /** The roles that it does not limit. */
  readonly except: readonly UserRole[];
  readonly columns: readonly Column[];
  readonly fields: readonly Field[];
  readonly statuses: readonly Status[];
  /**
   * What it asks of rows that a row refers to, as Prisma's `select` of each relation: a row that is read for its
   * buttons has it; of a row that is written, the policy finds it.
   */
  readonly reads?: Readonly<Record<string, object>>;
  /** Whether it forbids its actions, whatever the row: this is known before the body is read. */
  readonly forbids?: boolean;
  /** The columns that are null to those it limits, who can neither filter nor sort by them; of reads alone. */
  readonly hidden?: readonly Column[];
  /** The columns that nobody whom it limits may set, to whatever value. */
  readonly readOnly?: readonly Column[];
  /**
   * Finds the fields of an input that the caller may not set.
   *
   * @param input the fields as the client gave them; in a new row null means "left out"
   */
  readonly findErrors?: (asked: AskedWrite, input: Row) => FieldErrors;
  /** Why the caller may not write the row, or set this of it. */
  readonly refuseRow?: (asked: AskedWrite, row: WrittenRow) => Refusal | Promise<Refusal>;
  /** Why the caller may not make the changes; of a deletion, asked once the row is deleted. */
  readonly refuseChanges?: (asked: AskedWrite, row: ChangedRow) => Refusal | Promise<Refusal>;
  /** A sentence for the description of an operation; undefined where it says nothing about it. */
  readonly describe: (action: PolicyAction) => string | undefined;
  /** What it leaves to a role that it limits, in a table; undefined where it does not limit the action. */
  readonly summarize: (action: PolicyAction, role: UserRole, spelling: Spelling) => string | undefined;
}

/** A policy of reads, which hides columns. */
export type HidingPolicy<Column extends string = string> = Policy<Column, never, never> & {
  readonly hidden: readonly Column[];
};

/** The roles that a policy does not limit; without any, it limits all. */
export interface Exception {
  readonly except?: readonly UserRole[];
}

export const nothing = { columns: [], fields: [], statuses: [] } as const;

/** Only these roles may do it, to any row. */
export const only = (roles: readonly UserRole[]): Policy<never, never, never> => ({
  ...nothing,
  except: roles,
  forbids: true,
  describe: () => `Requires the role ${roleWords(roles)}.`,
  summarize: () => 'no',
});

/** Others may not set these fields. */
export const readOnly = <const Column extends string>(
  columns: readonly Column[],
  { except = [] }: Exception = {},
): Policy<Column, never, never> => ({
  ...nothing,
  columns,
  except,
  readOnly: columns,
  findErrors: ({ caller, action }, input) =>
    Object.fromEntries(
      columns
        .filter((name) => isSet(input[name], action))
        .map((name) => [name, `cannot be set by the role ${nameOf(caller)}`]),
    ),
  describe: () => undefined,
  summarize: (action, _role, { fields }) => (action === 'delete' ? undefined : `without ${fields(columns)}`),
});

/** Others may not set these statuses, such as that of approval. */
export const reservedStatuses = <const Status extends string>(
  statuses: readonly Status[],
  { except = [] }: Exception = {},
): Policy<never, never, Status> => ({
  ...nothing,
  statuses,
  except,
  refuseRow({ caller, words, status: field = '' }, { previous, data }) {
    const status = data[field];
    const isReserved = typeof status === 'string' && (statuses as readonly string[]).includes(status);
    return isReserved && status !== previous?.[field]
      ? `With the role ${nameOf(caller)} you cannot set ${words.one} to ${spaced(status.toLowerCase())}.`
      : undefined;
  },
  describe: (action) => (action === 'delete' ? undefined : `${whoOf(except)} can set certain statuses.`),
  summarize: (action, _role, spelling) =>
    action === 'delete' ? undefined : `without the status ${spelling.statuses(statuses)}`,
});

/** Others neither delete approved rows, which have one of the statuses, nor change these fields of theirs. */
export const approved = <const Field extends string, const Status extends string>(
  { statuses, fields }: { readonly statuses: readonly Status[]; readonly fields: readonly Field[] },
  { except = [] }: Exception = {},
): Policy<never, Field, Status> => {
  const isApproved = ({ status = '' }: AskedWrite, row: Row | null) =>
    (statuses as readonly unknown[]).includes(row?.[status]);
  const reason = ({ caller, words }: AskedWrite) =>
    `With the role ${nameOf(caller)} you cannot change what was approved in ${words.one}.`;
  return {
    ...nothing,
    fields,
    statuses,
    except,
    refuseRow: (asked, { previous }) =>
      asked.action === 'delete' && isApproved(asked, previous) ? reason(asked) : undefined,
    refuseChanges: (asked, { previous, changes }) =>
      isApproved(asked, previous) && fields.some((name) => name in changes) ? reason(asked) : undefined,
    describe: (action) =>
      action === 'create' ? undefined : `${whoOf(except)} can ${verbOf(action)} what was approved.`,
    summarize(action, _role, spelling) {
      if (action === 'create') return undefined;
      const where = spelling.statuses(statuses);
      return action === 'delete' ? `not where ${where}` : `where ${where} without ${spelling.fields(fields)}`;
    },
  };
};

/** How long (s) those who deleted a row can restore it. */
export const undoSeconds = 15 * 60;

/** Others restore only what they have just deleted themselves. */
const undo: Policy<never, never, never> = {
  ...nothing,
  except: admins,
  refuseRow: ({ caller }, { deletion }) =>
    deletion && deletion.by === caller.userId && deletion.secondsAgo <= undoSeconds
      ? undefined
      : `With the role ${nameOf(caller)} you can restore only what you deleted in the last ${undoSeconds / 60} minutes.`,
  describe: () => `Others than admins restore what they deleted in the last ${undoSeconds / 60} minutes.`,
  summarize: () => `what they deleted in the last ${undoSeconds / 60} minutes`,
};

/** The same limit of who may delete a row, for restoring it. */
const asOfDeletion = ({ findErrors: _, refuseRow, refuseChanges, summarize, ...policy }: Policy): Policy => ({
  ...policy,
  ...(refuseRow && { refuseRow: (asked, row) => refuseRow({ ...asked, action: 'delete' }, row) }),
  ...(refuseChanges && { refuseChanges: (asked, row) => refuseChanges({ ...asked, action: 'delete' }, row) }),
  describe: () => undefined,
  summarize: (_action, role, spelling) => summarize('delete', role, spelling),
});

/** These columns are null to others, who can neither filter nor sort by them. */
export const hidden = <const Column extends string>(
  columns: readonly Column[],
  { except = [] }: Exception = {},
): HidingPolicy<Column> => ({
  ...nothing,
  columns,
  except,
  hidden: columns,
  describe: () => `${whoOf(except)} can read ${columns.map((name) => `\`${name}\``).join(' and ')}.`,
  summarize: (_action, _role, { fields }) => `without ${fields(columns)}`,
});

/** The policies of a resource, by what they limit; those of all writes are asked first. */
export interface PolicyOptions<Column extends string, Field extends string, Status extends string> {
  readonly write?: OneOrMore<Policy<Column, Field, Status>>;
  readonly create?: OneOrMore<Policy<Column, Field, Status>>;
  readonly update?: OneOrMore<Policy<Column, Field, Status>>;
  readonly delete?: OneOrMore<Policy<Column, Field, Status>>;
  readonly read?: OneOrMore<HidingPolicy<Column>>;
}

type OneOrMore<T> = T | readonly T[];

/** What policies answer. */
export interface Decision {
  /** Why the caller may not do it; undefined where they may, as far as is known. */
  readonly refusal?: string;
  /** The policies that the answer still depends on: on the input, the row or its changes. */
  readonly limits: readonly Policy[];
  /** The columns that the caller may not read. */
  readonly hidden: readonly string[];
  /** The columns that the caller may not set. */
  readonly readOnly: readonly string[];
}

/** The policies of a resource. */
export interface Policies extends Limited {
  /** Those of each action, in the order in which they are asked. */
  readonly of: Readonly<Record<PolicyAction, readonly Policy[]>>;
  /** What is known of an action before its input and row: it depends on the role alone, so it is decided once. */
  readonly decisions: Readonly<Record<PolicyAction, Readonly<Record<UserRole, Decision>>>>;
}

/** The policies of a resource, from its definition. @param limited its rows; what can be deleted can be restored */
export function buildPolicies(
  options: PolicyOptions<string, string, string>,
  { words, status, areDeleted = false }: Limited & { readonly areDeleted?: boolean },
): Policies {
  const ofWrite = (own: OneOrMore<Policy> | undefined) => [...listOf(options.write), ...listOf(own)];
  const of = {
    create: ofWrite(options.create),
    update: ofWrite(options.update),
    delete: ofWrite(options.delete),
    read: listOf(options.read),
    restore: areDeleted ? [undo, ...ofWrite(options.delete).map(asOfDeletion)] : [],
  };
  const byRole = (policies: readonly Policy[]) => ({
    MEMBER: decideForRole(policies, 'MEMBER'),
    EXECUTIVE: decideForRole(policies, 'EXECUTIVE'),
    ADMIN: decideForRole(policies, 'ADMIN'),
  });
  const { create, update, read, restore } = of;
  return {
    words,
    status,
    of,
    decisions: {
      create: byRole(create),
      update: byRole(update),
      delete: byRole(of.delete),
      read: byRole(read),
      restore: byRole(restore),
    },
  };
}

/** The policies of rows that scopes alone limit. */
export const noPolicies: Policies = buildPolicies({}, { words: wordsOf('row') });

function decideForRole(policies: readonly Policy[], role: UserRole): Decision {
  const limits = policies.filter(({ except }) => !except.includes(role));
  const forbidding = limits.find(({ forbids }) => forbids);
  return {
    refusal: forbidding && `This requires the role ${roleWords(forbidding.except)}; yours is ${roleWord(role)}.`,
    limits,
    hidden: limits.flatMap((policy) => policy.hidden ?? []),
    readOnly: limits.flatMap((policy) => policy.readOnly ?? []),
  };
}

function listOf<T>(given: OneOrMore<T> | undefined): readonly T[] {
  if (given === undefined) return [];
  // TypeScript does not narrow to readonly arrays.
  return Array.isArray(given) ? (given as readonly T[]) : [given as T];
}

/** Whether an input has a value for a field; in a new row null means "left out". */
export const isSet = (value: unknown, action: PolicyAction) =>
  value !== undefined && !(action === 'create' && value === null);

export const nameOf = (caller: Writer) => roleWord(roleOf(caller));
export const whoOf = (roles: readonly UserRole[]) => (roles.length === 0 ? 'Nobody' : `Only ${peopleOf(roles)}`);
export const verbOf = (action: PolicyAction) => (action === 'delete' ? 'delete' : 'change');
