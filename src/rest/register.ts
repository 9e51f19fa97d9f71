import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import { needsSession } from '../auth/access.ts';
import { ServiceError } from '../errors.ts';
import { refuseMethod } from '../http/errors.ts';
import type { Handler } from './handler.ts';
import type { Route } from './routes.ts';

/** A route and what answers it. */
export interface HandledRoute {
  readonly route: Route;
  readonly handler: Handler;
}

/** Path → the methods that it takes, as `Allow` names them. */
type Paths = ReadonlyMap<string, string>;

/**
 * Registers all routes below a prefix. Known paths answer OPTIONS, and 405 to every method that they do not take;
 * other paths are 404.
 * @param authenticate the hook that finds the caller and counts the request, before anything else is looked at
 */
export function registerRoutes(
  app: FastifyInstance,
  prefix: string,
  handled: readonly HandledRoute[],
  authenticate: onRequestAsyncHookHandler,
): void {
  const routes = handled.map(({ route }) => route);
  const paths = allowedMethods(routes);
  const refuse = ({ url }: FastifyRequest, reply: FastifyReply) =>
    refuseRequest(url.slice(prefix.length), paths, reply);
  /** `/notes/categories` is a path of its own, also for the methods that only `/notes/:id` has a route for. */
  const belongsElsewhere = ({ url, routeOptions }: FastifyRequest) => {
    const path = pathOf(url.slice(prefix.length));
    return paths.has(path) && routeOptions.url !== prefix + path;
  };

  app.register(
    async (scope) => {
      scope.addHook('onRequest', authenticate);
      // Before the body is looked at: what is wrong with it does not matter where nothing takes it.
      scope.addHook('onRequest', async (request, reply) => {
        if (request.is404 || belongsElsewhere(request)) refuse(request, reply);
      });
      scope.setNotFoundHandler(refuse);
      for (const { route, handler } of handled)
        scope.route({ method: route.method, url: route.path, handler, config: callersOf(route) });
      for (const [url, allow] of paths) {
        const method = methods.filter((known) => !allow.split(', ').includes(known));
        const onRequest = async (_request: FastifyRequest, reply: FastifyReply) => refuseMethod(reply, allow);
        // Whoever may use the path is told what it takes; who that is goes by its first route.
        const config = callersOf(routes.find(({ path }) => path === url));
        // `PATCH /inventory/batch` would otherwise be taken for that of an item.
        if (!url.includes(':') || config.access === 'public')
          scope.route({ method, url, onRequest, handler: onRequest, config });
      }
    },
    { prefix },
  );
  // A browser asks what it may send before it sends a token.
  for (const [url, allow] of paths)
    app.options(prefix + url, (_request, reply) => reply.header('allow', allow).status(204).send());
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** What a route asks of its callers. */
const callersOf = (route?: Route) => ({
  access: route?.operation.access,
  sessions: route !== undefined && needsSession(route.operation.access),
});

/** The methods of every path; paths without a variable first, as `/notes/categories` is not a note. */
function allowedMethods(routes: readonly Route[]): Paths {
  const paths = routes
    .map(({ path }) => path)
    .sort((one, other) => Number(one.includes(':')) - Number(other.includes(':')));
  return new Map(paths.map((path) => [path, methodsAt(path, routes)]));
}

function methodsAt(path: string, routes: readonly Route[]): string {
  const known = routes.filter((route) => patternOf(route.path) === patternOf(path)).map(({ method }) => String(method));
  return [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/** 405 where another method would be answered, 404 elsewhere. */
function refuseRequest(url: string, paths: Paths, reply: FastifyReply): never {
  const path = pathOf(url);
  const allowed = paths.get(path);
  if (allowed) refuseMethod(reply, allowed);
  for (const [known, allow] of paths) if (new RegExp(`^${patternOf(known)}$`).test(path)) refuseMethod(reply, allow);
  throw new ServiceError('NOT_FOUND', 'There is no such route.');
}

/** A path without the names of its variables. */
const patternOf = (path: string) => path.replace(/:\w+/g, '[^/]+');

/** The path of a URL, without a slash at its end. */
const pathOf = (url: string) => url.replace(/\/?(\?.*)?$/, '');
