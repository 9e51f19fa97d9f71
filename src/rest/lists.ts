import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, contextOf, streamRequesterOf } from '../context.ts';
import { runFor } from '../database/index.ts';
import { badRequest } from '../errors.ts';
import { JsonText } from '../http/json-text.ts';
import { findOversize } from '../http/size.ts';
import { maxCsvPage, prefersCsv, sendCsv } from './csv.ts';
import { asWritten, json, type List, listBody, type Position } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';
import { withIncluded } from './include.ts';
import { createJsonListReader } from './json-lists.ts';
import { lazy } from './lazy.ts';
import { type RestOperation, runOperation, withoutTotal } from './operations.ts';
import { type AddressInput, createAddressReader, type Values } from './parameters.ts';
import { shownFields } from './rest-schema.ts';

/** Responds to a request for a list. */
type SendList = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Creates the function that sends a list, as JSON or as CSV. */
export function createListSender(
  restOperation: RestOperation,
  { database, assertValid }: Pick<FeedDependencies, 'database' | 'assertValid'>,
): SendList {
  const { route, field, schema, including } = restOperation;
  const fields = shownFields(schema, route.operation.type);
  const defaultLimit = Number(field.args.find(({ name }) => name === 'first')?.defaultValue);
  const readAddress = createAddressReader(restOperation);
  const uncounted = lazy(() => withoutTotal(restOperation));
  const readJson = createJsonListReader(restOperation);

  const send = async (request: FastifyRequest, reply: FastifyReply, { variables, include }: AddressInput) => {
    reply.header('vary', 'Accept');
    if (prefersCsv(request)) {
      if (include.length > 0) throw badRequest('include: is not supported for CSV');
      // Each page has its own context, so that data loaded for one page is not kept for all.
      const requester = streamRequesterOf(request);
      const readCsvPage = async (page: Values) => {
        // The reader sets the pace, and may be deactivated before the end.
        if (page['after'] !== undefined) await assertValid(request, reply);
        return runFor(requester, () =>
          readList(uncounted(), page, { ...contextOf(request, database), maxPageSize: maxCsvPage }),
        );
      };
      return sendCsv(request, reply, { path: route.operation.path, fields, variables, read: readCsvPage });
    }
    const sendRows = (data: string, position: Position) => {
      const [limit, offset] = [Number(variables['first'] ?? defaultLimit), Number(variables['offset'] ?? 0)];
      return reply.type(json).send(listBody(data, position, limit, offset, request.id));
    };
    if (readJson && include.length === 0) {
      const { rows, ...position } = await readJson(variables, contextOf(request, database));
      const data = `[${rows.join(',')}]`;
      refuseOversize(new JsonText(data), request);
      return sendRows(data, position);
    }
    const operation = include.length > 0 ? including(include) : restOperation;
    const { nodes, ...position } = await readList(operation, variables, contextOf(request, database));
    // Other requests have their turn before a large response becomes JSON.
    if (include.length > 0) await setImmediate();
    refuseOversize(nodes, request);
    return sendRows(
      JSON.stringify(include.length > 0 ? nodes.map((row) => withIncluded(row, include)) : nodes),
      position,
    );
  };
  return async (request, reply) => {
    const address = readAddress(request);
    try {
      return await send(request, reply, address);
    } catch (error) {
      throw asWritten(error, address.writtenAs);
    }
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
