// What groups of rows are asked for.
import type { DatePart } from '../../fields/index.ts';
import type { Derived } from './derived.ts';
import type { Fill } from './filled.ts';
import type { ListFigure } from './list-figure.ts';
import type { Where } from './where.ts';

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
  /** How many days of a row's range its period has. */
  | { readonly kind: 'daysInPeriod' }
  | ListValue
  | StatusHoursValue;

/** What is computed of a list of the row, or of the row that relations lead to. */
export interface ListValue {
  /** A number of the list; or the hours from the creation of the row to that of the first row of the list. */
  readonly kind: 'figure' | 'hoursToFirst';
  readonly joins: readonly string[];
  readonly of: ListFigure;
}

/** Hours of a row's statuses. */
export type StatusHoursValue =
  /** How long the row had a status until a time; null of one that it never had. */
  | { readonly kind: 'hoursInStatus'; readonly status: string; readonly until: Date }
  /**
   * From the row's first entry of the status `from` to its first one of `to` that is not earlier, or to the last one of
   * all; null without both.
   */
  | { readonly kind: 'hoursBetween'; readonly from: string; readonly to: string; readonly last: boolean };

/** What groups are formed by: values of a column, parts of its dates, ranges of numbers, or periods of the query. */
export type GroupKey =
  | { readonly value: ColumnPath; readonly part?: DatePart }
  | { readonly period: true; readonly part: DatePart }
  | { readonly number: RowValue; readonly bucket: Bucket; readonly part?: undefined };

/** Ranges of numbers, each known by its lower bound: of one size, or from each bound until the next. */
export type Bucket = { readonly size: string } | { readonly bounds: readonly string[] };

/** What is computed of the rows of a group. */
export type Measure = Computation & {
  /** Which of the rows; by default all. The same object for measures of the same rows, which are then found once. */
  readonly where?: Where;
};

type Computation =
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

/** Periods, one after another: each row is in the groups of all that it belongs to. */
export interface GroupPeriods {
  /** Their first days in ISO 8601, and the day after the last. */
  readonly days: readonly string[];
  /** When these days begin. */
  readonly times: readonly Date[];
  readonly by: PeriodStatus | PeriodRange;
}

/** A row belongs to the periods at whose end it existed, and its status is the one that it had then. */
export interface PeriodStatus {
  readonly kind: 'status';
  /** Whether rows that were deleted later are counted too. Of those only the status is known. */
  readonly withDeleted: boolean;
}

/** A row belongs to the periods that a range of its days or times touches. */
export interface PeriodRange {
  readonly kind: 'range';
  readonly from: string;
  /** The last day, or the time of the end; a range without it goes on. */
  readonly to: string;
  /** The time on whose day a range without `from` begins. */
  readonly orFrom?: string | undefined;
  /**
   * Which share of its numbers a row has in a period: that of the period's days that it has, or that of its days which
   * are in the period. By default they count whole in each period.
   */
  readonly share?: 'period' | 'range' | undefined;
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
  /** What is computed of measures. Conditions and sort keys name them by the places after those of the measures. */
  readonly derived?: readonly Derived[];
  /** Further groups, each by the keys of these places alone: totals over the others. */
  readonly subtotals?: readonly (readonly number[])[];
  /** The keys for each of whose values there are up to `limit` groups; by default there are as many of all. */
  readonly per?: readonly number[];
  readonly having: readonly MeasureCondition[];
  readonly orderBy: readonly GroupSort[];
  readonly limit: number;
  /** The time zone in which times have their day and hour. */
  readonly timeZone: string;
  /** The month in which fiscal years start, 1 to 12. */
  readonly fiscalMonth?: number;
  readonly fill: readonly Fill[];
  /** Where they are given, one of the keys is the period. */
  readonly periods?: GroupPeriods | undefined;
  readonly parents?: GroupParents;
}

/** A group: the values of its keys and measures, in the order of the query. */
export interface FoundGroup {
  /** The row whose list is grouped, if there are several. */
  readonly parent?: string;
  readonly keys: readonly unknown[];
  readonly measures: readonly unknown[];
  /** The places of the keys that it is a total over. */
  readonly totalOf?: readonly number[];
  /** Whether there would be more groups without rows than are added. */
  readonly isCut?: boolean;
}
