import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import type { ExecutionResult } from 'graphql';
import type { GraphQLParams } from 'graphql-yoga';
import Negotiator from 'negotiator';
import { contextOf, requesterOf, sortOnce, streamRequesterOf } from '../context.ts';
import { type Database, runFor } from '../database/index.ts';
import { badRequest, ServiceError, statusOf } from '../errors.ts';
import { decodePosition } from '../events/position.ts';
import type { LogStreams } from '../events/streams.ts';
import { csvType, onlyForCsv, readCsvParameters } from '../http/csv.ts';
import { refuseMethod, rememberMethods, toServiceError } from '../http/errors.ts';
import { eventStream, lastEventId } from '../http/event-stream.ts';
import { sendCompressed } from '../http/file.ts';
import { noStore, wantsPage } from '../http/headers.ts';
import { bodyLimit } from '../http/json.ts';
import { isTableType, sendTable, sheetType } from '../http/send-table.ts';
import { hasKey, type RespondOnce } from '../idempotency.ts';
import { findDuplicateName } from '../input/index.ts';
import { parseJson } from '../json.ts';
import type { Api } from '../resource/index.ts';
import type { Subscription } from './change-events.ts';
import { asksForCost } from './cost.ts';
import { completeEvent, nextEvent } from './event.ts';
import { createRunner, isDescription } from './execution.ts';
import { isMutation } from './refusals.ts';
import { failedResult, hasSucceeded, toResponse } from './result.ts';
import { graphqlSchemaOf } from './schema.ts';
import { subscriptionOf, subscriptionPlugin } from './subscribe.ts';
import { eventsOf } from './subscriptions.ts';
import { readTable } from './table.ts';

/** What serving GraphQL depends on. */
interface GraphqlDependencies {
  readonly api: Api;
  readonly database: Database;
  /** Sends the events of subscriptions. */
  readonly streams: LogStreams;
  /** Authenticates and counts a request, then waits for the company's daily update of statuses. */
  readonly prepareRequest: onRequestAsyncHookHandler;
  /** Rejects with INVALID_TOKEN when the caller of a request that goes on for long is no longer valid. */
  readonly assertValid: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  /** Responds to a repeated mutation as to the first one. */
  readonly respondOnce: RespondOnce;
  /** Sends GraphiQL's page. */
  readonly sendGraphiql: (reply: FastifyReply) => FastifyReply;
}

/** Serves the schema of an API at /graphql, and GraphiQL to browsers. */
export function serveGraphql(app: FastifyInstance, dependencies: GraphqlDependencies): void {
  const { api, database, streams, prepareRequest, assertValid, respondOnce, sendGraphiql } = dependencies;
  const schema = graphqlSchemaOf(api);
  const run = createRunner(schema, api, (incoming: FastifyRequest) => contextOf(incoming, database), [
    subscriptionPlugin,
  ]);

  async function listen(subscription: Subscription, request: FastifyRequest, reply: FastifyReply) {
    if (new Negotiator(request.raw).mediaType([eventStream]) === undefined || request.method === 'HEAD')
      throw new ServiceError('NOT_ACCEPTABLE', 'Subscriptions are answered only as text/event-stream.');
    try {
      const id = lastEventId(request);
      const after = id === undefined ? subscription.source.after : decodePosition(id, 'Last-Event-ID');
      return await streams.open(request, reply, eventsOf(subscription, request, database), { after });
    } catch (error) {
      const isOfPosition = error instanceof ServiceError && (error.code === 'GONE' || error.code === 'BAD_REQUEST');
      if (!isOfPosition) throw error;
      return sendEvents(failedResult(error), request, reply);
    }
  }

  async function respond(request: FastifyRequest, reply: FastifyReply) {
    const type = mediaTypeFor(request);
    if (!type) throw notAcceptable();
    const params = paramsOf(request);
    request.operation.document = params.query;
    const { cost } = request.query as Readonly<Record<string, unknown>>;
    if (cost !== undefined && !asksForCost(request)) throw badRequest('cost: must be only');
    if (asksForCost(request)) return sendResult(await run(params, request).catch(failedResult), json, request, reply);
    if (hasKey(request) && isMutation(params))
      return respondToKey(params, isTableType(type) ? json : type, request, reply);
    const dialect = readCsvParameters(request.url);
    const [given] = Object.keys(dialect);
    if (given !== undefined && type !== csvType) throw badRequest(`csv_${given}: ${onlyForCsv}`);
    if (isTableType(type)) {
      const table = await runAsTable(params, request, reply).catch(failedResult);
      if (!('columns' in table)) return sendResult(table, type, request, reply);
      return sendTable(request, reply.header('vary', 'Accept'), table, type, dialect, assertValid);
    }
    const result = await run(params, request, true).catch(failedResult);
    const subscription = result.errors ? undefined : subscriptionOf(request);
    if (subscription) return listen(subscription, request, reply);
    if (type === eventStream) return sendEvents(result, request, reply);
    return sendResult(result, type, request, reply);
  }

  /**
   * Responds to a mutation with an `Idempotency-Key`. What succeeds is stored with its errors. Where all fields failed,
   * nothing is.
   */
  async function respondToKey(params: GraphQLParams, type: string, request: FastifyRequest, reply: FastifyReply) {
    let failed: ExecutionResult | undefined;
    try {
      const { status, body } = await runFor(requesterOf(request), () =>
        respondOnce(request, reply, async () => {
          const result = await run(params, request);
          if (hasSucceeded(result)) {
            const { status, body } = toResponse(result, type === json, request.log);
            return { status, body };
          }
          failed = result;
          throw new Error('Nothing was written.');
        }),
      );
      return await reply.status(status).header('vary', 'Accept, Accept-Encoding').type(type).send(body);
    } catch (error) {
      return sendResult(failed ?? failedResult(error), type, request, reply);
    }
  }

  /** Each page has its own context, so that data loaded for one page is not kept for all. */
  function runAsTable(params: GraphQLParams, request: FastifyRequest, reply: FastifyReply) {
    sortOnce(request, reply);
    const requester = streamRequesterOf(request);
    return readTable(schema, (page) => runFor(requester, () => run(page, request)), params);
  }

  const url = '/graphql';
  const allow = 'GET, HEAD, POST, OPTIONS';
  rememberMethods(app, url, allow);
  // Browsers send a preflight without a token.
  app.options(url, (_request, reply) => reply.header('allow', allow).status(204).send());
  app.register(async (scope) => {
    scope.addHook('onRequest', async function (request, reply) {
      if (wantsPage(request)) return;
      reply.header('cache-control', noStore);
      await prepareRequest.call(this, request, reply);
    });
    scope.setErrorHandler(sendErrorAsResult);
    scope.route({ method: ['PUT', 'PATCH', 'DELETE'], url, handler: (_request, reply) => refuseMethod(reply, allow) });
    scope.route({
      method: ['GET', 'POST'],
      url,
      bodyLimit,
      config: { sessions: true },
      handler: (request, reply) => (wantsPage(request) ? sendGraphiql(reply) : respond(request, reply)),
    });
  });
}

