// What groups of rows are asked for.
import type { DatePart } from '../../fields/index.ts';
import type { Where } from './conditions.ts';
import type { Fill } from './filled.ts';

/** A column of the rows, or of a row that relations lead to; without that row it is null. */
export interface ColumnPath {
  readonly joins: readonly string[];
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
  | StatusHoursValue;

/** Hours of a row's statuses. */
export type StatusHoursValue =
  /** How long the row had a status until a time; null of one that it never had. */
  | { readonly kind: 'hoursInStatus'; readonly status: string; readonly until: Date }
  /**
   * From the row's first entry of the status `from` to its first one of `to` that is not earlier, or to the last one of
   * all; null without both.
   */
  | { readonly kind: 'hoursBetween'; readonly from: string; readonly to: string; readonly last: boolean };

/** What groups are formed by. */
export interface GroupKey {
  readonly value: ColumnPath;
  readonly part?: DatePart;
}

/** What is computed of the rows of a group. */
export type Measure =
  | { readonly of: 'count' }
  | { readonly of: 'countDistinct' | 'sum' | 'avg' | 'min' | 'max'; readonly value: RowValue }
  | {
      readonly of: 'percentile';
      readonly value: RowValue;
      /** The digits of a number between 0 and 1. */
      readonly share: string;
    };

/** A condition on a measure, by its place. */
export interface MeasureCondition {
  readonly measure: number;
  readonly operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
  /** The digits of a number. */
  readonly operand: string;
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
  readonly through?: { readonly to: string; readonly where?: Where; readonly as?: string };
}

/** Groups of the rows that a condition matches. */
export interface GroupQuery {
  readonly where: Where;
  /** As which type of the API the rows are read; see `PageArgs`. */
  readonly as?: string;
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
