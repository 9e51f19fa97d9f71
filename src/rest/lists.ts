import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, contextOf, streamRequesterOf } from '../context.ts';
import { runFor } from '../database/index.ts';
import { badRequest } from '../errors.ts';
import { JsonText } from '../http/json-text.ts';
import { findOversize } from '../http/size.ts';
import { maxCsvPage, prefersCsv, sendCsv } from './csv.ts';
import { json, type List, type ListPosition, listBody, nameAsWritten } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';
import { withIncluded } from './include.ts';
import { lazy } from './lazy.ts';
import { createJsonListReader } from './list-reader.ts';
import { type RestOperation, runOperation, withoutTotal } from './operations.ts';
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
  const readRows = createRowsReader(restOperation);

  const send = async (request: FastifyRequest, reply: FastifyReply, parameters: ParameterInput) => {
    reply.header('vary', 'Accept');
    if (prefersCsv(request)) return sendAsCsv(request, reply, parameters);
    const { variables } = parameters;
    const { data, ...position } = await readRows(parameters, request, contextOf(request, dependencies.database));
    const [limit, offset] = [Number(variables['first'] ?? defaultLimit), Number(variables['offset'] ?? 0)];
    return reply.type(json).send(listBody(data, position, limit, offset, request.id));
  };
  return async (request, reply) => {
    const parameters = readParameters(request);
    try {
      return await send(request, reply, parameters);
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
    // Each page has its own context, so that data loaded for one page is not kept for all.
    const requester = streamRequesterOf(request);
    const read = async (page: Values) => {
      // The reader sets the pace, and may be deactivated before the end.
      if (page['after'] !== undefined) await assertValid(request, reply);
      return runFor(requester, () =>
        readList(uncounted(), page, { ...contextOf(request, database), maxPageSize: maxCsvPage }),
      );
    };
    return sendCsv(request, reply, { path: route.operation.path, fields, variables, read });
  };
}

/** The rows of a page, as a list in JSON, and where it is. */
interface PageText extends ListPosition {
  readonly data: string;
}

/** Creates the function that reads a page: as PostgreSQL writes its rows, or by executing the operation's document. */
function createRowsReader(restOperation: RestOperation) {
  const readJson = createJsonListReader(restOperation);
  return async (
    { variables, include }: ParameterInput,
    request: FastifyRequest,
    context: Context,
  ): Promise<PageText> => {
    if (readJson && include.length === 0) {
      const { rows, ...position } = await readJson(variables, context);
      const data = `[${rows.join(',')}]`;
      refuseOversize(new JsonText(data), request);
      return { data, ...position };
    }
    const operation = include.length > 0 ? restOperation.withSubresources(include) : restOperation;
    const { nodes, ...position } = await readList(operation, variables, context);
    // Other requests have their turn before a large response becomes JSON.
    if (include.length > 0) await setImmediate();
    refuseOversize(nodes, request);
    const rows = include.length > 0 ? nodes.map((row) => withIncluded(row, include)) : nodes;
    return { data: JSON.stringify(rows), ...position };
  };
}

async function readList(restOperation: RestOperation, variables: Values, context: Context): Promise<List> {
  const { data } = await runOperation<List>(restOperation, variables, context);
  return data;
}

/** @throws ServiceError BAD_REQUEST */
function refuseOversize(data: unknown, request: FastifyRequest): void {
  const tooLarge = findOversize(data, request);
  if (tooLarge) throw tooLarge;
}
