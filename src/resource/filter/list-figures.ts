// What can be computed of the lists of a row, as text names it: `comments`, `invoices.count`, `invoices.amount.sum`.
import type { Context } from '../../context.ts';
import type { RowValue } from '../../database/read/group-query.ts';
import type { ListFigure } from '../../database/read/list-figure.ts';
import { computedName } from '../../database/read/row-value.ts';
import { type ApiField, columnField } from '../../database/stored-field.ts';
import { badRequest } from '../../errors.ts';
import { decimal } from '../../fields/index.ts';
import { oneOf } from '../../input/index.ts';
import { snakeCase } from '../../names.ts';
import { assertReadable } from '../access/hidden-columns.ts';
import { matchesAll, type Where } from '../definition/model.ts';
import type { Filterable, FilterRelation } from './filterable.ts';
import { assertMayCross } from './may-cross.ts';
import { measureKind } from './measures.ts';
import { none } from './operators.ts';

const computed = ['sum', 'avg', 'min', 'max'] as const;

/** The field of the time of creation, by which the first row of a list is known. */
const creationOf = ({ roles: { creation }, columns }: Filterable): string | undefined =>
  creation && columns.includes(creation.name) ? creation.name : undefined;

/** The lists of which the first row is known, where the time of their own row is known too. */
const listsWithFirst = (rows: Filterable): readonly string[] =>
  creationOf(rows) === undefined
    ? []
    : Object.keys(rows.relations).filter((name) => {
        const { isList, through, target } = rows.relations[name] as FilterRelation;
        return isList && !through && creationOf(target) !== undefined;
      });

/** Whether rows have a list of which the first row is known. */
export const hasFirsts = (rows: Filterable): boolean => listsWithFirst(rows).length > 0;

/** Whether rows have a list. */
export const hasLists = ({ relations }: Filterable): boolean => Object.values(relations).some(({ isList }) => isList);

/**
 * The hours from the creation of a row to that of the first row of a list.
 * @param name the list, as GraphQL or REST call it
 * @throws ServiceError BAD_REQUEST or INSUFFICIENT_SCOPE
 */
export function hoursToFirst(rows: Filterable, name: string, context: Context, path: string): RowValue {
  const lists = listsWithFirst(rows);
  const relation = listOf(rows, lists, name, context, path);
  const column = creationOf(relation.target) as string;
  return { kind: 'hoursToFirst', joins: [], of: { ...source(relation), measure: { of: 'min', column } } };
}

/**
 * A figure of a list: `invoices.count`, `invoices.amount.sum`.
 * @returns also its name, as GraphQL has it
 * @throws ServiceError BAD_REQUEST or INSUFFICIENT_SCOPE
 */
export function listFigure(
  rows: Filterable,
  text: string,
  context: Context,
  path: string,
): { readonly name: string; readonly of: ListFigure } {
  const [list = '', column = '', of, ...more] = text.split('.');
  const lists = Object.keys(rows.relations).filter((name) => rows.relations[name]?.isList);
  const relation = listOf(rows, lists, list, context, path);
  const { target } = relation;
  const shown = named(lists, list);
  if (column === 'count' && of === undefined)
    return { name: `${shown}.count`, of: { ...source(relation), measure: 'count' } };
  const numbers = target.columns.filter((name) => measureKind(target, name) === 'Number');
  const number = named(numbers, column);
  const computation = computed.find((each) => each === of);
  if (number === undefined || computation === undefined || more.length > 0)
    throw badRequest(`must be ${oneOf([`${list}.count`, ...numbers.map((name) => `${list}.${name}.sum`)])}`, path);
  assertReadable(context.caller, target.policies, number, path);
  return {
    name: `${shown}.${number}.${computation}`,
    of: { ...source(relation), measure: { of: computation, column: number } },
  };
}

/** A number that is computed of a list, as conditions on it name it: an average has more digits than a column. */
export const figureField: ApiField = {
  ...columnField(
    {
      model: '',
      name: computedName,
      type: decimal,
      itemType: decimal,
      required: false,
      list: false,
      hasDefault: false,
    },
    computedName,
  ),
  type: decimal,
  precision: 80,
  scale: 40,
};

/** The condition on a figure of a list. @param is the condition, in which it has the name of `figureField` */
export function figureWhere({ relation, measure, through, where, as }: ListFigure, is: Where): Where {
  if (is === none || matchesAll(is)) return is;
  return { [relation]: { measured: { measure, through, where, is }, ...(as !== undefined && { as }) } };
}

const source = ({ relation, as, through }: FilterRelation) => ({ relation, as, through });

/** REST has names of its own. */
const named = (names: readonly string[], text: string): string | undefined =>
  names.find((name) => name === text || snakeCase(name) === text);

function listOf(
  rows: Filterable,
  lists: readonly string[],
  text: string,
  context: Context,
  path: string,
): FilterRelation {
  const name = named(lists, text);
  const relation = name === undefined ? undefined : rows.relations[name];
  if (!relation) throw badRequest(`must begin with a list: ${oneOf(lists)}`, path);
  assertMayCross(relation, context, path);
  return relation;
}
