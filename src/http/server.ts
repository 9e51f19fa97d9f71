// The server of the service, before anything is registered.
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { limitBodyTime } from './body-time.ts';
import type { InvalidRequests } from './connections.ts';
import { headerLimit } from './headers.ts';
import { publicBodyLimit } from './json.ts';

/** How long (ms) a client may take to send its headers, and how often that and `requestTimeout` are checked. */
const headersTimeout = 15_000;
const connectionsCheckingInterval = 5000;

/** How long (ms) a connection may be without any traffic. How long a body may take is in http/body-time.ts. */
const clientTimeouts = { requestTimeout: 0, connectionTimeout: 60_000 };

/** What a server depends on. */
interface ServerOptions {
  /** The proxies whose `X-Forwarded-*` headers are trusted. */
  readonly trustProxy: boolean | number | string;
  /** The address by which a request is routed. */
  readonly route: (url: string) => string;
  readonly logger?: FastifyBaseLogger | undefined;
}

/**
 * Creates a server.
 *
 * @param invalidRequests answers what is no valid request, or arrives too slowly
 */
export function createServer(
  { trustProxy, route, logger }: ServerOptions,
  invalidRequests: InvalidRequests,
): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    trustProxy: trustedProxies(trustProxy),
    bodyLimit: publicBodyLimit,
    ...clientTimeouts,
    http: { maxHeaderSize: headerLimit, headersTimeout, connectionsCheckingInterval, requireHostHeader: false },
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: headerLimit },
    // `answerBeforeClose` refuses requests while the service closes, and waits for those in flight: for longer than the
    // ten seconds after which Fastify would end the process, as it limits hooks of the start and the end alike.
    return503OnClosing: false,
    pluginTimeout: 0,
    rewriteUrl: ({ url = '/' }) => route(decodableUrl(originForm(url))),
    clientErrorHandler: (error, socket) => invalidRequests.handle(app, error, socket),
  });
  invalidRequests.follow(app);
  limitBodyTime(app, ({ request: { raw } }) =>
    invalidRequests.handle(app, Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket),
  );
  return app;
}

/** Converts a number of hops to the form of Fastify's types. */
const trustedProxies = (trust: ServerOptions['trustProxy']) =>
  typeof trust === 'number' ? (_address: string, hop: number) => hop < trust : trust;

/** The path and query of a target that names the host too, as clients of proxies send it. */
const originForm = (url: string) => url.replace(/^https?:\/\/[^/?#]*(?=(\/)?)/i, (_, slash) => (slash ? '' : '/'));

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
