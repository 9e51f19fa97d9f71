import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type GraphQLObjectType, getNamedType } from 'graphql';
import { type Context, contextOf, sortOnce, streamRequesterOf } from '../context.ts';
import { runFor, runReading } from '../database/index.ts';
import { badRequest } from '../errors.ts';
import { typeOfScalar } from '../fields/index.ts';
import { csvType, onlyForCsv } from '../http/csv.ts';
import { JsonText } from '../http/json-text.ts';
import type { TableType } from '../http/send-table.ts';
import { findOversize } from '../http/size.ts';
import { stringifyJson } from '../json.ts';
import { json, type ListPosition, listBody, nameAsWritten } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';
import type { RowColumn } from './fields.ts';
import { typeIn, withIncluded } from './include.ts';
import { lazy } from './lazy.ts';
import { type RestOperation, readJsonList, readList, withoutTotal } from './operations.ts';
import { createParameterReader, type ParameterInput, type Values } from './parameters.ts';
import { shownNames } from './rest-schema.ts';
import { maxTablePage, preferredTable, sendListAsTable } from './table.ts';

/** What sending lists depends on. */
type ListDependencies = Pick<FeedDependencies, 'database' | 'assertValid'>;

/** Responds to a request for a list. */
type SendList = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Creates the function that sends a list, as JSON or as a table. */
export function createListSender(restOperation: RestOperation, dependencies: ListDependencies): SendList {
  const { args } = restOperation.field;
  const defaultLimit = Number(args.find(({ name }) => name === 'first')?.defaultValue);
  const readParameters = createParameterReader(restOperation);
  const sendAsTable = createTableSender(restOperation, dependencies);

  const send = async (request: FastifyRequest, reply: FastifyReply, parameters: ParameterInput) => {
    reply.header('vary', 'Accept');
    const type = preferredTable(request);
    const [dialect] = Object.keys(parameters.csv);
    if (dialect !== undefined && type !== csvType) throw badRequest(`csv_${dialect}: ${onlyForCsv}`);
    if (type) return sendAsTable(request, reply, parameters, type);
    const { variables } = parameters;
    const context = contextOf(request, dependencies.database);
    const { data, ...position } = await readPage(restOperation, parameters, request, context);
    const [limit, offset] = [Number(variables['first'] ?? defaultLimit), Number(variables['offset'] ?? 0)];
    return reply.type(json).send(listBody(data, position, limit, offset, request.id));
  };
  return async (request, reply) => {
    const parameters = readParameters(request);
    try {
      return await runReading(() => send(request, reply, parameters));
    } catch (error) {
      throw nameAsWritten(error, parameters.writtenAs);
    }
  };
}

/** Creates the function that sends a list as a table. */
function createTableSender(restOperation: RestOperation, { database, assertValid }: ListDependencies) {
  const { route, schema } = restOperation;
  const whole = lazy(() => columnsOf(typeIn(schema, route.operation.type)));
  const uncounted = lazy(() => withoutTotal(restOperation));
  return async (request: FastifyRequest, reply: FastifyReply, parameters: ParameterInput, type: TableType) => {
    const { variables, include, fields, csv } = parameters;
    if (include.length > 0) throw badRequest(`include: is not supported for ${type === csvType ? 'CSV' : 'XLSX'}`);
    const operation = fields ? withoutTotal(restOperation.reading({ include, fields })) : uncounted();
    sortOnce(request, reply);
    // Each page has its own context, so that data loaded for one page is not kept for all.
    const requester = streamRequesterOf(request);
    const read = (page: Values) =>
      runFor(requester, () =>
        readList(operation, page, { ...contextOf(request, database), maxPageSize: maxTablePage }),
      );
    const columns = fields?.columns ?? whole();
    const list = { path: route.operation.path, columns, variables, read };
    return sendListAsTable(request, reply, list, type, csv, assertValid);
  };
}

/** The columns of all that REST shows of a type. */
const columnsOf = (type: GraphQLObjectType): RowColumn[] =>
  shownNames(type).map((name) => ({
    name,
    path: [name],
    type: typeOfScalar(getNamedType(type.getFields()[name]?.type)?.name ?? ''),
  }));

/** The rows of a page, as a list in JSON, and where it is. */
interface PageText extends ListPosition {
  readonly data: string;
}

/** Reads a page for a response in JSON. @throws ServiceError BAD_REQUEST for one that is too large */
async function readPage(
  restOperation: RestOperation,
  { variables, include, fields }: ParameterInput,
  request: FastifyRequest,
  context: Context,
): Promise<PageText> {
  const operation = include.length > 0 || fields ? restOperation.reading({ include, fields }) : restOperation;
  const list = await readJsonList(operation, variables, context);
  if ('rows' in list) {
    const { rows, ...position } = list;
    const data = `[${rows.join(',')}]`;
    refuseOversize(new JsonText(data), request);
    return { data, ...position };
  }
  const { nodes, ...position } = list;
  // Other requests have their turn before a large response becomes JSON.
  if (include.length > 0) await setImmediate();
  refuseOversize(nodes, request);
  const rows = include.length > 0 ? nodes.map((row) => withIncluded(row, include)) : nodes;
  return { data: stringifyJson(rows), ...position };
}

/** @throws ServiceError BAD_REQUEST */
function refuseOversize(data: unknown, request: FastifyRequest): void {
  const tooLarge = findOversize(data, request);
  if (tooLarge) throw tooLarge;
}
