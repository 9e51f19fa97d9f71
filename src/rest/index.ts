import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { schema } from '../schema/index.ts';
import { createHandler, type RestDependencies } from './handler.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { lazy } from './lazy.ts';
import { buildOperations } from './operations.ts';
import { registerRoutes } from './register.ts';

/** The prefixes that all routes are below. */
export const basePaths = ['/api/v1', '/v1'] as const;

/** Built once per process, as the schema is. */
const operations = lazy(() => buildOperations(schema));

/**
 * Serves the schema in REST's idiom, below both prefixes.
 * @param authenticate the hook that finds the caller and counts the request, before anything else is looked at
 */
export async function serveRest(
  app: FastifyInstance,
  given: Omit<RestDependencies, 'respondOnce'>,
  authenticate: onRequestAsyncHookHandler,
): Promise<void> {
  const dependencies = { ...given, respondOnce: createIdempotencyStore(app, given.database) };
  const handled = (await operations()).map((operation) => ({
    route: operation.route,
    handler: createHandler(operation, dependencies),
  }));
  for (const prefix of basePaths) registerRoutes(app, prefix, handled, authenticate);
}
