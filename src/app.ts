import cors from '@fastify/cors';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  type AuthDependencies,
  assertCaller,
  authenticate,
  checkCaller,
  readAddressLimit,
  showRateLimit,
} from './auth/authenticate.ts';
import type { Caller } from './auth/caller.ts';
import { FileLinks, type LinkHolder } from './auth/file-links.ts';
import type { Limiter } from './auth/limits.ts';
import { createLinkFinder, linkOf } from './auth/link-callers.ts';
import { networkOf } from './auth/network.ts';
import { openSessions, serveSessions, toSessionBody } from './auth/sessions/index.ts';
import { TokenCallers } from './auth/token-callers.ts';
import type { Config } from './config.ts';
import { requesterOf } from './context.ts';
import { createReadinessCheck, type Database, runFor, runOperation } from './database/index.ts';
import { ServiceError } from './errors.ts';
import { ChangeNotifier } from './events/change-notifier.ts';
import { LogStreams } from './events/streams.ts';
import { createStoreCheck, type Files, type FilesConfig, openFiles } from './files/index.ts';
import { checkCost } from './graphql/cost.ts';
import { serveGraphql } from './graphql/index.ts';
import { InvalidRequests } from './http/connections.ts';
import { beforeDeadline, setDeadlines } from './http/deadline.ts';
import { allowOnlyReads, sendError } from './http/errors.ts';
import { removeForwardedPorts } from './http/forwarded.ts';
import { exposedHeaders, refuseHeaders, securityHeaders, setCommonHeaders } from './http/headers.ts';
import { limitInFlight } from './http/in-flight.ts';
import { readJsonOnly } from './http/json.ts';
import { loggablePath } from './http/loggable-path.ts';
import { followOperations } from './http/operations.ts';
import { createServer } from './http/server.ts';
import { answerBeforeClose } from './http/shutdown.ts';
import { limitResponses } from './http/size.ts';
import { Waits } from './http/waits.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { type Mailer, noMailer } from './mail/index.ts';
import type { Measured } from './metrics.ts';
import { readPages, registerFiles, sendGraphiql, servePages } from './pages/index.ts';
import { type Api, createRefresher, type Refresher } from './resource/index.ts';
import { serveCalendars } from './rest/calendar.ts';
import { basePaths, serveRest, withBasePath } from './rest/index.ts';
import { serveOpenapi } from './rest/openapi/index.ts';
import { loggedTypes } from './schema/changes/change-view.ts';
import { noTracer, type Tracer } from './tracing/index.ts';

/** The service's dependencies. */
interface AppDependencies {
  /** What it serves. */
  readonly api: Api;
  readonly config: Pick<
    Config,
    | 'trustProxy'
    | 'maxResponseBytes'
    | 'inFlight'
    | 'waiting'
    | 'shutdownTimeoutMs'
    | 'rateLimits'
    | 'publicUrl'
    | 'authSecret'
    | 'previousAuthSecret'
    | 'metricsToken'
    | 'oidc'
    | 'webhookAllowedHosts'
    | 'slowOperationMs'
    | 'maxImportBytes'
    | 'maxFileBytes'
  > &
    FilesConfig;
  readonly database: Database;
  readonly limiter: Limiter;
  readonly logger?: FastifyBaseLogger;
  /** The store of files; by default the one that the configuration names. */
  readonly files?: Files;
  /** Sends email; by default none is sent. */
  readonly mailer?: Mailer;
  /** Updates the statuses that depend on the day, before requests read. */
  readonly refreshStale?: Refresher;
  /** Traces requests; by default none are. */
  readonly tracer?: Tracer;
}

/** How many bytes an image may have that is written anew. */
const maxImageBytes = 10_000_000;

/** How long (ms) the database may take to answer while the service counts as ready. */
const readinessTimeoutMs = 1000;

