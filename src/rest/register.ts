import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { needsSession } from '../auth/access.ts';
import { ServiceError } from '../errors.ts';
import { refuseMethod } from '../http/errors.ts';
import { noStore } from '../http/headers.ts';
import { bodyLimit, publicBodyLimit } from '../http/json.ts';
import { findRefusal, type Operation } from '../resource/index.ts';
import type { Handler } from './handler.ts';
import type { Route } from './routes.ts';

/** A route and its handler. */
export interface HandledRoute {
  readonly route: Route;
  readonly handler: Handler;
}

/** A path that routes have. */
interface KnownPath {
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
    return paths.has(path) && routeOptions.url !== prefix + path;
  };

  app.register(
    async (scope) => {
      scope.addHook('onRequest', (_request, reply, done) => {
        reply.header('cache-control', noStore);
        done();
      });
      scope.addHook('onRequest', prepareRequest);
      // Before the body is read, as it is irrelevant where no route accepts it.
      scope.addHook('onRequest', (request, reply, done) => {
        if (request.is404 || belongsElsewhere(request)) refuse(request, reply);
        done();
      });
      scope.setNotFoundHandler(refuse);
      for (const { route, handler } of handled)
        scope.route({
          method: route.method,
          url: route.path,
          // Before the body is read, to save that work for a caller without access.
          onRequest(request, _reply, done) {
            authorize(request, route.operation);
            done();
          },
          bodyLimit: route.operation.access === 'public' ? publicBodyLimit : bodyLimit,
          handler,
          config: accessConfigOf(route),
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
      reply.header('allow', allow).status(204).send(),
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

/** All paths; those without a variable first, as `/notes/categories` is not a note. */
function knownPaths(routes: readonly Route[]): Paths {
  const methodsOf = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const pattern = patternOf(path);
    methodsOf.set(pattern, [...(methodsOf.get(pattern) ?? []), String(method)]);
  }
  const paths = routes
    .map(({ path }) => path)
    .sort((one, other) => Number(one.includes(':')) - Number(other.includes(':')));
  return new Map(
    paths.map((path) => {
      const pattern = patternOf(path);
      const known = methodsOf.get(pattern) ?? [];
      const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
      return [path, { allow, pattern: new RegExp(`^${pattern}$`) }];
    }),
  );
}

/** 405 if the path supports another method, 404 otherwise. */
function refuseRequest(url: string, paths: Paths, reply: FastifyReply): never {
  const path = pathOf(url);
  const known = paths.get(path) ?? [...paths.values()].find(({ pattern }) => pattern.test(path));
  if (known) refuseMethod(reply, known.allow);
  throw new ServiceError('NOT_FOUND', 'There is no such route.');
}

/** The pattern of a path, without its variables' names. */
const patternOf = (path: string) => path.replace(/:\w+/g, '[^/]+');

/** The path of a URL, without a slash at its end. */
const pathOf = (url: string) => url.replace(/\/?(\?.*)?$/, '');
