import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { execute, type GraphQLSchema, validate } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import Negotiator from 'negotiator';
import { contextOf } from '../context.ts';
import type { Database } from '../database/index.ts';
import { badRequest, ServiceError, statusOf } from '../errors.ts';
import { refuseMethod, toServiceError } from '../http/errors.ts';
import { sendCompressed } from '../http/file.ts';
import { noStore } from '../http/headers.ts';
import { bodyLimit } from '../http/json.ts';
import { findRefusals, isIntrospection } from './access.ts';
import { costPlugin, type Served } from './cost.ts';
import { limitErrors, maxErrors, toGraphqlError } from './errors.ts';
import { createVariableCheck } from './variables.ts';

/** Limits the syntax of queries; `costPlugin` limits the size of responses. */
const armor = EnvelopArmorPlugin({
  // This cost limit ignores variables and defaults.
  costLimit: { enabled: false },
  maxDepth: { n: 12 },
  maxAliases: { n: 30 },
  maxDirectives: { n: 30 },
  maxTokens: { n: 2000 },
  // Field names are not secret: the schema is public.
  blockFieldSuggestion: { enabled: false },
});

/** The requests for the schema only. Their responses contain no secret, so they may be compressed. */
const introspections = new WeakSet<FastifyRequest>();

/** Checks variables before graphql-js does, for errors that name every field. */
function variablesPlugin(schema: GraphQLSchema): Plugin<Served> {
  const checkVariables = createVariableCheck(schema);
  return {
    onValidate({ setValidationFn }) {
      setValidationFn((...[schema, document, rules, options, typeInfo]: Parameters<typeof validate>) =>
        validate(schema, document, rules, { ...options, maxErrors }, typeInfo),
      );
    },
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      if (isIntrospection(args)) introspections.add(args.contextValue.incoming);
      setExecuteFn(execute); // Unlike Yoga's executor, graphql-js keeps the order of the fields in the query.
      const errors = checkVariables(args);
      if (errors.length === 0) return;
      // Before validation, so that a caller without access does not learn about the input.
      const refused = findRefusals(args);
      setResultAndStopExecution({ errors: refused.length > 0 ? refused : errors });
    },
  };
}

const errorsPlugin: Plugin<object, Served> = {
  /** Converts all errors in one place: those of parsing, validation and resolvers. */
  onResultProcess({ result, setResult, serverContext }) {
    if (!('errors' in result) || !result.errors) return;
    const errors = result.errors.map((error) => {
      const clientError = toGraphqlError(error);
      if (clientError.extensions['code'] === 'INTERNAL_ERROR')
        serverContext.incoming.log.error({ err: error }, 'field failed');
      return clientError;
    });
    // Where the query ran, each null has its error: their number is limited by the cost of the query.
    setResult({ ...result, errors: 'data' in result && result.data ? errors : limitErrors(errors) });
  },
};

/**
 * Serves the schema at /graphql, and GraphiQL to browsers.
 *
 * @param authenticate the hook that finds the caller and counts the request
 * @param sendGraphiql sends GraphiQL's page
 */
export function serveGraphql(
  app: FastifyInstance,
  schema: GraphQLSchema,
  database: Database,
  authenticate: onRequestAsyncHookHandler,
  sendGraphiql: (reply: FastifyReply) => FastifyReply,
): void {
  const yoga = createYoga<Served>({
    schema,
    landingPage: false,
    batching: false,
    cors: false,
    logging: false,
    multipart: false,
    maskedErrors: false,
    graphiql: false,
    context: ({ incoming }) => contextOf(incoming, database),
    plugins: [armor, variablesPlugin(schema), errorsPlugin, costPlugin],
  });

  const url = '/graphql';
  const allow = 'GET, HEAD, POST, OPTIONS';
  // Browsers send a preflight without a token.
  app.options(url, (_request, reply) => reply.header('allow', allow).status(204).send());
  app.register(async (scope) => {
    scope.addHook('onRequest', async function (request, reply) {
      if (wantsPage(request)) return;
      reply.header('cache-control', noStore);
      await authenticate.call(this, request, reply);
    });
    // Errors before execution have GraphQL's shape too.
    scope.setErrorHandler<Error>((error, request, reply) => {
      const { code, message, extensions } = toServiceError(error, request, reply);
      return reply
        .status(statusOf[code])
        .type(mediaTypeFor(request) ?? json)
        .send({ errors: [{ message, extensions }] });
    });
    scope.route({ method: ['PUT', 'PATCH', 'DELETE'], url, handler: (_request, reply) => refuseMethod(reply, allow) });
    scope.route({
      method: ['GET', 'POST'],
      url,
      bodyLimit,
      config: { sessions: true },
      handler: async (request, reply) => {
        if (wantsPage(request)) return sendGraphiql(reply);
        // The host is a placeholder, as `Host` is set by the client.
        const response = await yoga.fetch(`http://localhost${request.url}`, yogaRequest(request), {
          incoming: request,
        });
        reply.header('vary', 'Accept, Accept-Encoding');
        for (const [name, value] of response.headers) reply.header(name, value);
        const text = await response.text();
        reply.status(response.status);
        return introspections.has(request) ? sendCompressed(text, request, reply) : reply.send(text);
      },
    });
  });
}

/** Whether to send GraphiQL: to a browser that navigates here. GraphiQL then sends requests of its own. */
const wantsPage = ({ method, headers: { accept = '' } }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && accept.includes('text/html') && !accept.includes('json');

/** The media types of responses; the first is the default, which all clients understand. */
const [json, graphqlJson] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/** The media type that a client prefers, if it accepts any. Responses are never streamed or multipart. */
const mediaTypeFor = ({ raw }: FastifyRequest) => new Negotiator(raw).mediaType([json, graphqlJson]);

/** Maximum length of a query, of which errors may repeat parts. */
const maxQueryLength = 50_000;

function yogaRequest(request: FastifyRequest): RequestInit {
  const [accept] = mediaTypeFor(request)?.split(';') ?? [];
  if (!accept)
    throw new ServiceError('NOT_ACCEPTABLE', 'Responses are application/json or application/graphql-response+json.');
  if (request.method !== 'POST') {
    if (!(request.query as { query?: string }).query) throw badRequest('A query is required: /graphql?query=…');
    return { headers: { accept } };
  }
  const { query, operationName, variables, extensions } = (request.body ?? {}) as Record<string, unknown>;
  if (typeof query !== 'string' || query === '')
    throw badRequest('The body must be a JSON object with a query; batches are not supported.');
  if (query.length > maxQueryLength)
    throw badRequest(`The query is longer than ${maxQueryLength} characters; send long values as variables.`);
  // Other headers are ignored; Yoga would reject some of them.
  return {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables, extensions }),
  };
}
