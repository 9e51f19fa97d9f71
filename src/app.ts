import { randomUUID } from 'node:crypto';
import cors from '@fastify/cors';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { assertCaller, authenticate, checkCaller, showRateLimit } from './auth/authenticate.ts';
import type { Caller } from './auth/caller.ts';
import type { Limiter } from './auth/limits.ts';
import { networkOf } from './auth/network.ts';
import { openSessions, serveSessions } from './auth/sessions/index.ts';
import { TokenCallers } from './auth/token-callers.ts';
import type { Config } from './config.ts';
import { requesterOf } from './context.ts';
import { createReadinessCheck, type Database, runFor } from './database/index.ts';
import { News } from './events/news.ts';
import { serveGraphql } from './graphql/index.ts';
import { beforeDeadline, setDeadlines } from './http/deadline.ts';
import { allowOnlyReads, refuseConnection, sendError } from './http/errors.ts';
import { headerLimit, setSecurityHeaders } from './http/headers.ts';
import { limitInFlight } from './http/in-flight.ts';
import { publicBodyLimit, readJsonOnly } from './http/json.ts';
import { answerBeforeClose } from './http/shutdown.ts';
import { limitResponses } from './http/size.ts';
import { Waits } from './http/waits.ts';
import { type Mailer, noMailer } from './mail/index.ts';
import { readPages, registerFiles, sendGraphiql, servePages } from './pages/index.ts';
import { createRefresher } from './resource/index.ts';
import { basePaths, serveRest } from './rest/index.ts';
import { serveOpenapi } from './rest/openapi/index.ts';
import { api, schema } from './schema/index.ts';

/** The service's dependencies. */
export interface AppDependencies {
  readonly config: Pick<
    Config,
    | 'trustProxy'
    | 'maxResponseBytes'
    | 'inFlight'
    | 'maxWaiting'
    | 'shutdownGraceMs'
    | 'rateLimits'
    | 'publicUrl'
    | 'authSecret'
    | 'previousAuthSecret'
    | 'metricsToken'
    | 'oidc'
  >;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly logger?: FastifyBaseLogger;
  /** Sends email; by default none is sent. */
  readonly mailer?: Mailer;
}

/** How long (ms) a client may take to send its headers, and how often that and `requestTimeout` are checked. */
const headersTimeout = 15_000;
const connectionsCheckingInterval = 5000;

/** How long (ms) a client may take to send a request, and a connection may be without any traffic. */
const clientTimeouts = { requestTimeout: 25_000, connectionTimeout: 60_000 };

/** How long (ms) the database may take to answer while the service counts as ready. */
const readinessTimeoutMs = 1000;

