// Aggregates the rows of a list by groups, in one statement.
import { collectSubFields } from '@graphql-tools/utils';
import { type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql';
import type { Context } from '../context.ts';
import { compileRows } from '../database/read/find.ts';
import { badRequest } from '../errors.ts';
import { type ListArguments, type Listing, type ListKit, listFilter } from './lists.ts';
import { and, columnFacts, enumFacts, type ModelName, type Row, type Where } from './model.ts';
import { tenantWhere } from './query.ts';

/** Maximum number of groups in a result. */
export const maxGroups = 1000;

/** A grouping key: a column's value, or the month of a date or time. */
export interface Key {
  readonly name: string;
  readonly column: string;
  readonly month: boolean;
}

export const aggregateFunctions = ['sum', 'avg', 'min', 'max'] as const;
export type AggregateFunction = (typeof aggregateFunctions)[number];

/** An aggregate function of a column. */
export interface Measure {
  readonly of: AggregateFunction;
  readonly column: string;
}

/** A group as the database returns it; its values are named by `keyField` and `measureField`. */
export type Group = Row;

export const keyField = ({ name }: Key) => `key_${name}`;
export const measureField = ({ of, column }: Measure) => `${of}_${column}`;

export interface AggregateArguments extends Pick<ListArguments, 'filter' | 'search' | 'order'> {
  /** Names of keys. */
  groupBy?: readonly string[] | null;
  /** `count`, the name of a key, or the field of a sum. */
  sort?: string | null;
  first?: number | null;
}

const isTime = (type: string) => type === 'Date' || type === 'DateTime';
const isNumber = (type: string) => type === 'Int' || type === 'Decimal';

export function keysOf({ model, columns }: Listing): Key[] {
  return columns.flatMap((column): Key[] => {
    const { type, enum: isEnum, list, maxLength } = columnFacts(model, column);
    if (isTime(type)) return [{ name: `${column}Month`, column, month: true }];
    const groups =
      isEnum ||
      type === 'Boolean' ||
      (type === 'Uuid' && column !== 'id') ||
      (type === 'String' && maxLength !== undefined);
    return groups && !list ? [{ name: column, column, month: false }] : [];
  });
}

/** The measures of a function: one for each column that it applies to. */
export function measuresOf(of: AggregateFunction, { model, columns }: Listing): Measure[] {
  const suits = (type: string) => isNumber(type) || (isTime(type) && (of === 'min' || of === 'max'));
  return columns.filter((column) => suits(columnFacts(model, column).type)).map((column) => ({ of, column }));
}

/**
 * Groups the rows that a list with the same arguments would have, in one statement.
 *
 * @param within limits the rows, for example to those of a parent
 * @throws ServiceError BAD_REQUEST naming a wrong argument
 */
export async function findGroups(
  kit: ListKit,
  listing: Listing,
  args: AggregateArguments,
  within: Where,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Group[]> {
  const { model } = listing;
  const keys = [...new Set(args.groupBy)].flatMap((name) => keysOf(listing).filter((key) => key.name === name));
  const first = args.first ?? maxGroups;
  if (first < 1 || first > maxGroups) throw badRequest(`must be between 1 and ${maxGroups}`, 'first');
  const measures = requestedMeasures(info, listing);
  const sort = sortOf(listing, args.sort ?? 'count', keys, measures);

  const columns = [...keys, ...measures.values()].map(({ column }) => column);
  const where = and([tenantWhere(model, context), within, listFilter(kit, listing, args, context)]);
  const rows = compileRows(model, where, [...new Set(columns)]);
  // One more than the maximum, to detect that there are more.
  const limit = first === maxGroups ? first + 1 : first;
  const statement = groupSql(
    model,
    rows.text,
    keys,
    measures,
    `${sort} ${args.order === 'ASC' ? 'ASC' : 'DESC'}`,
    limit,
  );
  const groups = await context.unscopedDb.$queryRawUnsafe<Group[]>(statement, ...rows.values);
  if (groups.length > maxGroups)
    throw badRequest(`there are more than ${maxGroups} groups; filter the rows, or set a lower limit`, 'first');
  return groups.map((group) => ({
    ...group,
    ...Object.fromEntries(keys.map((key) => [keyField(key), keyValue(model, key, group[keyField(key)])])),
  }));
}

/**
 * The statement that groups the rows of another statement. All names in it come from the schema; it contains no values.
 */
function groupSql(
  model: ModelName,
  rows: string,
  keys: readonly Key[],
  measures: ReadonlyMap<string, Measure>,
  order: string,
  limit: number,
): string {
  const selected = [
    ...keys.map((key) => `${keySql(model, key)} AS "${keyField(key)}"`),
    'count(*)::int AS "count"',
    ...[...measures].map(
      ([name, { of, column }]) => `${of}("${column}")${of === 'sum' ? '::numeric' : ''} AS "${name}"`,
    ),
  ];
  const ordered = [order, ...keys.map((key) => keySql(model, key))].map((by) => `${by} NULLS LAST`);
  const groups =
    keys.length > 0
      ? `GROUP BY ${keys.map((key) => keySql(model, key)).join(', ')} ORDER BY ${ordered.join(', ')}`
      : '';
  return `SELECT ${selected.join(', ')} FROM (${rows}) AS "rows" ${groups} LIMIT ${limit}`;
}

function keySql(model: ModelName, { column, month }: Key): string {
  if (!month) return `"${column}"`;
  return `date_trunc('month', "${column}"${columnFacts(model, column).type === 'Date' ? '::timestamp' : " AT TIME ZONE 'UTC'"})::date`;
}

/** The SQL to sort groups by; sorting by a sum adds it to the measures. @throws ServiceError BAD_REQUEST */
function sortOf(listing: Listing, sort: string, keys: readonly Key[], measures: Map<string, Measure>): string {
  if (sort === 'count') return '"count"';
  const sum = measuresOf('sum', listing).find((measure) => measureField(measure) === sort);
  if (sum) measures.set(sort, sum);
  const key = keys.find(({ name }) => name === sort);
  if (!key && !sum) throw badRequest('must be count, a key in groupBy, or a sum', 'sort');
  return key ? keySql(listing.model, key) : `"${sort}"`;
}

/** A key's value in GraphQL. */
function keyValue(model: ModelName, { column }: Key, value: unknown): unknown {
  const { type, enum: isEnum } = columnFacts(model, column);
  return isEnum && value !== null
    ? Object.entries(enumFacts(type).words).find(([, word]) => word === value)?.[0]
    : value;
}

/** The measures that a query selects, by their names in SQL. */
function requestedMeasures(info: GraphQLResolveInfo, listing: Listing): Map<string, Measure> {
  const below = (type: GraphQLObjectType, nodes: FieldNode[]) => [
    ...collectSubFields(info.schema, info.fragments, info.variableValues, type, nodes).fields.values(),
  ];
  const groupType = getNamedType(info.returnType) as GraphQLObjectType;
  const requested = new Map<string, Measure>();
  for (const of of aggregateFunctions) {
    const nodes = below(groupType, [...info.fieldNodes])
      .flat()
      .filter(({ name }) => name.value === of);
    const part = groupType.getFields()[of];
    if (!part || nodes.length === 0) continue;
    for (const [node] of below(getNamedType(part.type) as GraphQLObjectType, nodes)) {
      const measure = measuresOf(of, listing).find(({ column }) => column === node?.name.value);
      if (measure) requested.set(measureField(measure), measure);
    }
  }
  return requested;
}
