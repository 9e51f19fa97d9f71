import type { FastifyReply, FastifyRequest } from 'fastify';
import { getNamedType, isObjectType } from 'graphql';
import { findMissingRead } from '../auth/access.ts';
import { contextOf, requesterOf } from '../context.ts';
import { runFor, runReading } from '../database/index.ts';
import { isKnown } from '../http/headers.ts';
import type { ApiResponse, RespondOnce } from '../idempotency.ts';
import type { FileLimit } from '../resource/index.ts';
import { type AggregateDependencies, createAggregateSender } from './aggregates/send.ts';
import { prefersLenient, prefersRepresentation } from './conditions.ts';
import { json } from './envelope.ts';
import { createFeedReader, type FeedDependencies } from './feed.ts';
import { createItemResponder } from './items.ts';
import { createListSender } from './lists.ts';
import type { RestOperation } from './operations.ts';
import type { Route } from './routes.ts';
import { createStreamSender } from './stream.ts';

/** The dependencies of handlers. */
export interface RestDependencies extends FeedDependencies, AggregateDependencies {
  /** Responds to a repeated POST as to the first one. */
  readonly respondOnce: RespondOnce;
  /** How many bytes files may have. */
  readonly maxBytes: Readonly<Record<FileLimit, number>>;
}

/** Handles a request of a known route. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

/** Creates the handler of a route. Authentication, rate limits and access run before it. */
export function createHandler(restOperation: RestOperation, dependencies: RestDependencies): Handler {
  const { route } = restOperation;
  const { database, respondOnce } = dependencies;
  if (route.operation.action === 'list') return createListSender(restOperation, dependencies);
  if (route.operation.action === 'aggregate')
    return createAggregateSender(restOperation, restOperation.relatedSchema, dependencies);
  if (route.operation.isStream) return createStreamSender(restOperation, dependencies);
  if (route.operation.isFeed) {
    const read = createFeedReader(restOperation, dependencies);
    return async (request, reply) => {
      const response = await read(request, reply);
      return response ? sendResponse(route, request, reply, response) : reply;
    };
  }
  const respond = createItemResponder(restOperation);
  const rowType = getNamedType(restOperation.field.type);
  // Names the table of the transaction of an Idempotency-Key, which begins with a lock. Only a POST has one.
  const model = isObjectType(rowType) ? rowType.extensions.model : undefined;
  return async (request, reply) => {
    const response =
      route.method === 'POST'
        ? await runFor({ ...requesterOf(request), model }, () =>
            respondOnce(request, reply, (context) => respond(request, context)),
          )
        : route.method === 'GET'
          ? await runReading(() => respond(request, contextOf(request, database)))
          : await respond(request, contextOf(request, database));
    return sendResponse(route, request, reply, response);
  };
}

/** Sends a response with its ETag, or 304 to a client that already has it. */
function sendResponse(
  { method, operation }: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, etag }: ApiResponse,
): FastifyReply {
  if (operation.action === 'update' && prefersRepresentation(request) && !findMissingRead(request.caller, operation))
    reply.header('preference-applied', 'return=representation');
  if (operation.action === 'write' && prefersLenient(request)) reply.header('preference-applied', 'handling=lenient');
  if (etag !== undefined) reply.header('etag', `"${etag}"`);
  if (method === 'GET' && etag !== undefined) {
    // Browsers revalidate on every use, with the ETag. Responses that wait for changes are not worth caching.
    if (!operation.isFeed) reply.header('cache-control', 'private, no-cache');
    if (isKnown(request, etag)) return reply.status(304).send();
  }
  return body === undefined ? reply.status(status).send() : reply.status(status).type(json).send(body);
}
