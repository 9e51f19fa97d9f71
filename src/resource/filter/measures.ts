// What can be computed of the rows of a resource.
import type { Context } from '../../context.ts';
import type { ColumnPath, RowValue } from '../../database/read/group-query.ts';
import type { FieldType } from '../../fields/index.ts';
import { assertReadable } from '../access/hidden-columns.ts';
import type { MeasureOptions } from '../definition/measures.ts';
import { apiField } from '../definition/model.ts';
import type { Filterable, FilterRelation } from './filterable.ts';
import { assertMayCross } from './may-cross.ts';

/** What the values of a column are aggregated as, if they can be. */
export const measureKind = (rows: Filterable, name: string): FieldType['measure'] => apiField(rows, name).type.measure;

/** Joins a relation that a key or measure crosses. @throws ServiceError INSUFFICIENT_SCOPE */
export function joinRelation(relation: FilterRelation, context: Context, path: string): string {
  assertMayCross(relation, context, path);
  return relation.relation;
}

/**
 * The value of a declared measure of each row.
 * @param base the relations to the rows that have it
 * @throws ServiceError INSUFFICIENT_SCOPE where it crosses a relation that the caller may not read
 */
export function measureValue(
  rows: Filterable,
  name: string,
  measure: MeasureOptions,
  context: Context,
  base: readonly string[] = [],
): RowValue {
  const path = (text: string): ColumnPath => {
    const steps = text.split('.');
    let at = rows;
    const joins = steps.slice(0, -1).map((step) => {
      const relation = at.relations[step];
      if (!relation) throw new Error(`The measure ${rows.type}.${name} names no relation ${step}.`);
      at = relation.target;
      return joinRelation(relation, context, name);
    });
    const column = steps.at(-1) as string;
    assertReadable(context.caller, at.policies, column, name);
    return { joins: [...base, ...joins], column };
  };
  const time = (text: string) => (text === 'now' ? (context.at ?? new Date()) : path(text));
  if ('hours' in measure) return { kind: 'hours', from: time(measure.hours[0]), to: time(measure.hours[1]) };
  if ('days' in measure) return { kind: 'days', from: time(measure.days[0]), to: time(measure.days[1]) };
  if ('product' in measure) return { kind: 'product', of: [path(measure.product[0]), path(measure.product[1])] };
  return { kind: 'difference', of: [path(measure.difference[0]), path(measure.difference[1])] };
}
