// The columns that conditions read.
import type { ValueCondition } from './conditions.ts';
import { isOperators, isReference, listOf, whereOf } from './field-conditions.ts';
import { fieldOf, joinOf, type SqlModel } from './models.ts';
import { computedName, withComputed } from './row-value.ts';
import type { Where } from './where.ts';

/**
 * The columns of a row that decide whether it matches a condition, by their names in the database: its own, and those
 * of relations.
 */
export function columnsIn(model: SqlModel, where: Where): string[] {
  return Object.entries(where).flatMap(([key, value]) => {
    // Filters of this service have it, and nothing else of this name.
    if (key === 'VALUE') return columnsOfValue(model, value as ValueCondition);
    const join = model.joins[key];
    if (join) return join.on.map(([mine]) => fieldOf(model, mine).column);
    const field = model.fields[key];
    if (field) return [field.column, ...comparedWith(value).map((name) => fieldOf(model, name).column)];
    return listOf(value).flatMap((each) => columnsIn(model, whereOf(each)));
  });
}

/** The other columns of the row that operators compare a value with. */
const comparedWith = (value: unknown): string[] => {
  if (isReference(value)) return [value.name];
  return isOperators(value) ? Object.values(value).flatMap(comparedWith) : [];
};

/** Those of its own row that a computed value depends on, and what it is compared with. */
function columnsOfValue(model: SqlModel, { of, is }: ValueCondition): string[] {
  const paths = 'from' in of ? [of.from, of.to] : of.kind === 'column' ? [of.of] : of.of;
  const own = paths.flatMap((path) => {
    if (!('column' in path)) return [];
    const [next] = path.joins;
    return next === undefined ? [path.column] : joinOf(model, next).on.map(([mine]) => mine);
  });
  const others = columnsIn(
    withComputed(model, () => ''),
    is,
  ).filter((column) => column !== computedName);
  return [...own.map((name) => fieldOf(model, name).column), ...others];
}
