import { collectSubFields } from '@graphql-tools/utils';
import type { ArgBuilder, EnumRef, FieldMap, InputFieldMap, ObjectRef } from '@pothos/core';
import { type FieldNode, type GraphQLObjectType, type GraphQLResolveInfo, getNamedType } from 'graphql';
import type { Context } from '../context.ts';
import { statementOf } from '../database/statement.ts';
import { badRequest } from '../errors.ts';
import { constantCase, lowerFirst, words } from '../names.ts';
import { builder, type SchemaTypes } from './builder.ts';
import { type Resource, resourceOf } from './define.ts';
import { and, type ListArguments, type Listing, listFilter, type Row, SortOrder, type Where } from './lists.ts';
import { loadRow } from './load.ts';
import { columnFacts, enumFacts, type ModelName, modelFacts } from './model.ts';
import { columnType } from './types.ts';
import { delegate, tenant } from './writes.ts';

/** The most groups that an answer has. */
export const mostGroups = 1000;

/** What rows can be grouped by: a column's value, or the month that it is in. */
interface Key {
  readonly name: string;
  readonly column: string;
  readonly month: boolean;
}

const functions = ['sum', 'avg', 'min', 'max'] as const;
type AggregateFunction = (typeof functions)[number];

/** What can be worked out of a group's rows: a function of one of their columns. */
interface Measure {
  readonly of: AggregateFunction;
  readonly column: string;
}

/** A group as the database answers it; its values go by `keyField` and `measureField`. */
type Group = Row;

const keyField = ({ name }: Key) => `key_${name}`;
const measureField = ({ of, column }: Measure) => `${of}_${column}`;

interface AggregateArguments extends Pick<ListArguments, 'filter' | 'search' | 'order'> {
  /** Names of keys. */
  groupBy?: readonly string[] | null;
  /** `count`, the name of a key, or the field of a sum. */
  sort?: string | null;
  first?: number | null;
}

/** The types that answer for the groups of one type's rows, and what they can be asked for. */
export interface Aggregates {
  readonly ref: ObjectRef<SchemaTypes, Group>;
  readonly arguments: (arg: ArgBuilder<SchemaTypes>) => InputFieldMap;
}

const made = new Map<string, Aggregates>();

/**
 * Makes, once a type, what the groups of its rows are asked for and answer with.
 * @param relations the relations that GraphQL can follow from a row
 */
export function aggregatesOf(resource: Resource, relations: readonly string[]): Aggregates {
  const { type } = resource.listing;
  const existing = made.get(type);
  if (existing) return existing;
  const keys = keysOf(resource.listing);
  const created = { ref: groupType(resource.listing, keys, relations), arguments: argumentsOf(resource, keys) };
  made.set(type, created);
  return created;
}

const isTime = (type: string) => type === 'Date' || type === 'DateTime';
const isNumber = (type: string) => type === 'Int' || type === 'Decimal';

