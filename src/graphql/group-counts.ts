// How many groups a query can have: of enums as many as these have members, of periods as many as the filter allows.
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  getArgumentValues,
  getNamedType,
  isObjectType,
} from 'graphql';
import { type DatePart, RelativeTime } from '../fields/index.ts';
import { type Fragments, selectedFields } from './database-costs.ts';

type Values = Readonly<Record<string, unknown>>;

/** A query that groups rows. */
interface GroupedQuery {
  readonly fragments: Fragments;
  readonly variables: Values;
  /** The filter of the list. */
  readonly filter?: unknown;
}

const dayMs = 86_400_000;

/** The fewest days of each period. */
const daysOf: Readonly<Partial<Record<DatePart, number>>> = {
  day: 1,
  week: 7,
  month: 28,
  quarter: 90,
  year: 365,
  fiscalYear: 365,
};

/** How many different values some fields of a key can have together. @param nodes the selections of `key` */
export const countCombinations = (type: GraphQLObjectType, nodes: readonly FieldNode[], query: GroupedQuery): number =>
  nodes.reduce((product, node) => {
    const field = type.getFields()[node.name.value];
    if (!field) return product; // __typename
    return product * countKeys(field, node, query, isObject(query.filter) ? query.filter : {});
  }, 1);

/** Those of a field. @param conditions on the row that has it, by its columns */
function countKeys(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  query: GroupedQuery,
  conditions: Values,
): number {
  const named = getNamedType(field.type);
  if (!isObjectType(named)) return countValues(field, node, query);
  const days = daysBetween(field.name, conditions);
  const isKey = field.name === 'key';
  let product = 1;
  for (const inner of selectedFields(node, query.fragments)) {
    const found = named.getFields()[inner.name.value];
    if (!found) continue;
    const length = daysOf[found.name as DatePart];
    const few = days === undefined || length === undefined ? Infinity : Math.ceil(days / length) + 1;
    product *= Math.min(few, countKeys(found, inner, query, isKey ? conditions : {}));
  }
  // There may be no related row.
  return product + (field.extensions.relatedKey ? 1 : 0);
}

/** How many values a field of a key can have, unset included; infinitely many where nothing says so. */
function countValues(field: GraphQLField<unknown, unknown>, node: FieldNode, { variables }: GroupedQuery): number {
  const { valueCount, isRequired } = field.extensions;
  const bounds = field.name === 'bucket' ? getArgumentValues(field, node, variables)['bounds'] : undefined;
  const values = Array.isArray(bounds) ? bounds.length : (valueCount ?? Infinity);
  return values + (isRequired ? 0 : 1);
}

/** How many days lie between the bounds that a filter has for a column; undefined where one of them is missing. */
function daysBetween(column: string, conditions: Values): number | undefined {
  const { and } = conditions;
  const all = [conditions, ...(Array.isArray(and) ? (and as readonly unknown[]) : [])].filter(isObject);
  const operators = all.map((each) => each[column]).filter(isObject);
  const timesOf = (...names: readonly string[]) =>
    operators.flatMap((each) => names.flatMap((name) => timeOf(each[name]) ?? []));
  const [from, to] = [Math.max(...timesOf('gte', 'gt')), Math.min(...timesOf('lt', 'lte'))];
  // Time zones move an end by a day.
  return Number.isFinite(from) && Number.isFinite(to) ? Math.max(0, to - from) / dayMs + 2 : undefined;
}

function timeOf(value: unknown): number | undefined {
  if (value instanceof RelativeTime) return value.at(new Date(), 'utc').getTime();
  return value instanceof Date ? value.getTime() : undefined;
}

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
