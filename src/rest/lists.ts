import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, contextOf, sortOnce, streamRequesterOf } from '../context.ts';
import { runFor, runReading } from '../database/index.ts';
import { badRequest } from '../errors.ts';
import { JsonText } from '../http/json-text.ts';
import { findOversize } from '../http/size.ts';
import { stringifyJson } from '../json.ts';
import { maxCsvPage, prefersCsv, sendListAsCsv } from './csv.ts';
import { json, type ListPosition, listBody, nameAsWritten } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';
import { withIncluded } from './include.ts';
import { lazy } from './lazy.ts';
import { type RestOperation, readJsonList, readList, withoutTotal } from './operations.ts';
import { createParameterReader, type ParameterInput, type Values } from './parameters.ts';
import { shownFields } from './rest-schema.ts';

/** What sending lists depends on. */
type ListDependencies = Pick<FeedDependencies, 'database' | 'assertValid'>;

/** Responds to a request for a list. */
type SendList = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Creates the function that sends a list, as JSON or as CSV. */
export function createListSender(restOperation: RestOperation, dependencies: ListDependencies): SendList {
  const { args } = restOperation.field;
  const defaultLimit = Number(args.find(({ name }) => name === 'first')?.defaultValue);
  const readParameters = createParameterReader(restOperation);
  const sendAsCsv = createCsvSender(restOperation, dependencies);

  const send = async (request: FastifyRequest, reply: FastifyReply, parameters: ParameterInput) => {
    reply.header('vary', 'Accept');
    if (prefersCsv(request)) return sendAsCsv(request, reply, parameters);
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

/** Creates the function that sends a list as CSV. */
function createCsvSender(restOperation: RestOperation, { database, assertValid }: ListDependencies) {
  const { route, schema } = restOperation;
  const fields = shownFields(schema, route.operation.type);
  const uncounted = lazy(() => withoutTotal(restOperation));
  return async (request: FastifyRequest, reply: FastifyReply, { variables, include }: ParameterInput) => {
    if (include.length > 0) throw badRequest('include: is not supported for CSV');
    sortOnce(request, reply);
    // Each page has its own context, so that data loaded for one page is not kept for all.
    const requester = streamRequesterOf(request);
    const read = (page: Values) =>
      runFor(requester, () =>
        readList(uncounted(), page, { ...contextOf(request, database), maxPageSize: maxCsvPage }),
      );
    return sendListAsCsv(request, reply, { path: route.operation.path, fields, variables, read }, assertValid);
  };
}

/** The rows of a page, as a list in JSON, and where it is. */
interface PageText extends ListPosition {
  readonly data: string;
}

/** Reads a page for a response in JSON. @throws ServiceError BAD_REQUEST for one that is too large */
async function readPage(
  restOperation: RestOperation,
  { variables, include }: ParameterInput,
  request: FastifyRequest,
  context: Context,
): Promise<PageText> {
  const operation = include.length > 0 ? restOperation.withSubresources(include) : restOperation;
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
