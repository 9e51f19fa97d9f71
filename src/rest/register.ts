import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { needsSession } from '../auth/access.ts';
import type { LinkPurpose } from '../auth/file-links.ts';
import { ServiceError } from '../errors.ts';
import { refuseMethod } from '../http/errors.ts';
import { noStore } from '../http/headers.ts';
import { bodyLimit, publicBodyLimit } from '../http/json.ts';
import { findRefusal, type Operation } from '../resource/index.ts';
import { parseNothing } from './files.ts';
import type { Handler } from './handler.ts';
import type { Route } from './routes.ts';
import { ndjson } from './stream.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Headers of all responses of a route. */
    headers?: Readonly<Record<string, string>> | undefined;
  }
}

/** A route and its handler. */
export interface HandledRoute {
  readonly route: Route;
  readonly handler: Handler;
  /** Whether its body is a file, which is read as it comes. */
  readonly isFile?: boolean;
  /** How long (ms) it may take until its response begins, where it is longer than others. */
  readonly deadlineMs?: number | undefined;
  /** Headers of all its responses. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** What signed links to it are for. */
  readonly link?: LinkPurpose | undefined;
  /** Handles a body of NDJSON instead, where it takes one. */
  readonly rows?: Handler | undefined;
}

/** A path that routes have. */
interface KnownPath {
  readonly path: string;
  /** Its methods, in the form of `Allow`. */
  readonly allow: string;
  /** Matches the paths of requests. */
  readonly pattern: RegExp;
}

type Paths = ReadonlyMap<string, KnownPath>;

/**
 * Registers all routes below a prefix. Known paths respond to OPTIONS, and with 405 to unsupported methods; other paths
 * with 404.
 * @param prepareRequest the hook that authenticates and counts the request, and waits for the company's daily update of
 * statuses
 */
export function registerRoutes(
  app: FastifyInstance,
  prefix: string,
  handled: readonly HandledRoute[],
  prepareRequest: onRequestAsyncHookHandler,
): void {
  const routes = handled.map(({ route }) => route);
  const paths = knownPaths(routes);
  /** The last parts of paths that have variables before: `/batch`. */
  const fixedEnds = new Set(routes.flatMap(({ path }) => (/:.*(\/[^/:]+)$/.exec(path) ?? []).slice(1)));
  /** The access that a 405 requires: that of the path's first route. */
  const accessConfigAt = (url: string) => accessConfigOf(routes.find(({ path }) => path === url));
  const refuse = ({ url }: FastifyRequest, reply: FastifyReply) =>
    refuseRequest(url.slice(prefix.length), paths, reply);
  /**
   * Whether a request matched a path with a variable although a path without one exists: `/notes/categories` is never a
   * note, also for methods that only `/notes/:id` supports.
   */
  const belongsElsewhere = ({ url, routeOptions }: FastifyRequest) => {
    const path = pathOf(url.slice(prefix.length));
    if (paths.has(path)) return routeOptions.url !== prefix + path;
    return (
      fixedEnds.has(path.slice(path.lastIndexOf('/'))) && routeOptions.url !== prefix + findPath(path, paths)?.path
    );
  };

  app.register(
    async (scope) => {
      scope.addHook('onRequest', ({ routeOptions }, reply, done) => {
        reply.headers({ 'cache-control': noStore, ...routeOptions.config.headers });
        done();
      });
      scope.addHook('onRequest', prepareRequest);
      // Before the body is read, as it is irrelevant where no route accepts it.
      scope.addHook('onRequest', (request, reply, done) => {
        if (request.is404 || belongsElsewhere(request)) refuse(request, reply);
        done();
      });
      scope.setNotFoundHandler(refuse);
      const files = handled.filter(({ isFile }) => isFile);
      const register = (
        to: FastifyInstance,
        { route, handler, isFile = false, link, headers, deadlineMs }: HandledRoute,
      ) =>
        to.route({
          method: route.method,
          url: route.path,
          // Before the body is read, to save that work for a caller without access.
          onRequest(request, _reply, done) {
            authorize(request, route.operation);
            done();
          },
          bodyLimit: route.operation.access === 'public' ? publicBodyLimit : bodyLimit,
          handler,
          config: {
            ...accessConfigOf(route),
            bodyIsFile: isFile,
            link,
            headers,
            ...(deadlineMs !== undefined && { deadlineMs }),
          },
        });
      for (const each of handled) if (!each.isFile && !each.rows) register(scope, each);
      scope.register(async (many) => {
        many.addContentTypeParser(ndjson, parseNothing);
        for (const each of handled) {
          const { rows, handler } = each;
          if (!rows) continue;
          const either: Handler = (request, reply) =>
            request.body instanceof Readable ? rows(request, reply) : handler(request, reply);
          register(many, { ...each, handler: either, isFile: true });
        }
      });
      scope.register(async (raw) => {
        raw.removeAllContentTypeParsers();
        raw.addContentTypeParser('*', parseNothing);
        for (const each of files) register(raw, each);
      });
      for (const [url, { allow }] of paths) {
        const method = methods.filter((known) => !allow.split(', ').includes(known));
        const onRequest = async (_request: FastifyRequest, reply: FastifyReply) => refuseMethod(reply, allow);
        const config = accessConfigAt(url);
        // Otherwise `PATCH /inventory/batch` would match an item's route.
        if (!url.includes(':') || config.access === 'public')
          scope.route({ method, url, onRequest, handler: onRequest, config });
      }
    },
    { prefix },
  );
  // Browsers send a preflight without a token.
  for (const [url, { allow }] of paths)
    app.options(prefix + url, { config: accessConfigAt(url) }, (_request, reply) =>
      reply
        .headers({ allow, ...handled.find(({ route }) => route.path === url)?.headers })
        .status(204)
        .send(),
    );
}

