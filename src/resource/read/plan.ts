// A plan of what an operation reads: a tree of rows with their columns, related rows and lists. It is a value that is
// made once for an operation; what a request adds are arguments.
import type { FieldNode } from 'graphql';
import type { Access } from '../../auth/access.ts';
import type { Writer } from '../../auth/roles.ts';
import type { JsonRow } from '../../database/read/json.ts';
import type { EnumSpelling } from '../../fields/index.ts';
import type { Guarded } from '../access/decide.ts';
import { hiddenColumns } from '../access/hidden-columns.ts';
import { itemOrder, type Row } from '../definition/model.ts';
import type { RowSource } from '../definition/operation.ts';
import type { Policies } from '../definition/policy.ts';
import type { Listed } from './lists.ts';

/** An operation whose rows a plan can read. */
export type PlannedRead = Guarded & { readonly source: RowSource };

/** The arguments of a field, by the values of an operation's variables. */
export type Arguments = (variables: Readonly<Row>) => Row;

/** What is shown of a row: its members in order. */
export type RowPlan = readonly MemberPlan[];

/** A member of a row. */
export type MemberPlan =
  | { readonly key: string; readonly text: string }
  | ColumnPlan
  | { readonly key: string; readonly relation: string; readonly row: RowPlan }
  | { readonly key: string; readonly relation: string; readonly items: RowPlan }
  | { readonly key: string; readonly list: ListPlan };

/** A member that shows a column. */
export interface ColumnPlan {
  readonly key: string;
  readonly column: string;
  readonly spelling: EnumSpelling;
  /** What hides the column from some roles. */
  readonly hiddenBy: Policies | undefined;
  /** Its value in a row: one that was read whole, or as the log has it. */
  readonly valueIn: (row: Readonly<Row>) => unknown;
  /** Converts such a value that is not null to what clients get. */
  readonly show: (value: unknown) => unknown;
}

/** A list inside a row. */
export interface ListPlan {
  readonly listed: Listed;
  readonly arguments: Arguments;
  /** Its place among the lists of the whole plan. */
  readonly place: number;
  readonly members: readonly (
    | { readonly key: string; readonly text: string }
    | { readonly key: string; readonly nodes: RowPlan }
    | { readonly key: string; readonly total: true }
  )[];
}

/** A field of the page of a list, with what is selected of it. */
export type PageMember =
  | { readonly key: string; readonly name: '__typename'; readonly text: string }
  | { readonly key: string; readonly name: 'nodes' }
  | { readonly key: string; readonly name: 'totalCount' }
  | { readonly key: string; readonly name: 'pageInfo' | 'matches'; readonly members: readonly KeyedName[] }
  | { readonly key: string; readonly name: 'edges'; readonly text: string; readonly members: readonly KeyedName[] };

/** A selected field: its name in the response, and in its type. */
export interface KeyedName {
  readonly key: string;
  readonly name: string;
}

/** A plan of a root field: the row that it returns, or a page of rows. */
export interface ReadPlan {
  readonly key: string;
  /** Where the operation selects it. */
  readonly nodes: readonly FieldNode[];
  readonly read: PlannedRead;
  readonly arguments: Arguments;
  /** The fields of the page; undefined for a row. */
  readonly page: readonly PageMember[] | undefined;
  /** What is shown of each row; undefined where rows are only counted. */
  readonly row: RowPlan | undefined;
  /** All lists inside the rows, by their places. */
  readonly lists: readonly Pick<ListPlan, 'listed' | 'arguments'>[];
  /** What it requires of the caller besides the access to the root field. */
  readonly accesses: readonly Access[];
  /** What hides columns of it. */
  readonly policies: readonly Policies[];
  /**
   * Whether the rows are sent as PostgreSQL writes them: a list of plain fields, without what needs another look at the
   * values.
   */
  readonly isPlain: boolean;
}

/** The JSON of a row for a caller, to whom hidden columns are null. */
export function jsonOf(plan: RowPlan, caller: Writer): JsonRow {
  return plan.map((member): JsonRow[number] => {
    const { key } = member;
    if ('text' in member) return member;
    if ('column' in member) {
      const { column, spelling, hiddenBy } = member;
      return isHidden(column, hiddenBy, caller) ? { key, text: null } : { key, column, spelling };
    }
    if ('list' in member) {
      const { listed, place, members } = member.list;
      const { relation, to } = listed;
      const shown = members.map((each) =>
        'nodes' in each ? { key: each.key, nodes: jsonOf(each.nodes, caller) } : each,
      );
      return { key, list: { relation, to, page: place, members: shown } };
    }
    const { relation } = member;
    if ('items' in member) return { key, relation, items: jsonOf(member.items, caller), orderBy: itemOrder };
    return { key, relation, row: jsonOf(member.row, caller) };
  });
}

const isHidden = (column: string, hiddenBy: Policies | undefined, caller: Writer): boolean =>
  hiddenBy !== undefined && hiddenColumns(caller, hiddenBy).includes(column);

/** Whether a row shows others than itself and its items. */
export function showsRelated({ row = [] }: Pick<ReadPlan, 'row'>): boolean {
  return row.some(
    (member) => 'list' in member || ('relation' in member && ('row' in member || showsRelated({ row: member.items }))),
  );
}

/** A row that was read whole, or as it was, as a plan of its columns and items shows it to a caller. */
export function showRow(plan: RowPlan, row: Readonly<Row>, caller: Writer): Row {
  const shown: Row = {};
  for (const member of plan) {
    if ('column' in member) {
      const { column, hiddenBy, valueIn, show } = member;
      const value = valueIn(row);
      shown[member.key] = value === null || isHidden(column, hiddenBy, caller) ? null : show(value);
    } else if ('items' in member)
      // A whole row has its items.
      shown[member.key] = (row[member.relation] as readonly Row[]).map((item) => showRow(member.items, item, caller));
    else if ('text' in member) shown[member.key] = member.text;
    else throw new Error(`A whole row has no ${member.key}.`);
  }
  return shown;
}