/** Creates the service without listening. */
export async function createApp({
  api,
  config,
  database,
  limiter,
  logger,
  files = openFiles(config),
  mailer = noMailer,
  refreshStale = createRefresher(database, api.resources),
  tracer = noTracer,
}: AppDependencies): Promise<FastifyInstance> {
  const invalidRequests = new InvalidRequests({
    commonHeaders: {
      ...securityHeaders(isSecure(config)),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': exposedHeaders.join(', '),
    },
    readLimit: readAddressLimit({ limiter, rateLimits: config.rateLimits }),
  });
  const app = createServer({ trustProxy: config.trustProxy, route: withBasePath, logger }, invalidRequests);
  app.decorate('storage', api.storage);
  app.decorate('mailer', mailer);
  app.decorate('webhookHosts', config.webhookAllowedHosts);
  app.decorate('files', files);
  app.decorate('allowedMethods', new Map());
  app.decorateRequest('caller');
  app.decorateRequest('rateLimit');
  app.decorateRequest('sortedIds');
  app.decorateRequest('countRows');
  app.decorateRequest('countBytes');
  const links = new FileLinks(database);
  app.decorate('fileLinks', links);

  // Hooks run in this order: first what corrects the client's address and sets the common response headers, then what
  // refuses a request before any work.
  removeForwardedPorts(app);
  followOperations(app, {
    tracer,
    slowOperationMs: config.slowOperationMs,
    companyOf: (request) => knownCaller(request)?.companyId,
    run: runOperation,
  });
  await addCommonHeaders(app, config);
  if (logger && logsRequests.includes(logger.level)) app.addHook('onResponse', logResponse);
  const inFlight = await limitLoad(app, config, { database, mailer, countWaiting: () => waits.size });
  refuseOddRequests(app);
  sendOnlyContents(app, files);
  await serveHealth(app, database, files);

  const signingIn = { config, database, limiter, log: app.log };
  const sessions = await openSessions(signingIn);
  const tokens = new TokenCallers(database, config.rateLimits.token);
  app.addHook('onClose', async () => tokens.close());
  const find = { token: (of: LinkHolder) => tokens.findById(of), session: sessions.findCallerById };
  const findLinked = createLinkFinder({ links, find });
  const authentication = {
    tokens,
    limiter,
    rateLimits: config.rateLimits,
    findSession: sessions.findCaller,
    findLinked,
  };
  forgetChangedTokens(app, tokens);
  showRateLimits(app, authentication);
  runHandlersFor(app);

  serveSessions(app, signingIn, sessions);
  const pages = await readPages();
  await registerFiles(app);
  // Before the API, as hooks apply to what is registered after them.
  servePages(app, pages, {
    collections: api.collections,
    findSession: async (request, reply) => {
      const session = await sessions.find(request, reply);
      return session && toSessionBody(database.prisma, session);
    },
    signInOptions: { hasProviders: sessions.oidc !== undefined, emailsLinks: mailer.isEnabled },
  });

  const notifier = new ChangeNotifier(database);
  const waits = new Waits({
    limits: config.waiting,
    inFlight,
    clientsOf: ({ caller: { kind, id, companyId } }) => ({ caller: `${kind}:${id}`, company: companyId }),
    check: checkCaller(authentication),
  });
  const prepareRequest = createPreparation(refreshStale, authentication);
  const tables = [...new Set(loggedTypes(api.resources).map(({ table }) => table))];
  const streams = new LogStreams({ database, notifier, waits, tables });
  app.addHook('onClose', async () => streams.close());
  const assertValid = assertCaller(authentication);
  const respondOnce = createIdempotencyStore(app, database);
  serveGraphql(app, { api, database, streams, prepareRequest, assertValid, respondOnce, sendGraphiql });
  await serveRest(
    app,
    api,
    {
      ...{ database, notifier, streams, waits, assertValid, respondOnce },
      findExcess: (args) => checkCost(args).tooLarge,
      maxBytes: {
        file: config.maxFileBytes,
        import: config.maxImportBytes,
        image: Math.min(config.maxFileBytes, maxImageBytes),
      },
    },
    prepareRequest,
  );
  serveCalendars(app, { api, database, limiter, publicUrl: config.publicUrl });
  serveOpenapi(app, api, config.publicUrl, basePaths);
  return app;
}

/** Sets the headers that every response has, its deadline and its maximum size. */
async function addCommonHeaders(app: FastifyInstance, config: AppDependencies['config']): Promise<void> {
  // Hooks that every request runs take callbacks: a promise for each would take as long as their work.
  app.addHook('onRequest', ({ id }, reply, done) => {
    reply.header('x-request-id', id);
    done();
  });
  setCommonHeaders(app, securityHeaders(isSecure(config)));
  setDeadlines(app);
  limitResponses(app, config.maxResponseBytes);
  // Any origin may call the API, but without credentials: only the pages use cookies, and they share its origin.
  await app.register(cors, {
    origin: '*',
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    maxAge: preflightSeconds,
    exposedHeaders,
    preflightContinue: true,
    strictPreflight: false,
  });
}

/** Limits how many requests are in flight, waits for them when the service closes, and serves metrics. */
async function limitLoad(
  app: FastifyInstance,
  config: AppDependencies['config'],
  measured: Pick<Measured, 'database' | 'mailer' | 'countWaiting'>,
) {
  const inFlight = limitInFlight(app, config.inFlight, ({ ip }) => networkOf(ip));
  answerBeforeClose(app, inFlight, config.shutdownTimeoutMs);
  if (config.metricsToken !== undefined) {
    // Few installations have them.
    const { serveMetrics } = await import('./metrics.ts');
    serveMetrics(app, { token: config.metricsToken, inFlight, ...measured });
  }
  return inFlight;
}

