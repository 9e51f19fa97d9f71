// The order of lists: several keys, also of related rows.
import type { Context } from '../../context.ts';
import type { ListFigure } from '../../database/read/list-figure.ts';
import type { ApiField } from '../../database/stored-field.ts';
import { badRequest } from '../../errors.ts';
import type { Operator } from '../../fields/index.ts';
import { assertReadable } from '../access/hidden-columns.ts';
import { and, apiField, matchesAll, type Row, type Where } from '../definition/model.ts';
import type { Filterable, FilterRelation } from '../filter/filterable.ts';
import { figureField, figureWhere, listFigure } from '../filter/list-figures.ts';
import { assertMayCross } from '../filter/may-cross.ts';
import { anyOf, fieldWhere, none } from '../filter/operators.ts';

/** A direction as Prisma's arguments. */
type Direction = 'asc' | 'desc';

/**
 * A key that a list is sorted by: a field of its rows, or of a row that they refer to, or what is computed of a list of
 * such a row. Unset values come last.
 */
interface SortKey {
  /** The relations that lead to the field's row. */
  readonly relations: readonly FilterRelation[];
  readonly field: ApiField;
  /** What is computed of a list, where it is that. */
  readonly figure?: SortedFigure;
  /** Whether a row may have no value. */
  readonly nullable: boolean;
  readonly direction: Direction;
}

/** What is computed of a list, and its name: `invoices.amount.sum`. */
interface SortedFigure {
  readonly name: string;
  readonly of: ListFigure;
}

/** One part of `orderBy`. */
type OrderInput = Readonly<Record<string, unknown>>;

/** Bounds of one order. */
const orderLimits = { keys: 5, relations: 3 } as const;

/**
 * Reads the keys of a list's order; the last is always the id.
 *
 * @throws ServiceError BAD_REQUEST, or INSUFFICIENT_SCOPE where it crosses relations
 */
export function readOrder(rows: Filterable, orderBy: readonly OrderInput[], context: Context): SortKey[] {
  if (orderBy.length > orderLimits.keys) throw badRequest(`must have at most ${orderLimits.keys} keys`, 'orderBy');
  const keys = orderBy.map((input, n) => readKey(rows, input, [], context, `orderBy.${n}`));
  const unique = keys.findIndex(({ relations, field }) => relations.length === 0 && field.role === 'key');
  if (unique >= 0) return keys.slice(0, unique + 1);
  const direction = keys.at(-1)?.direction ?? 'desc';
  return [...keys, { relations: [], field: apiField(rows, 'id'), nullable: false, direction }];
}

function readKey(
  rows: Filterable,
  { direction = 'ASC', ...input }: OrderInput,
  relations: readonly FilterRelation[],
  context: Context,
  path: string,
): SortKey {
  const [[name, value] = [], ...others] = Object.entries(input).filter(([, value]) => value != null);
  if (name === undefined || others.length > 0) throw badRequest('must have field or one relation', path);
  const sort = direction === 'DESC' ? 'desc' : 'asc';
  if (name === 'measure') {
    const figure = listFigure(rows, value as string, context, `${path}.measure`);
    return { relations, field: figureField, figure, nullable: true, direction: sort };
  }
  if (name !== 'field') {
    const relation = rows.relations[name] as FilterRelation;
    if (relations.length === orderLimits.relations)
      throw badRequest(`must cross at most ${orderLimits.relations} relations`, path);
    assertMayCross(relation, context, `${path}.${name}`);
    // A nested key has the direction of the outer key, unless it sets its own.
    const inner = { direction, ...(value as OrderInput) };
    return readKey(relation.target, inner, [...relations, relation], context, `${path}.${name}`);
  }
  const field = apiField(rows, value as string);
  assertReadable(context.caller, rows.policies, field.name, path);
  const nullable = !field.required || relations.some(({ reference }) => reference !== undefined);
  return { relations, field, nullable, direction: sort };
}

/**
 * Identifies an order, for cursors: `building.code und-x-icu asc createdAt desc`. The key that only breaks ties is
 * implied.
 */
export const orderName = (keys: readonly SortKey[]): string =>
  (keys.length > 1 ? keys.slice(0, -1) : keys)
    .map(({ relations, field, figure, direction }) => {
      const { collation } = field.type;
      const path = [...relations.map(({ relation }) => relation), figure?.name ?? field.name].join('.');
      return [path, ...(collation === undefined ? [] : [collation]), direction].join(' ');
    })
    .join(' ');

