import type { FastifyReply, FastifyRequest } from 'fastify';
import { accessError, permits } from '../auth/access.ts';
import { contextOf } from '../context.ts';
import type { Database } from '../database/index.ts';
import type { Operation } from '../resource/index.ts';
import { isKnown, prefersRepresentation } from './conditions.ts';
import { json } from './envelope.ts';
import type { RespondOnce, RestResponse } from './idempotency.ts';
import { createItemResponder } from './items.ts';
import { createListSender } from './lists.ts';
import type { RestOperation } from './operations.ts';
import type { Route } from './routes.ts';

/** What handlers work with. */
export interface RestDependencies {
  readonly database: Database;
  /** Answers a POST that is sent again as it was answered the first time. */
  readonly respondOnce: RespondOnce;
}

/** Answers a request whose route is known. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Makes the handler of a route. Its caller is authenticated, and the request counted, before it runs. */
export function createHandler(restOperation: RestOperation, { database, respondOnce }: RestDependencies): Handler {
  const { route } = restOperation;
  if (route.operation.action === 'list') {
    const sendList = createListSender(restOperation, database);
    return async (request, reply) => {
      authorize(request, route.operation);
      return sendList(request, reply);
    };
  }
  const respond = createItemResponder(restOperation);
  return async (request, reply) => {
    authorize(request, route.operation);
    const response =
      route.method === 'POST'
        ? await respondOnce(request, reply, (context) => respond(request, context))
        : await respond(request, contextOf(request, database));
    return sendResponse(route, request, reply, response);
  };
}

/** @throws ServiceError INSUFFICIENT_SCOPE, or INVALID_TOKEN where a session is needed */
function authorize({ caller }: FastifyRequest, { access }: Operation): void {
  if (!permits(caller, access)) throw accessError(caller, access);
}

/** Sends an answer with its ETag, or 304 to a client that has it already. */
function sendResponse(
  { method, operation }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, etag }: RestResponse,
): FastifyReply {
  if (operation.action === 'update' && prefersRepresentation(request))
    reply.header('preference-applied', 'return=representation');
  if (etag !== undefined) reply.header('etag', `"${etag}"`);
  if (method === 'GET' && etag !== undefined) {
    // A browser asks again each time, with the ETag that it has.
    reply.header('cache-control', 'private, no-cache');
    if (isKnown(request, etag)) return reply.status(304).send();
  }
  return body === undefined ? reply.status(status).send() : reply.status(status).type(json).send(body);
}