/** Answers what Fastify, its plugins and Node would answer without our headers, or in another form. */
function refuseOddRequests(app: FastifyInstance): void {
  // Without this, the route of CORS would answer OPTIONS everywhere, including at unknown addresses.
  app.addHook('onRequest', ({ method, routeOptions }, reply, done) => {
    if (method === 'OPTIONS' && routeOptions.url === '*') reply.callNotFound();
    else done();
  });
  // Node would refuse a request without a host in another form, and take the first of several.
  app.addHook('onRequest', (request, _reply, done) => done(refuseHeaders(request)));
  // Without this, Node would reject an unknown Expect header itself.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  readJsonOnly(app);
  app.setErrorHandler<Error>(sendError);
}

/** Lets the host of contents have nothing else: what a browser runs there finds no session and no API. */
function sendOnlyContents(app: FastifyInstance, { origin }: Files): void {
  if (origin === undefined) return;
  const { host } = new URL(origin);
  app.addHook('onRequest', (request, _reply, done) => {
    const isContent =
      (request.method === 'GET' || request.method === 'HEAD') &&
      request.routeOptions.config.link === 'read' &&
      linkOf(request) !== undefined;
    const isRefused = request.host.toLowerCase() === host && !isContent;
    done(
      isRefused ? new ServiceError('NOT_FOUND', 'This host has contents of files alone, by their links.') : undefined,
    );
  });
}

async function serveHealth(app: FastifyInstance, database: Database, { store }: Files): Promise<void> {
  app.get('/healthz', { config: { alwaysAnswers: true } }, () => ({ status: 'ok' }));
  const checkReadiness = await createReadinessCheck(database);
  const hasFiles = createStoreCheck(store, (err) => app.log.warn({ err }, 'store of files unavailable'));
  app.get('/readyz', { config: { deadlineMs: readinessTimeoutMs, alwaysAnswers: true } }, async () => {
    await checkReadiness();
    // All else works without files: an instance stays behind the balancer, as no other one has them either.
    return { status: 'ready', ...(!(await hasFiles()) && { files: 'unavailable' }) };
  });
  for (const url of ['/healthz', '/readyz']) allowOnlyReads(app, url);
}

/** Clears the remembered callers after a change through a session, so that it applies to the next request. */
function forgetChangedTokens(app: FastifyInstance, tokens: TokenCallers): void {
  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (request.method !== 'GET' && knownCaller(request)?.kind === 'session') tokens.forget();
    done();
  });
}

/** Shows the rate limit in responses that come without authentication, such as errors. */
function showRateLimits(app: FastifyInstance, authentication: AuthDependencies): void {
  const showLimit = showRateLimit(authentication);
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (reply.hasHeader('x-ratelimit-limit') || !apiAddress.test(request.url)) done();
    else void showLimit(request, reply).then(() => done());
  });
}

/** Runs the handlers of a request as its requester, for whom all their statements count. */
function runHandlersFor(app: FastifyInstance): void {
  app.addHook('preHandler', (request, _reply, done) => runFor(requesterOf(request), done));
}

/** Creates the hooks before every API handler: find the caller, then update statuses that depend on the date. */
function createPreparation(refreshStale: Refresher, authentication: AuthDependencies) {
  const authenticateCaller = authenticate(authentication);
  const prepare = async (request: FastifyRequest, reply: FastifyReply) => {
    await runFor(requesterOf(request), () => authenticateCaller(request, reply));
    const { caller } = request;
    if (caller.kind === 'guest') return;
    // Before any read and outside any transaction: updates the statuses that depend on the date.
    const refreshing = runFor(requesterOf(request), () => refreshStale(caller));
    if (refreshing) await refreshing;
  };
  return (request: FastifyRequest, reply: FastifyReply) => beforeDeadline(request, prepare(request, reply));
}

/**
 * The caller of a request; undefined before `authenticate`. Handlers run after it, so the type says it is always set.
 */
const knownCaller = ({ caller }: FastifyRequest) => caller as Caller | undefined;

/** The addresses whose responses show the rate limit. */
const apiAddress = new RegExp(`^(${[...basePaths, '/graphql'].join('|')})(?=[/?]|$)`);

/** Whether browsers reach the service by https alone. */
const isSecure = ({ publicUrl }: AppDependencies['config']) => publicUrl.startsWith('https:');

/** The levels at which responses are logged. */
const logsRequests = ['trace', 'debug', 'info'];

function logResponse(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { method, originalUrl: url, log } = request;
  const caller = knownCaller(request);
  const who = caller && { caller: `${caller.kind}:${caller.id}`, user: caller.userId, company: caller.companyId };
  const answer = { method, path: loggablePath(url), status: reply.statusCode, ms: Math.round(reply.elapsedTime) };
  log.info({ ...answer, ...(caller?.kind !== 'guest' && who), ...request.operation.logged }, 'answered');
  done();
}

/** How long browsers may keep the answer to a preflight; Chromium keeps none longer. */
const preflightSeconds = 7200;
