import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { authenticate } from './auth/authenticate.ts';
import type { Limiter } from './auth/limits.ts';
import { openSessions, serveSessions } from './auth/sessions/index.ts';
import type { Config } from './config.ts';
import type { Database } from './database/index.ts';
import { serveGraphql } from './graphql/index.ts';
import { allowOnlyReads, refuseConnection, sendError } from './http/errors.ts';
import { headerLimit, setSecurityHeaders } from './http/headers.ts';
import { bodyLimit, readJsonOnly } from './http/json.ts';
import { readPages, registerFiles, sendGraphiql, servePages } from './pages/index.ts';
import { createRefresher } from './resource/index.ts';
import { basePaths, serveRest } from './rest/index.ts';
import { serveOpenapi } from './rest/openapi/index.ts';
import { api, schema } from './schema/index.ts';

/** What the service runs on. */
export interface AppDependencies {
  readonly config: Pick<Config, 'trustProxy' | 'rateLimits' | 'publicUrl' | 'authSecret' | 'oidc'>;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly logger?: FastifyBaseLogger;
}

/** Composes the service; it does not listen yet. */
export async function createApp({ config, database, limiter, logger }: AppDependencies): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(config.trustProxy),
    bodyLimit,
    http: { maxHeaderSize: headerLimit },
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: headerLimit },
    // Requests in flight are answered before the server closes; idle connections do not hold it up.
    forceCloseConnections: 'idle',
    rewriteUrl: ({ url = '/' }) => decodableUrl(url),
    clientErrorHandler: refuseConnection,
  });
  app.addHook('onRequest', async ({ id }, reply) => {
    reply.header('x-request-id', id);
  });
  setSecurityHeaders(app, config.publicUrl.startsWith('https:'));
  app.addHook('onResponse', async ({ method, url, log }, reply) => {
    log.info({ method, path: loggable(url), status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered');
  });
  // Any origin may call the API, but without credentials: only the pages use cookies, and they share its origin.
  await app.register(cors, {
    origin: '*',
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    exposedHeaders,
    preflightContinue: true,
    strictPreflight: false,
  });
  // Its own route takes OPTIONS anywhere, also where there is nothing.
  app.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    if (method !== 'OPTIONS' || routeOptions.url !== '*') return;
    reply.callNotFound();
    return reply;
  });
  // Node itself would refuse an expectation that it does not know, without the headers that all answers have.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  readJsonOnly(app);
  app.setErrorHandler<Error>(sendError);

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    await database.query({ text: 'SELECT 1' });
    return { status: 'ready' };
  });
  for (const url of ['/healthz', '/readyz']) allowOnlyReads(app, url);

  const signingIn = { config, database, limiter, log: app.log };
  const sessions = await openSessions(signingIn);
  const authenticateCaller = authenticate({
    database,
    limiter,
    rateLimits: config.rateLimits,
    findSession: sessions.findCaller,
  });
  const refreshStale = createRefresher(database.prisma, api.resources);
  const enter = async (request: FastifyRequest, reply: FastifyReply) => {
    await authenticateCaller(request, reply);
    // Before anything reads, and outside any transaction: what the day has changed since somebody last asked.
    if (request.caller.kind !== 'guest') await refreshStale(request.caller.companyId);
  };
  app.decorateRequest('caller');
  serveSessions(app, signingIn, sessions);
  const pages = await readPages();
  await registerFiles(app);
  serveGraphql(app, schema, database, enter, (reply) => sendGraphiql(reply, pages));
  await serveRest(app, database, enter);
  serveOpenapi(app, schema, config.publicUrl, basePaths);
  servePages(app, pages);
  return app;
}

/**
 * The path alone: what is asked for, or sent by mistake, in a query is not the log's to keep; nor is the token that
 * a guest's package is followed by.
 */
const loggable = (url: string) => url.split('?', 1)[0]?.replace(/(?<=\/(?:expected-)?packages\/)[\w-]{22}$/, '<token>');

/** What a page of another origin may read of an answer besides its body. */
const exposedHeaders = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  'Idempotent-Replayed',
  'Allow',
  'Content-Disposition',
  'Preference-Applied',
];

/** A number of hops, in the form Fastify's types have for it. */
const trustedProxies = (trust: Config['trustProxy']) =>
  typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust;

/**
 * A path that is wrongly percent-encoded, taken by its letters: it then goes the way of every other path, and is
 * refused as one with all the headers that answers carry.
 */
function decodableUrl(url: string): string {
  const [path = ''] = url.split('?', 1);
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}

/** Keeps a caller's request id when it is well formed, and makes one otherwise. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:~-]{1,128}$/.test(given) ? given : randomUUID();
}
