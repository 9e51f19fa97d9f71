import type { FastifyInstance, onRequestAsyncHookHandler } from 'fastify';
import { type Api, getOrCreate } from '../resource/index.ts';
import { createFileHandler, createRowsHandler, fileRoute, isForRows, takesRows } from './files.ts';
import { createHandler, type Handler, type RestDependencies } from './handler.ts';
import { lazy } from './lazy.ts';
import { buildOperations, type RestOperation } from './operations.ts';
import { type HandledRoute, registerRoutes } from './register.ts';
import { createUploadHandler, uploadDeadlineMs, uploadHeaders } from './uploads.ts';
import { createWritesFinder } from './writes.ts';

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
  const operations = await getOrCreate(built, api, buildOperations);
  const findRead = (field: string): RestOperation => {
    const found = operations.find(({ route }) => route.operation.field === field);
    if (!found) throw new Error(`There is no route of ${field}.`);
    return found;
  };
  const ofFiles = { ...dependencies, basePath, findRead };
  const rows = api.files.find(takesRows);
  const rowsAt = ({ route }: RestOperation): Handler | undefined =>
    rows && isForRows(route) ? createRowsHandler(rows, route.operation.type, ofFiles) : undefined;
  const handled = operations.map((operation): HandledRoute => {
    // Created by the route's first request, as creating all handlers took a tenth of the start time.
    const handler = lazy(() => createHandler(operation, dependencies));
    const { route, field, orWrites } = operation;
    if (!orWrites) return { route, handler: (request, reply) => handler()(request, reply), rows: rowsAt(operation) };
    const writes = lazy(() => createHandler(orWrites, dependencies));
    const isForWrites = createWritesFinder(field, orWrites.field);
    const either: Handler = (request, reply) => (isForWrites(request.body) ? writes : handler)()(request, reply);
    return { route, handler: either, rows: rowsAt(operation) };
  });
  const tusHeaders = uploadHeaders(dependencies.maxBytes.file);
  const files = api.files.map(
    (file): HandledRoute => ({
      route: fileRoute(file),
      ...(file.does === 'resume'
        ? { handler: createUploadHandler(file, ofFiles), headers: tusHeaders, deadlineMs: uploadDeadlineMs }
        : { handler: createFileHandler(file, ofFiles) }),
      isFile: true,
      link: file.link,
    }),
  );
  registerRoutes(app, basePath, [...handled, ...files], prepareRequest);
}