/** Sends an error before execution, which has GraphQL's shape too. */
function sendErrorAsResult(error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message, extensions } = toServiceError(error, request, reply);
  return reply
    .status(statusOf[code])
    .type(mediaTypeFor(request) === graphqlJson ? graphqlJson : json)
    .send({ errors: [{ message, extensions }] });
}

/** Sends a result as JSON; what describes the API is compressed. */
function sendResult(
  result: ExecutionResult,
  type: string,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply | Promise<FastifyReply> {
  const { status, headers, body } = toResponse(result, type === json, request.log);
  reply
    .status(status)
    .headers({ ...headers, vary: 'Accept, Accept-Encoding' })
    .type(isTableType(type) ? json : type);
  return isDescription(request) ? sendCompressed(body, request, reply) : reply.send(body);
}

/** The media types of responses; the first is the default, which all clients understand. */
const [json, graphqlJson] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/** The media type that a client prefers, if it accepts any. */
const mediaTypeFor = ({ raw }: FastifyRequest) =>
  new Negotiator(raw).mediaType([json, graphqlJson, csvType, sheetType, eventStream]);

/** Sends a result as the only event of a stream. The protocol requires that for errors before execution too. */
const sendEvents = (result: ExecutionResult, { log }: FastifyRequest, reply: FastifyReply): FastifyReply =>
  reply
    .type(eventStream)
    .header('vary', 'Accept')
    .send(nextEvent(toResponse(result, true, log).body) + completeEvent);

/** Maximum length of a query, of which errors may repeat parts. */
const maxQueryLength = 50_000;

const notAcceptable = () =>
  new ServiceError(
    'NOT_ACCEPTABLE',
    `Responses can be application/json, application/graphql-response+json, text/csv, ${sheetType} or text/event-stream.`,
  );

/** The query of a request, with what belongs to it. @throws ServiceError BAD_REQUEST */
function paramsOf({ method, body, url }: FastifyRequest): GraphQLParams {
  if (method !== 'POST') {
    const address = new URLSearchParams(url.slice(url.indexOf('?') + 1));
    const [query, operationName, variables, extensions] = ['query', 'operationName', 'variables', 'extensions'].map(
      (name) => address.get(name) || undefined,
    );
    if (!query) throw badRequest('A query is required: /graphql?query=…');
    return { query, operationName, variables: readParameter(variables), extensions: readParameter(extensions) };
  }
  // These are undefined for a value that is not an object.
  const { query, operationName, variables, extensions } = (body ?? {}) as Record<string, unknown>;
  if (typeof query !== 'string' || query === '')
    throw badRequest('The body must be a JSON object with a query; batches are not supported.');
  if (query.length > maxQueryLength)
    throw badRequest(`The query is longer than ${maxQueryLength} characters; send long values as variables.`);
  // Yoga checks their types.
  return { query, operationName, variables, extensions } as GraphQLParams;
}

/** Parses a parameter of the address. @throws ServiceError BAD_REQUEST */
function readParameter(text: string | undefined): Record<string, unknown> | undefined {
  if (!text) return undefined;
  let json: unknown;
  try {
    json = parseJson(text);
  } catch {
    throw badRequest('Variables and extensions in the URL must be JSON.');
  }
  const duplicate = findDuplicateName(text);
  if (duplicate !== undefined)
    throw badRequest(`Variables or extensions in the URL have an object with the duplicate name ${duplicate}.`);
  // Yoga rejects a value that is not an object.
  return json as Record<string, unknown>;
}