/** Prisma's `orderBy`. @param backward whether the list is read from its end */
export const orderByOf = (keys: readonly SortKey[], backward: boolean): Row[] =>
  keys.map(({ relations, field, figure, nullable, direction }) => {
    const sort = backward ? opposite[direction] : direction;
    const order = nullable ? { sort, nulls: backward ? 'first' : 'last' } : sort;
    const own = figure ? { [figure.of.relation]: { figure: figure.of, order } } : { [field.name]: order };
    return relations.reduceRight<Row>((inner, { relation }) => ({ [relation]: inner }), own);
  });

const opposite: Readonly<Record<Direction, Direction>> = { asc: 'desc', desc: 'asc' };

/** A selection of columns, also of related rows, and as `_count`, as in Prisma, of what is computed of lists. */
export interface KeySelection {
  [name: string]: true | ListFigure | { select: KeySelection };
}

/** The columns that keys compare, as Prisma's selection. */
export const selectKeys = (keys: readonly SortKey[]): KeySelection => {
  const select: KeySelection = {};
  for (const { relations, field, figure } of keys) {
    const within = relations.reduce((outer, { relation }) => selectionBelow(outer, relation), select);
    if (figure) selectionBelow(within, '_count')[figure.name] = figure.of;
    else within[field.name] = true;
  }
  return select;
};

/** The selection of a relation. */
const selectionBelow = (outer: KeySelection, relation: string): KeySelection =>
  // Relations are always selected so.
  ((outer[relation] ??= { select: {} }) as { select: KeySelection }).select;

/** A row's value of a key. */
export function valueOf(row: Row, { relations, field, figure }: SortKey): unknown {
  const path = [...relations.map(({ relation }) => relation), ...(figure ? ['_count', figure.name] : [field.name])];
  return path.reduce<unknown>((at, name) => (at as Row | null | undefined)?.[name], row) ?? null;
}

/**
 * The condition for the rows that come after a position in the order, or before it.
 * @param values the position: a value of each key
 */
export function beyond(keys: readonly SortKey[], values: readonly unknown[], backward: boolean): Where {
  const alternatives = keys.map((key, n) =>
    and([...keys.slice(0, n).map((earlier, k) => equals(earlier, values[k])), later(key, values[n], backward)]),
  );
  const [first] = keys;
  const bounds = first && keys.length > 1 && isIndexed(first) ? [bound(first, values[0], backward)] : [];
  return and([...bounds, anyOf(alternatives)]);
}

/** PostgreSQL uses an index for a simple bound, but not for an OR, so the bound repeats what the OR implies. */
const isIndexed = ({ relations, nullable, field }: SortKey) =>
  relations.length === 0 && !nullable && !field.type.comparison.members;

const bound = ({ field, direction }: SortKey, value: unknown, backward: boolean): Where => ({
  [field.name]: { [(direction === 'asc') === backward ? 'lte' : 'gte']: value },
});

function later(key: SortKey, value: unknown, backward: boolean): Where {
  if (value === null) return backward ? isSet(key.relations, key) : none;
  const operator = (key.direction === 'asc') === backward ? 'lt' : 'gt';
  const further = compare(key, operator, value);
  return backward || !key.nullable ? further : anyOf([further, isUnset(key.relations, key)]);
}

const equals = (key: SortKey, value: unknown): Where =>
  value === null ? isUnset(key.relations, key) : compare(key, 'eq', value);

/** A condition on the value of a key, which holds for no row without one. */
const compare = (key: SortKey, operator: Operator, operand: unknown): Where =>
  key.relations.reduceRight<Where>((inner, relation) => related(relation, inner), own(key, operator, operand));

/** A condition on the value of a key, of the row that has it. */
function own({ field, figure }: SortKey, operator: Operator, operand: unknown): Where {
  const is = fieldWhere({ field, operator, operand }, false);
  return figure ? figureWhere(figure.of, is) : is;
}

function isUnset([first, ...rest]: SortKey['relations'], key: SortKey): Where {
  if (!first) return own(key, 'isNull', true);
  return anyOf([
    first.reference === undefined ? none : { [first.reference]: null },
    related(first, isUnset(rest, key)),
  ]);
}

function isSet([first, ...rest]: SortKey['relations'], key: SortKey): Where {
  if (!first) return own(key, 'isNull', false);
  const inner = isSet(rest, key);
  if (!matchesAll(inner)) return related(first, inner);
  return first.reference === undefined ? {} : { [first.reference]: { not: null } };
}

const related = ({ relation }: FilterRelation, inner: Where): Where =>
  inner === none ? none : { [relation]: { is: inner } };
