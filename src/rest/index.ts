import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { type Api, getOrCreate } from '../resource/index.ts';
import { createHandler, type RestDependencies } from './handler.ts';
import { lazy } from './lazy.ts';
import { buildOperations, type RestOperation } from './operations.ts';
import { type HandledRoute, registerRoutes } from './register.ts';

/** The prefix of all routes, and a shorter one for the same routes. */
export const basePaths = ['/api/v1', '/v1'] as const;
const [basePath, shortPath] = basePaths;

const isShort = new RegExp(`^${shortPath}(?=[/?]|$)`);

/** The address of a route, also where a client writes the shorter prefix: each route is registered once. */
export const withBasePath = (url: string): string => url.replace(isShort, basePath);

/** Built once for each API, as its schema is. */
const built = new WeakMap<Api, Promise<RestOperation[]>>();

/**
 * Serves the schema of an API in REST's form. Addresses have to come through `withBasePath`.
 * @param prepareRequest the hook that authenticates and counts the request, and waits for the company's daily update of
 * statuses
 */
export async function serveRest(
  app: FastifyInstance,
  api: Api,
  dependencies: RestDependencies,
  prepareRequest: onRequestAsyncHookHandler,
): Promise<void> {
  const handled = (await getOrCreate(built, api, buildOperations)).map((operation): HandledRoute => {
    // Created by the route's first request, as creating all handlers took a tenth of the start time.
    const handler = lazy(() => createHandler(operation, dependencies));
    return { route: operation.route, handler: (request, reply) => handler()(request, reply) };
  });
  registerRoutes(app, basePath, handled, prepareRequest);
}
