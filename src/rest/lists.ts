import { setImmediate } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, contextOf, requesterOf } from '../context.ts';
import { runFor } from '../database/index.ts';
import { badRequest } from '../errors.ts';
import { findOversize } from '../http/size.ts';
import { maxCsvPage, prefersCsv, sendCsv } from './csv.ts';
import { json, type List, listBody } from './envelope.ts';
import type { FeedDependencies } from './feed.ts';
import { withIncluded } from './include.ts';
import { lazy } from './lazy.ts';
import { type RestOperation, runOperation, withoutTotal } from './operations.ts';
import { createAddressReader, type Values } from './parameters.ts';
import { shownFields } from './rest-schema.ts';

/** Responds to a request for a list. */
export type SendList = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Creates the function that sends a list, as JSON or as CSV. */
export function createListSender(
  restOperation: RestOperation,
  { database, assertValid }: Pick<FeedDependencies, 'database' | 'assertValid'>,
): SendList {
  const { route, field, schema, including } = restOperation;
  const fields = shownFields(schema, route.operation.type);
  const defaultLimit = field.args.find(({ name }) => name === 'first')?.defaultValue as number;
  const readAddress = createAddressReader(restOperation);
  const uncounted = lazy(() => withoutTotal(restOperation));

  return async (request, reply) => {
    const { variables, include } = readAddress(request);
    reply.header('vary', 'Accept');
    if (prefersCsv(request)) {
      if (include.length > 0) throw badRequest('include: is not supported for CSV');
      // Each page has its own context, so that data loaded for one page is not kept for all.
      const requester = { ...requesterOf(request), isPatient: true, budget: undefined };
      const readPage = async (page: Values) => {
        // The reader sets the pace, and may be deactivated before the end.
        if (page['after'] !== undefined) await assertValid(request, reply);
        return runFor(requester, () =>
          readList(uncounted(), page, { ...contextOf(request, database), maxPageSize: maxCsvPage }),
        );
      };
      return sendCsv(request, reply, { path: route.operation.path, fields, variables, readPage });
    }
    const operation = include.length > 0 ? including(include) : restOperation;
    const list = await readList(operation, variables, contextOf(request, database));
    // Other requests have their turn before a large response becomes JSON.
    if (include.length > 0) await setImmediate();
    const tooLarge = findOversize(list.nodes, request);
    if (tooLarge) throw tooLarge;
    const nodes = include.length > 0 ? list.nodes.map((row) => withIncluded(row, include)) : list.nodes;
    const { first = defaultLimit, offset = 0 } = variables as { first?: number; offset?: number };
    return sendJson(reply, listBody({ ...list, nodes }, first, offset, request.id));
  };
}

async function readList(restOperation: RestOperation, variables: Values, context: Context): Promise<List> {
  const { data } = await runOperation(restOperation, variables, context);
  return data as List;
}

const sendJson = (reply: FastifyReply, body: unknown): FastifyReply => reply.type(json).send(JSON.stringify(body));