/** Creates the service without listening. */
export async function createApp({
  config,
  database,
  limiter,
  logger,
  mailer = noMailer,
}: AppDependencies): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(config.trustProxy),
    bodyLimit: publicBodyLimit,
    ...clientTimeouts,
    http: { maxHeaderSize: headerLimit, headersTimeout, connectionsCheckingInterval },
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: headerLimit },
    // `answerBeforeClose` refuses requests while the service closes, and waits for those in flight.
    return503OnClosing: false,
    rewriteUrl: ({ url = '/' }) => decodableUrl(url),
    clientErrorHandler: refuseConnection,
  });
  app.addHook('onRequest', async ({ id }, reply) => {
    reply.header('x-request-id', id);
  });
  setSecurityHeaders(app, config.publicUrl.startsWith('https:'));
  setDeadlines(app);
  limitResponses(app, config.maxResponseBytes);
  app.addHook('onResponse', async (request, reply) => {
    const { method, url, log } = request;
    const caller = request.caller as Caller | undefined;
    const who = caller && { caller: `${caller.kind}:${caller.id}`, user: caller.userId, company: caller.companyId };
    const answer = { method, path: loggable(url), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
    log.info({ ...answer, ...(caller?.kind !== 'guest' && who) }, 'answered');
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
  // After what sets the common response headers, and before any work.
  const inFlight = limitInFlight(app, config.inFlight, ({ ip }) => networkOf(ip));
  answerBeforeClose(app, inFlight, config.shutdownGraceMs);
  if (config.metricsToken !== undefined) {
    // Few installations have them.
    const { serveMetrics } = await import('./metrics.ts');
    serveMetrics(app, { token: config.metricsToken, database, inFlight });
  }
  // Without this, the plugin's route would answer OPTIONS everywhere, including at unknown addresses.
  app.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    if (method !== 'OPTIONS' || routeOptions.url !== '*') return;
    reply.callNotFound();
    return reply;
  });
  // Without this, Node would reject an unknown Expect header itself, without the common response headers.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  readJsonOnly(app);
  app.setErrorHandler<Error>(sendError);

  app.get('/healthz', { config: { alwaysAnswers: true } }, () => ({ status: 'ok' }));
  const checkReadiness = await createReadinessCheck(database);
  app.get('/readyz', { config: { deadlineMs: readinessTimeoutMs, alwaysAnswers: true } }, async () => {
    await checkReadiness();
    return { status: 'ready' };
  });
  for (const url of ['/healthz', '/readyz']) allowOnlyReads(app, url);

  const signingIn = { config, database, limiter, log: app.log };
  const sessions = await openSessions(signingIn);
  const tokens = new TokenCallers(database, config.rateLimits.token);
  app.addHook('onClose', async () => tokens.close());
  const authentication = { tokens, limiter, rateLimits: config.rateLimits, findSession: sessions.findCaller };
  const authenticateCaller = authenticate(authentication);
  const showLimit = showRateLimit(authentication);
  app.addHook('onSend', async (request, reply) => {
    // Only people who are signed in manage tokens: what they change holds for the next request at once.
    if (request.method !== 'GET' && (request.caller as Caller | undefined)?.kind === 'session') tokens.forget();
    if (apiAddress.test(request.url)) await showLimit(request, reply);
  });
  const waits = new Waits({
    total: config.maxWaiting,
    inFlight,
    partiesOf: ({ caller: { kind, id, companyId } }) => ({ caller: `${kind}:${id}`, company: companyId }),
    check: checkCaller(authentication),
  });
  const refreshStale = createRefresher(database, api.resources);
  const enter = (request: FastifyRequest, reply: FastifyReply) => {
    const entering = async () => {
      await runFor(requesterOf(request), () => authenticateCaller(request, reply));
      const { caller } = request;
      // Before any read and outside any transaction: updates the statuses that depend on the date.
      if (caller.kind !== 'guest') await runFor(requesterOf(request), () => refreshStale(caller));
    };
    return beforeDeadline(request, entering());
  };
  // Everything that follows, the handler above all.
  app.addHook('preHandler', (request, _reply, done) => runFor(requesterOf(request), done));
  app.decorate('mailer', mailer);
  app.decorateRequest('caller');
  app.decorateRequest('rateLimit');
  serveSessions(app, signingIn, sessions);
  const pages = await readPages();
  await registerFiles(app);
  // Before the API, as hooks apply to what is registered after them.
  servePages(app, pages);
  serveGraphql(app, database, enter, sendGraphiql);
  await serveRest(app, { database, news: new News(database), waits, assertValid: assertCaller(authentication) }, enter);
  serveOpenapi(app, schema, config.publicUrl, basePaths);
  return app;
}

/** The addresses whose responses show the rate limit. */
const apiAddress = new RegExp(`^(${[...basePaths, '/graphql'].join('|')})(?=[/?]|$)`);

/**
 * The path for the log, without the query, which may contain personal data, and without anything that could be a secret,
 * such as a guest's tracking token: what is neither a word, an id nor a file stands as `<…>`.
 */
const loggable = (url: string) =>
  url
    .split('?', 1)[0]
    ?.split('/')
    .map((part) => (loggableSegment.test(part) ? part : '<…>'))
    .join('/');

const loggableSegment =
  /^([a-z_-]{0,40}|v1|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\w-]+\.(js|css|json|svg|png|woff2?))$/;

/** The response headers that pages of other origins may read. */
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

/** Converts a number of hops to the form of Fastify's types. */
const trustedProxies = (trust: Config['trustProxy']) =>
  typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust;

/**
 * Escapes a path with invalid percent-encoding, so that it is routed and rejected like any other path, with the common
 * response headers.
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

/** Keeps a client's request id when it is well formed, and creates one otherwise. */
function requestId(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:~-]{1,128}$/.test(given) ? given : randomUUID();
}
