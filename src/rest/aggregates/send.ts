// Sends the groups of a list, as JSON or as a table.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type ExecutionArgs, execute, type GraphQLSchema } from 'graphql';
import { type Context, contextOf, streamRequesterOf } from '../../context.ts';
import { runFor, runReading } from '../../database/index.ts';
import { badRequest, type ServiceError } from '../../errors.ts';
import { typeOfScalar } from '../../fields/index.ts';
import { csvType, onlyForCsv } from '../../http/csv.ts';
import { sendTable } from '../../http/send-table.ts';
import { findOversize } from '../../http/size.ts';
import type { TablePage } from '../../http/table.ts';
import { stringifyJson } from '../../json.ts';
import type { Row } from '../../resource/index.ts';
import { json, nameAsWritten, toRestError } from '../envelope.ts';
import type { FeedDependencies } from '../feed.ts';
import { lazy } from '../lazy.ts';
import type { RestOperation } from '../operations.ts';
import { createParameterReader, type ParameterInput } from '../parameters.ts';
import { fileName, maxTablePage, preferredTable } from '../table.ts';
import { type AggregateQuery, nameParameter, readAggregates } from './query.ts';
import type { GroupColumn } from './words.ts';

/** What sending groups depends on. */
export interface AggregateDependencies extends Pick<FeedDependencies, 'database' | 'assertValid'> {
  /** What is wrong with a query that could cost too much. */
  readonly findExcess: (args: ExecutionArgs) => ServiceError | undefined;
}

/** The most groups of a table, and the most values of them all. */
const maxTableGroups = 100_000;
const maxTableValues = 1_000_000;

/**
 * Creates the function that sends the groups of a list.
 *
 * @param operation that of the list's aggregates
 * @param schema a schema of REST's form that has the list with its aggregates
 */
export function createAggregateSender(
  operation: RestOperation,
  schema: () => GraphQLSchema,
  { database, assertValid, findExcess }: AggregateDependencies,
) {
  const readParameters = createParameterReader(operation);
  const { route, field } = operation;
  const list = lazy(() => {
    const found = schema().getQueryType()?.getFields()[field.name];
    if (!found) throw new Error(`The schema has no list ${field.name}.`);
    return found;
  });

  /** Reads the groups of a request. @throws ServiceError in REST's names */
  async function read(query: AggregateQuery, context: Context): Promise<readonly Row[]> {
    const { document, variables: variableValues } = query;
    let found: readonly Row[] = [];
    const takeGroups = (groups: readonly Row[]) => {
      found = groups;
    };
    const args = { schema: schema(), document, variableValues, contextValue: { ...context, takeGroups } };
    const excess = findExcess(args);
    if (excess) throw excess;
    const { errors } = await execute(args);
    if (errors?.[0]) throw toRestError(nameParameter(causeOf(errors[0]), query), field);
    return found;
  }

  async function send(request: FastifyRequest, reply: FastifyReply, { variables, csv }: ParameterInput) {
    reply.header('vary', 'Accept');
    const type = preferredTable(request);
    const [dialect] = Object.keys(csv);
    if (dialect !== undefined && type !== csvType) throw badRequest(`csv_${dialect}: ${onlyForCsv}`);
    const query = readAggregates(schema(), list(), variables);
    const context = contextOf(request, database);
    if (!type) {
      const data = (await read(query, context)).map((group) => bodyOf(group, query));
      const tooLarge = findOversize(data, request);
      if (tooLarge) throw tooLarge;
      const meta = JSON.stringify({ request_id: request.id });
      return reply.type(json).send(`{"data":${stringifyJson(data)},"meta":${meta}}`);
    }
    const all = columnsOf(query);
    const most = Math.min(maxTableGroups, Math.floor(maxTableValues / Math.max(all.length, 1)));
    const groups = await runFor(streamRequesterOf(request), () => read(query, { ...context, maxGroups: most }));
    const columns = all.map(({ name, type }) => ({ name, type: typeOfScalar(type?.name ?? '') }));
    const table = { name: fileName(route.path), columns, first: pageOf(groups, all, query) };
    return sendTable(request, reply, table, type, csv, assertValid);
  }

  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const parameters = readParameters(request);
    try {
      return await runReading(() => send(request, reply, parameters));
    } catch (error) {
      throw nameAsWritten(error, parameters.writtenAs);
    }
  };
}

const causeOf = (error: { readonly originalError?: unknown }): unknown => error.originalError ?? error;

/** A column of a table; that of the keys of totals has no type. */
type Column = Omit<GroupColumn, 'type'> & Partial<Pick<GroupColumn, 'type'>>;

const totals: Column = { name: 'total_of', path: ['totalOf'] };

const columnsOf = ({ keys, figures, hasTotals }: AggregateQuery): Column[] => [
  ...keys,
  ...figures,
  ...(hasTotals ? [totals] : []),
];

/** Groups in pages, so that other requests have their turn while they are printed. */
function pageOf(groups: readonly Row[], columns: readonly Column[], query: AggregateQuery): TablePage {
  const [page, later] = [groups.slice(0, maxTablePage), groups.slice(maxTablePage)];
  return {
    rows: page.map((group) => columns.map((column) => valueOf(group, column, query))),
    next: later.length > 0 ? async () => pageOf(later, columns, query) : undefined,
  };
}

/** A value of a group, as REST shows it. */
function valueOf(group: Row, column: Column, { keys }: AggregateQuery): unknown {
  let value: unknown = group;
  // Each value on the way is an object, or missing.
  for (const name of column.path) value = (value as Row | null | undefined)?.[name];
  if (column === totals)
    return (value as readonly string[]).map((path) => keys.find((key) => key.path.join('.') === path)?.name ?? path);
  return value == null ? null : column.type?.serialize(value);
}

/** A group in the body of a response. */
function bodyOf(group: Row, query: AggregateQuery): Row {
  const body: Row = {};
  const set = (path: readonly string[], value: unknown) => {
    let at = body;
    for (const name of path.slice(0, -1)) at = (at[name] ??= {}) as Row;
    at[path.at(-1) ?? ''] = value;
  };
  const { keys, figures, hasTotals } = query;
  for (const key of keys) set(['key', ...key.name.split('.')], valueOf(group, key, query));
  for (const figure of figures) set(figure.name.split('.'), valueOf(group, figure, query));
  if (hasTotals) body['total_of'] = valueOf(group, totals, query);
  return body;
}
