import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { execute, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import Negotiator from 'negotiator';
import { contextOf } from '../context.ts';
import type { Database } from '../database/index.ts';
import { badRequest, ServiceError, statusOf } from '../errors.ts';
import { refuseMethod, toServiceError } from '../http/errors.ts';
import { costPlugin } from './cost.ts';
import { toGraphqlError } from './errors.ts';
import { createVariableCheck } from './variables.ts';

/** What Fastify hands to Yoga; Yoga's own context has a `request` of another kind. */
interface Served {
  readonly incoming: FastifyRequest;
}

/** What a query may look like; `costPlugin` says how large its answer may be. */
const armor = EnvelopArmorPlugin({
  // It knows neither variables nor defaults.
  costLimit: { enabled: false },
  maxDepth: { n: 12 },
  maxAliases: { n: 30 },
  maxDirectives: { n: 30 },
  maxTokens: { n: 2000 },
  // Names of fields are no secret: the schema is public.
  blockFieldSuggestion: { enabled: false },
});

/** Checks variables before graphql-js reads them, for errors that name every field. Answers keep the order asked for. */
function variablesPlugin(schema: GraphQLSchema): Plugin {
  const checkVariables = createVariableCheck(schema);
  return {
    onExecute({ args, setExecuteFn, setResultAndStopExecution }) {
      setExecuteFn(execute);
      const errors = checkVariables(args);
      if (errors.length > 0) setResultAndStopExecution({ errors });
    },
  };
}

const errorsPlugin: Plugin<object, Served> = {
  /** Makes every error readable in one place, whether it comes from parsing, validation or a resolver. */
  onResultProcess({ result, setResult, serverContext }) {
    if (!('errors' in result) || !result.errors) return;
    const errors = result.errors.map((error) => {
      const clientError = toGraphqlError(error);
      if (clientError.extensions['code'] === 'INTERNAL_ERROR')
        serverContext.incoming.log.error({ err: error }, 'field failed');
      return clientError;
    });
    setResult({ ...result, errors });
  },
};

/**
 * Serves the schema at /graphql, in GraphQL's own idiom, and GraphiQL to browsers.
 * @param authenticate the hook that finds the caller and counts the request
 * @param sendGraphiql answers with GraphiQL's page
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
  // A browser asks what it may send before it sends a token.
  app.options(url, (_request, reply) => reply.header('allow', allow).status(204).send());
  app.register(async (scope) => {
    scope.addHook('onRequest', async function (request, reply) {
      if (!wantsPage(request)) await authenticate.call(this, request, reply);
    });
    // What is refused before GraphQL runs is told in its own shape.
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
      config: { sessions: true },
      handler: async (request, reply) => {
        if (wantsPage(request)) return sendGraphiql(reply);
        // The address is our own: what a client says in `Host` is nothing to build one from.
        const response = await yoga.fetch(`http://localhost${request.url}`, yogaRequest(request), {
          incoming: request,
        });
        reply.header('vary', 'Accept');
        for (const [name, value] of response.headers) reply.header(name, value);
        return reply.status(response.status).send(await response.text());
      },
    });
  });
}

/** A browser that opens the address gets GraphiQL, which asks for data by itself, with a token. */
const wantsPage = ({ method, headers: { accept = '' } }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && accept.includes('text/html') && !accept.includes('json');

/** The media types of answers. Where a client likes them alike, or says nothing, it gets the one that all clients know. */
const [json, graphqlJson] = ['application/json; charset=utf-8', 'application/graphql-response+json; charset=utf-8'];

/** The one that a client likes best, if it takes any. Answers come whole, so streams and multiparts are not offered. */
const mediaTypeFor = ({ raw }: FastifyRequest) => new Negotiator(raw).mediaType([json, graphqlJson]);

function yogaRequest(request: FastifyRequest): RequestInit {
  const [accept] = mediaTypeFor(request)?.split(';') ?? [];
  if (!accept)
    throw new ServiceError('NOT_ACCEPTABLE', 'Answers are application/json or application/graphql-response+json.');
  if (request.method !== 'POST') {
    if (!(request.query as { query?: string }).query) throw badRequest('Give a query: /graphql?query=…');
    return { headers: { accept } };
  }
  const { query, operationName, variables, extensions } = (request.body ?? {}) as Record<string, unknown>;
  if (typeof query !== 'string' || query === '')
    throw badRequest('The body must be a JSON object with a query; batches are not taken.');
  // Whatever else a client sends is not for us, and Yoga would refuse it.
  return {
    method: 'POST',
    headers: { accept, 'content-type': 'application/json' },
    body: JSON.stringify({ query, operationName, variables, extensions }),
  };
}