function keysOf({ model, columns }: Listing): Key[] {
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

/** The columns that a function makes sense of. */
function measured(of: AggregateFunction, { model, columns }: Listing): Measure[] {
  const suits = (type: string) => isNumber(type) || (isTime(type) && (of === 'min' || of === 'max'));
  return columns.filter((column) => suits(columnFacts(model, column).type)).map((column) => ({ of, column }));
}

const told: Record<AggregateFunction, string> = {
  sum: 'The sum',
  avg: 'The average',
  min: 'The least',
  max: 'The greatest',
};

function groupType(
  listing: Listing,
  keys: readonly Key[],
  relations: readonly string[],
): ObjectRef<SchemaTypes, Group> {
  const { type, model } = listing;
  const part = (
    name: string,
    description: string,
    fields: (t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Group>) => FieldMap,
  ) => builder.objectRef<Group>(`${type}Aggregate${name}`).implement({ description, fields });
  const KeyType = part(
    'Key',
    `What the ${type} rows of a group have in common; null where it is unset, or not grouped by.`,
    (t) => ({
      ...Object.fromEntries(
        keys.map((key) => [
          key.name,
          t.field({
            type: key.month ? 'Date' : columnType(model, key.column),
            nullable: true,
            description: key.month
              ? `The first day of the month, UTC, that \`${key.column}\` is in.`
              : `Their \`${key.column}\`.`,
            resolve: (group) => group[keyField(key)] as never,
          }),
        ]),
      ),
      ...Object.fromEntries(
        relations.flatMap((relation) => {
          const key = keys.find(({ column }) => column === modelFacts(model).relations[relation]);
          const target = key && modelFacts(model).references[key.column];
          return target ? [[relation, namedRow(t, key, target)]] : [];
        }),
      ),
    }),
  );
  const parts = functions.flatMap((of) => {
    const measures = measured(of, listing);
    if (measures.length === 0) return [];
    const ref = part(
      of.charAt(0).toUpperCase() + of.slice(1),
      `${told[of]} of each column, over the rows of a group that have it set.`,
      (t) =>
        Object.fromEntries(
          measures.map((measure) => [
            measure.column,
            t.field({
              // The sum of integers may be none that GraphQL's Int can hold.
              type: of === 'sum' || of === 'avg' ? 'Float' : columnType(model, measure.column),
              nullable: true,
              description: `${told[of]} of \`${measure.column}\`; null where it is set in no row.`,
              resolve: (group) => group[measureField(measure)] as never,
            }),
          ]),
        ),
    );
    return [[of, ref] as const];
  });
  return builder.objectRef<Group>(`${type}Aggregate`).implement({
    description: `Rows of ${type} that have the same in common, counted and measured.`,
    fields: (t) => ({
      key: t.field({ type: KeyType, description: 'What its rows have in common.', resolve: (group) => group }),
      count: t.int({ description: 'How many rows it has.', resolve: (group) => group['count'] as number }),
      ...Object.fromEntries(
        parts.map(([of, ref]) => [
          of,
          t.field({ type: ref, description: `${told[of]} of each column.`, resolve: (group) => group }),
        ]),
      ),
    }),
  });
}

/** The row that a key names. Its type's scope is asked for, as wherever a field leads to it. */
function namedRow(t: PothosSchemaTypes.ObjectFieldBuilder<SchemaTypes, Group>, key: Key, target: ModelName) {
  const resource = resourceOf(target);
  return t.field({
    type: resource.ref,
    nullable: true,
    description: `What their \`${key.column}\` names.`,
    resolve: (group, _args, context, info) => {
      const id = group[keyField(key)];
      return typeof id === 'string' ? loadRow(resource, id, context, info) : null;
    },
  });
}

function argumentsOf(resource: Resource, keys: readonly Key[]): Aggregates['arguments'] {
  const { type } = resource.listing;
  const keyValues = keys.map(
    (key) =>
      [
        constantCase(key.name),
        {
          value: key.name,
          description: key.month ? `By the month, UTC, that \`${key.column}\` is in.` : `By \`${key.column}\`.`,
        },
      ] as const,
  );
  const sums = measured('sum', resource.listing).map(
    (measure) =>
      [
        `SUM_${constantCase(measure.column)}`,
        { value: measureField(measure), description: `By the sum of \`${measure.column}\`; unset last.` },
      ] as const,
  );
  const GroupBy: EnumRef<SchemaTypes, string> = builder.enumType(`${type}GroupBy`, {
    description: `What ${type} rows can be grouped by.`,
    values: Object.fromEntries(keyValues),
  });
  const Sort: EnumRef<SchemaTypes, string> = builder.enumType(`${type}AggregateSort`, {
    description: `What groups of ${type} rows can be sorted by: how many they are, what they are grouped by, or a sum.`,
    values: Object.fromEntries([
      ['COUNT', { value: 'count', description: 'By how many rows they have.' }] as const,
      ...keyValues,
      ...sums,
    ]),
  });
  return (arg) => {
    const { filter, search } = resource.arguments(arg, 1) as InputFieldMap;
    return {
      filter,
      ...(search && { search }),
      groupBy: arg({
        type: [GroupBy],
        description: 'What the rows of a group have in common; all rows are one group unless given.',
      }),
      sort: arg({
        type: Sort,
        defaultValue: 'count',
        description: 'What to sort the groups by; ties sort by what they are grouped by.',
      }),
      order: arg({ type: SortOrder, defaultValue: 'DESC', description: 'The direction of the sort.' }),
      first: arg.int({
        defaultValue: mostGroups,
        description: `How many groups at the most, 1 to ${mostGroups}. When there are more than ${mostGroups}, fewer must be asked for.`,
      }),
    } as InputFieldMap;
  };
}

/**
 * Groups the rows that a list with the same arguments would have, in one statement.
 * @param within whose rows, and which of them exist for the caller
 * @throws ServiceError BAD_REQUEST naming a wrong argument
 */
export async function readGroups(
  { listing }: Resource,
  args: AggregateArguments,
  within: Where,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Group[]> {
  const { model } = listing;
  const keys = [...new Set(args.groupBy)].flatMap((name) => keysOf(listing).filter((key) => key.name === name));
  const first = args.first ?? mostGroups;
  if (first < 1 || first > mostGroups) throw badRequest(`must be between 1 and ${mostGroups}`, 'first');
  const measures = askedOf(info, listing);
  const sort = sortOf(listing, args.sort ?? 'count', keys, measures);

  const columns = [...keys, ...measures.values()].map(({ column }) => column);
  const where = and([tenant(model, context), within, listFilter(listing, args, context)]);
  const select = Object.fromEntries(['id', ...columns].map((column) => [column, true]));
  const rows = await statementOf(() => delegate(context.db, model).findMany({ where, select }));
  // One more than an answer has, to know whether there are more.
  const limit = first === mostGroups ? first + 1 : first;
  const statement = groupSql(
    model,
    rows.sql,
    keys,
    measures,
    `${sort} ${args.order === 'ASC' ? 'ASC' : 'DESC'}`,
    limit,
  );
  const groups = await context.db.$queryRawUnsafe<Group[]>(statement, ...rows.args);
  if (groups.length > mostGroups)
    throw badRequest(`there are more than ${mostGroups} groups; filter the rows, or ask for fewer groups`, 'first');
  return groups.map((group) => ({
    ...group,
    ...Object.fromEntries(keys.map((key) => [keyField(key), keyValue(model, key, group[keyField(key)])])),
  }));
}

/** The statement that groups the rows of another. All names in it are the schema's, and no values. */
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
  const ordered = [order, ...keys.map((key) => orderSql(model, key))].map((by) => `${by} NULLS LAST`);
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

/** Prisma selects the words of an enum, whose order is another than its own. */
function orderSql(model: ModelName, key: Key): string {
  const { type, enum: isEnum } = columnFacts(model, key.column);
  if (!isEnum) return keySql(model, key);
  const inOrder = Object.values(enumFacts(type).words).map((word) => `'${word}'`);
  return `array_position(ARRAY[${inOrder.join(', ')}], ${keySql(model, key)})`;
}

/** What groups are to be sorted by; a sum is added to the measures. @throws ServiceError BAD_REQUEST */
function sortOf(listing: Listing, sort: string, keys: readonly Key[], measures: Map<string, Measure>): string {
  if (sort === 'count') return '"count"';
  const sum = measured('sum', listing).find((measure) => measureField(measure) === sort);
  if (sum) measures.set(sort, sum);
  const key = keys.find(({ name }) => name === sort);
  if (!key && !sum) throw badRequest('must be something that groupBy names', 'sort');
  return key ? orderSql(listing.model, key) : `"${sort}"`;
}

/** What a key is in GraphQL. */
function keyValue(model: ModelName, { column }: Key, value: unknown): unknown {
  const { type, enum: isEnum } = columnFacts(model, column);
  return isEnum && value !== null
    ? Object.entries(enumFacts(type).words).find(([, word]) => word === value)?.[0]
    : value;
}

/** The measures that a query asks for, by what the database calls them. */
function askedOf(info: GraphQLResolveInfo, listing: Listing): Map<string, Measure> {
  const below = (type: GraphQLObjectType, nodes: FieldNode[]) => [
    ...collectSubFields(info.schema, info.fragments, info.variableValues, type, nodes).fields.values(),
  ];
  const groupType = getNamedType(info.returnType) as GraphQLObjectType;
  const asked = new Map<string, Measure>();
  for (const of of functions) {
    const nodes = below(groupType, [...info.fieldNodes])
      .flat()
      .filter(({ name }) => name.value === of);
    const part = groupType.getFields()[of];
    if (!part || nodes.length === 0) continue;
    for (const [node] of below(getNamedType(part.type) as GraphQLObjectType, nodes)) {
      const measure = measured(of, listing).find(({ column }) => column === node?.name.value);
      if (measure) asked.set(measureField(measure), measure);
    }
  }
  return asked;
}

/** What a list's groups are called. */
export const aggregatesName = (name: string): string => `${lowerFirst(name)}Aggregates`;

/** What is said of a list's groups. */
export const aggregatesDescription = (type: string): string =>
  `The ${words(type)} rows in groups, counted and measured.`;
