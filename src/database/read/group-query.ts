// What groups of rows are asked for.
import type { Where } from './conditions.ts';
import type { Fill } from './filled.ts';

/** The parts of a date or time that rows are grouped by: the first day of a period, or a number. */
export const dateParts = ['day', 'week', 'month', 'quarter', 'year', 'weekday', 'hour'] as const;
/** A part of a date or time; see `dateParts`. */
export type DatePart = (typeof dateParts)[number];

/** A relation to one row, and the condition that this row must match; without the row, its columns are null. */
export interface GroupJoin {
  readonly relation: string;
  readonly where: Where;
}

/** A column of the rows, or of a row that they refer to. */
export interface ColumnPath {
  readonly joins: readonly GroupJoin[];
  readonly column: string;
}

/** A value of each row: a column, or what is computed from two. A time may also be a fixed one. */
export type RowValue =
  | { readonly kind: 'column'; readonly of: ColumnPath }
  | {
      readonly kind: 'hours' | 'days';
      readonly from: ColumnPath | Date;
      readonly to: ColumnPath | Date;
    }
  | { readonly kind: 'product' | 'difference'; readonly of: readonly [ColumnPath, ColumnPath] }
  /** How long the row had a status until a time; null of one that it never had. */
  | { readonly kind: 'hoursInStatus'; readonly status: string; readonly until: Date };

/** What groups are formed by. */
export interface GroupKey {
  readonly value: ColumnPath;
  readonly part?: DatePart;
}

/** What is computed of the rows of a group. */
export type Measure =
  | { readonly of: 'count' }
  | { readonly of: 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'; readonly value: RowValue }
  | { readonly of: 'percentile'; readonly value: RowValue; readonly share: number };

/** A condition on a measure, by its place. */
export interface MeasureCondition {
  readonly measure: number;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
  readonly operand: number;
}

/** A key or measure that groups are sorted by, by its place. */
export interface GroupSort {
  readonly by: 'key' | 'measure';
  readonly place: number;
  readonly direction: 'ASC' | 'DESC';
}

/** The rows whose lists are grouped: a group for each of them. */
export interface GroupParents {
  readonly model: string;
  readonly ids: readonly string[];
  /** Their relation to the rows, or to a join table. */
  readonly relation: string;
  readonly through?: { readonly to: string; readonly where: Where };
}

/** Groups of the rows that a condition matches. */
export interface GroupQuery {
  readonly where: Where;
  readonly keys: readonly GroupKey[];
  readonly measures: readonly Measure[];
  readonly having: readonly MeasureCondition[];
  readonly orderBy: readonly GroupSort[];
  readonly limit: number;
  /** The time zone in which times have their day and hour. */
  readonly timeZone: string;
  readonly fill: readonly Fill[];
  readonly parents?: GroupParents;
}

/** A group: the values of its keys and measures, in the order of the query. */
export interface FoundGroup {
  /** The row whose list is grouped, if there are several. */
  readonly parent?: string;
  readonly keys: readonly unknown[];
  readonly measures: readonly unknown[];
  /** Whether there would be more groups without rows than are added. */
  readonly isCut?: boolean;
}