/** @throws ServiceError INSUFFICIENT_SCOPE, or INVALID_TOKEN where a session is needed */
function authorize({ caller }: FastifyRequest, operation: Operation): void {
  const refusal = findRefusal(caller, operation);
  if (refusal) throw refusal;
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The access that a route requires. */
const accessConfigOf = (route?: Route) => ({
  access: route?.operation.access,
  sessions: route !== undefined && (needsSession(route.operation.access) || route.operation.access === 'caller'),
});

/** All paths; those with fewer variables first, as `/notes/categories` is not a note. */
function knownPaths(routes: readonly Route[]): Paths {
  const methodsOf = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const pattern = patternOf(path);
    methodsOf.set(pattern, [...(methodsOf.get(pattern) ?? []), String(method)]);
  }
  const paths = routes.map(({ path }) => path).sort((one, other) => variablesIn(one) - variablesIn(other));
  return new Map(
    paths.map((path) => {
      const pattern = patternOf(path);
      const known = methodsOf.get(pattern) ?? [];
      const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
      return [path, { path, allow, pattern: new RegExp(`^${pattern}$`) }];
    }),
  );
}

/** 405 if the path supports another method, 404 otherwise. */
function refuseRequest(url: string, paths: Paths, reply: FastifyReply): never {
  const path = pathOf(url);
  const known = findPath(path, paths);
  if (known) refuseMethod(reply, known.allow);
  throw new ServiceError('NOT_FOUND', 'There is no such route.');
}

/** Finds the known path of a request's: of several the one with the fewest variables. */
const findPath = (path: string, paths: Paths): KnownPath | undefined =>
  paths.get(path) ?? [...paths.values()].find(({ pattern }) => pattern.test(path));

/** The number of variables of a path. */
const variablesIn = (path: string) => path.split(':').length - 1;

/** The pattern of a path, without its variables' names. */
const patternOf = (path: string) => path.replace(/:\w+/g, '[^/]+');

/** The path of a URL, without a slash at its end. */
const pathOf = (url: string) => url.replace(/\/?(\?.*)?$/, '');
