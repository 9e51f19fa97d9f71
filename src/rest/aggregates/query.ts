// The query of aggregates: REST's parameters in GraphQL's words.
import {
  type DocumentNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  GraphQLString,
  getNamedType,
  parse,
} from 'graphql';
import { badRequest, ServiceError } from '../../errors.ts';
import { isUuid } from '../../formats.ts';
import { ErrorCollector, findDuplicateName, type InputConventions, isObject, readInput } from '../../input/index.ts';
import { parseJson } from '../../json.ts';
import { defaultSort, fieldName } from '../names.ts';
import { divide, type GroupInput } from './parameters.ts';
import { type GroupColumn, GroupWords, namesOf } from './words.ts';

type Values = Readonly<Record<string, unknown>>;
type Field = GraphQLField<unknown, unknown>;

/** A request for groups. */
export interface AggregateQuery {
  readonly document: DocumentNode;
  readonly variables: Values;
  readonly keys: readonly GroupColumn[];
  readonly figures: readonly GroupColumn[];
  /** Whether groups name the keys that they are totals over. */
  readonly hasTotals: boolean;
}

const conventions: InputConventions = { nameOf: fieldName, isId: isUuid, wrapsSingleItems: false, maxItems: 100 };

/**
 * Reads what a request asks for.
 *
 * @param list the root field of the list, in a schema of REST's form that has its aggregates
 * @throws ServiceError BAD_REQUEST
 */
export function readAggregates(schema: GraphQLSchema, list: Field, given: Values): AggregateQuery {
  const { list: rows, groups } = divide(given);
  // The default of the schema is GraphQL's spelling of it.
  const sort = list.args.find(({ name }) => name === 'sort');
  const ofList = sort ? { ...rows, ...defaultSort(sort) } : rows;
  const aggregates = (getNamedType(list.type) as GraphQLObjectType).getFields()['aggregates'];
  if (!aggregates) throw new Error(`${list.name} has no aggregates.`);
  const words = new GroupWords(
    getNamedType(aggregates.type) as GraphQLObjectType,
    groups.groupBy ?? '',
    groups.measures ?? 'count',
  );
  const filter = schema.getType(String(getNamedType(list.args.find(({ name }) => name === 'filter')?.type)));
  const conditions = readConditions(words, groups.where, filter as GraphQLInputType);
  const hasTotals = groups.subtotals !== undefined;
  const args = readArguments(words, groups, aggregates);
  const variables = [
    ...list.args.flatMap(({ name, type }) => (name in ofList ? [{ name, type, value: ofList[name] }] : [])),
    ...args,
    ...conditions.map(({ variable, value }) => ({ name: variable, type: filter, value })),
  ];
  const selection = words.selection(new Map(conditions.map(({ name, variable }) => [name, variable])));
  const ofGroups = args.map(({ name, argument }) => `${argument}: $${name}`);
  const text =
    `query${inBrackets(variables.map(({ name, type }) => `$${name}: ${String(type)}`))} { ` +
    `${list.name}${inBrackets(list.args.flatMap(({ name }) => (name in ofList ? [`${name}: $${name}`] : [])))} { ` +
    `aggregates${inBrackets(ofGroups)} { ${selection}${hasTotals ? ' totalOf' : ''} } } }`;
  return {
    document: parse(text),
    variables: Object.fromEntries(variables.map(({ name, value }) => [name, value])),
    keys: words.keys,
    figures: words.figures,
    hasTotals,
  };
}

