// Groups for the service's own figures.
import type { Context } from '../../context.ts';
import type { ColumnPath, Measure, RowValue } from '../../database/read/group-query.ts';
import type { DatePart } from '../../fields/index.ts';
import type { ModelName, Row, Where } from '../definition/model.ts';

/** A value of each row: a column, or what is computed from two. */
type Value =
  | string
  | { readonly product: readonly [string, string] }
  | { readonly hours: readonly [from: string, to: string] };

/** What is computed of a group: the number of its rows, or a function of their values. */
type GroupMeasure = 'count' | { readonly sum: Value } | { readonly avg: Value };

/**
 * Groups rows of the caller's company, in one statement.
 *
 * @param by columns, or `createdAt.day`: a part of a date, of times in the company's time zone
 * @param measures what is computed, by name
 * @returns the groups, each with the columns by `by` and the measures by name; one without `by`
 */
export async function groupRows<Name extends string>(
  context: Context,
  model: ModelName,
  where: Where,
  by: readonly string[],
  measures: Readonly<Record<Name, GroupMeasure>>,
): Promise<(Row & Record<Name, unknown>)[]> {
  const named = Object.entries<GroupMeasure>(measures);
  const found = await context.reader.groups(model, {
    where,
    keys: by.map((key) => {
      const [column = '', part] = key.split('.');
      // The callers name parts that exist.
      return { value: own(column), part: part as DatePart | undefined };
    }),
    measures: named.map(([, measure]) => measureOf(measure)),
    having: [],
    orderBy: [],
    limit: maxRows,
    timeZone: context.caller.timeZone,
    fill: [],
  });
  return found.map(({ keys, measures: values }) => ({
    ...Object.fromEntries(by.map((key, n) => [key, keys[n]])),
    // The measures have all of these names.
    ...(Object.fromEntries(named.map(([name], n) => [name, values[n]])) as Record<Name, unknown>),
  }));
}

/** More groups than any figure has: the days of ten years. */
const maxRows = 10_000;

const own = (column: string): ColumnPath => ({ joins: [], column });

function measureOf(measure: GroupMeasure): Measure {
  if (measure === 'count') return { of: 'count' };
  return 'sum' in measure ? { of: 'sum', value: valueOf(measure.sum) } : { of: 'avg', value: valueOf(measure.avg) };
}

function valueOf(value: Value): RowValue {
  if (typeof value === 'string') return { kind: 'column', of: own(value) };
  if ('product' in value) return { kind: 'product', of: [own(value.product[0]), own(value.product[1])] };
  return { kind: 'hours', from: own(value.hours[0]), to: own(value.hours[1]) };
}
