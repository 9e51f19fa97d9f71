// What is computed from the columns of each row.

/**
 * A measure computed from columns: a duration between two times, or a product or difference of two numbers. Columns are
 * named as in GraphQL, those of a related row with a dot (`item.unitCost`); `now` is the time of the request.
 */
export type MeasureOptions = { readonly description: string } & (
  | { readonly hours: readonly [from: string, to: string] }
  | { readonly days: readonly [from: string, to: string] }
  | { readonly product: readonly [string, string] }
  | { readonly difference: readonly [string, string] }
);

/** Measures by their name in GraphQL. */
export type Measures = Readonly<Record<string, MeasureOptions>>;

/**
 * The days or times of each row, from one column to another: rows can be grouped by the periods that these touch.
 * A range without a start begins on the day of `orFrom`, or is in no period; one without an end goes on.
 */
export interface RangeOptions {
  readonly from: string;
  readonly to: string;
  readonly orFrom?: string;
}

/** Ranges by the name that `periods` calls them by. */
export type Ranges = Readonly<Record<string, RangeOptions>>;

/** The columns that a measure is computed from. */
export const columnsOf = (measure: MeasureOptions): readonly string[] =>
  Object.values(measure).flatMap((value) => (typeof value === 'string' ? [] : value));