const inBrackets = (parts: readonly string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');

/** The variables of conditions on the rows of measures. */
function readConditions({ figures }: GroupWords, text: string | undefined, type: GraphQLInputType) {
  if (text === undefined) return [];
  return Object.entries(parseObject(text, 'where')).map(([name, value], n) => {
    const figure = figures.find((each) => each.name === name);
    if (!figure || figure.isDerived)
      throw badRequest(
        `must name measures: ${figures.flatMap((each) => (each.isDerived ? [] : [each.name])).join(', ')}`,
        'where',
      );
    return { name, variable: `where${n}`, value: read(type, value, `where.${name}`) };
  });
}

/** The arguments of the groups, each with its variable. */
function readArguments(words: GroupWords, groups: GroupInput, { args }: Field) {
  const { having, groupSort, groupLimit, per, subtotals, fill, periods, timeZone } = groups;
  const typeOf = (name: string) => args.find((argument) => argument.name === name)?.type ?? GraphQLString;
  const values: Readonly<Record<string, unknown>> = {
    ...(having !== undefined && {
      having: readList(having, 'having').map((each, n) => {
        const { field, ...conditions } = isObject(each) ? each : {};
        if (typeof field !== 'string') throw badRequest('must have objects with a field', 'having');
        return { ...conditions, field: words.placeOf(field, `having.${n}.field`) };
      }),
    }),
    ...(groupSort !== undefined && { orderBy: readSort(words, groupSort) }),
    ...(groupLimit !== undefined && { first: groupLimit }),
    ...(per !== undefined && { per: namesOf(per).map((name) => words.keyAt(name, 'per')) }),
    ...(subtotals !== undefined && {
      subtotals: readList(subtotals, 'subtotals').map((level, n) => {
        if (!Array.isArray(level)) throw badRequest('must be an array of arrays of keys', 'subtotals');
        return level.map((name) => words.keyAt(String(name), `subtotals.${n}`));
      }),
    }),
    ...(fill !== undefined && { fill: parseObject(fill, 'fill') }),
    ...(periods !== undefined && { periods: parseObject(periods, 'periods') }),
    ...(timeZone !== undefined && { timeZone }),
  };
  return Object.entries(values).map(([argument, value]) => {
    const type = typeOf(argument);
    // Names of this service are as GraphQL has them already.
    return { name: `${argument}Of`, argument, type, value: read(type, value, argument) };
  });
}

/** @returns the sort keys of groups, in REST's values */
const readSort = (words: GroupWords, sort: string) =>
  sort.split(',').map((key) => {
    // In a URL, a plus sign that is not encoded is read as a space.
    const [, sign, name = ''] = /^([-+ ]?)(.*)$/s.exec(key) ?? [];
    return { field: words.placeOf(name, 'sort'), direction: sign === '-' ? 'desc' : 'asc' };
  });

/** Reads a value of JSON by its type. @throws ServiceError BAD_REQUEST */
function read(type: GraphQLInputType, value: unknown, place: string): unknown {
  const errors = new ErrorCollector();
  const { value: found } = readInput(type, value, conventions, errors, place);
  const [error] = Object.entries(errors.found);
  if (error) throw badRequest(error[1], error[0]);
  return found;
}

function parseObject(text: string, parameter: string): Record<string, unknown> {
  const json = parseText(text);
  if (!isObject(json)) throw badRequest('must be a JSON object', parameter);
  const duplicate = findDuplicateName(text);
  if (duplicate !== undefined) throw badRequest(`has an object with the duplicate name ${duplicate}`, parameter);
  return json;
}

function readList(text: string, parameter: string): readonly unknown[] {
  const json = parseText(text);
  if (!Array.isArray(json)) throw badRequest('must be a JSON array', parameter);
  return json;
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** An error of the groups, by the parameter that it is about. */
export function nameParameter(error: unknown, { keys, figures }: AggregateQuery): unknown {
  if (!(error instanceof ServiceError) || error.argument === undefined) return error;
  const { code, reason, fieldErrors, argument } = error;
  const at = (column: GroupColumn) => argument === column.path.join('.') || argument.startsWith(`${column.path[0]}.`);
  const figure = figures.find((each) => argument === each.path[0] || at(each));
  if (figure) return new ServiceError(code, `${figure.name} ${reason}`, fieldErrors, 'measures');
  if (argument.startsWith('key.') && keys.length > 0) return new ServiceError(code, reason, fieldErrors, 'group_by');
  const [first = ''] = argument.split('.');
  const name = { orderBy: 'sort', first: 'limit', timeZone: 'time_zone', aggregates: 'measures' }[first] ?? argument;
  return new ServiceError(code, reason, fieldErrors, name);
}
