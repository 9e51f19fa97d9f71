import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestAsyncHookHandler } from 'fastify';
import {
  type GraphQLField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql';
import { needsSession, permits, refusal } from '../auth/access.ts';
import { type Context, contextOf } from '../context.ts';
import type { Database } from '../database/index.ts';
import { badRequest, ServiceError, validationError } from '../errors.ts';
import { itemBody } from '../http/envelope.ts';
import { refuseMethod } from '../http/errors.ts';
import { etagOfText, preconditionFailed } from '../resource/etag.ts';
import { schema } from '../schema/index.ts';
import { ifMatchOf, isKnown } from './conditions.ts';
import { type Perform, prefersCsv, sendCsv } from './csv.ts';
import { changedFields, inRestNames, inRestWords, type List, listBody } from './envelope.ts';
import { type Answer, type AnswerOnce, rememberAnswers } from './idempotency.ts';
import { includable, including, readInclude, withIncluded } from './include.ts';
import { lazy } from './lazy.ts';
import { fieldName } from './names.ts';
import { generateOperations, type Run, type Variant, variantOf } from './operations.ts';
import { readBody, readPath, readQuery } from './read.ts';
import { toRestSchema } from './rest-schema.ts';
import { type Route, routes } from './routes.ts';

type Values = Record<string, unknown>;
type Query = Readonly<Record<string, string | string[]>>;

/** Both address forms of the service (spec §4, §9). */
export const basePaths = ['/api/v1', '/v1'] as const;

// Made once, as the schema is.
const restSchema = toRestSchema(schema);
const all = routes();
const runs = generateOperations(restSchema, basePaths[0], all);
/** The dialect in which rows have their lists; few clients ask for it. */
const restSchemaWithLists = lazy(() => toRestSchema(schema, { lists: true }));

/**
 * Serves the schema in REST's idiom, on both address forms.
 * @param authenticate the hook that finds the caller and counts the request, before anything else is looked at
 */
export function serveRest(app: FastifyInstance, database: Database, authenticate: onRequestAsyncHookHandler): void {
  const once = rememberAnswers(app, database);
  const handlers = all.map((route) => ({ route, handler: answer(route, runs.get(route) as Run, database, once) }));
  // Addresses without a variable first: `/notes/categories` is not a note.
  const paths = all
    .map(({ path }) => path)
    .sort((one, other) => Number(one.includes(':')) - Number(other.includes(':')));
  const places = new Map(paths.map((path) => [path, methodsAt(path, all)]));

  for (const prefix of basePaths) {
    app.register(
      async (scope) => {
        scope.addHook('onRequest', authenticate);
        const refuse = ({ url }: FastifyRequest, reply: FastifyReply) =>
          refuseRoute(url.slice(prefix.length), places, reply);
        // `/notes/categories` is a place of its own, also for the methods that only `/notes/:id` has a route for.
        const elsewhere = ({ url, routeOptions }: FastifyRequest) => {
          const path = pathOf(url.slice(prefix.length));
          return places.has(path) && routeOptions.url !== prefix + path;
        };
        // Before the body is looked at: what is wrong with it does not matter where nothing takes it.
        scope.addHook('onRequest', async (request, reply) => {
          if (request.is404 || elsewhere(request)) refuse(request, reply);
        });
        scope.setNotFoundHandler(refuse);
        for (const { route, handler } of handlers)
          scope.route({ method: route.method, url: route.path, handler, config: callersOf(route) });
        // Said of the address itself: `PATCH /inventory/batch` would otherwise be taken for that of an item.
        for (const [url, allow] of places) {
          const method = methods.filter((known) => !allow.split(', ').includes(known));
          const onRequest = async (_request: FastifyRequest, reply: FastifyReply) => refuseMethod(reply, allow);
          // Whoever may use the address is told what it takes; who that is goes by its first route.
          const config = callersOf(all.find(({ path }) => path === url));
          if (!url.includes(':') || config.access === 'public')
            scope.route({ method, url, onRequest, handler: onRequest, config });
        }
      },
      { prefix },
    );
    // A browser asks what it may send before it sends a token.
    for (const [url, allow] of places) {
      app.options(prefix + url, (_request, reply) => reply.header('allow', allow).status(204).send());
    }
  }
}

/** What a route asks of its callers. */
const callersOf = (route?: Route) => ({
  access: route?.operation.access,
  sessions: route !== undefined && needsSession(route.operation.access),
});

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The methods that a path knows, as `Allow` names them. */
function methodsAt(path: string, all: readonly Route[]): string {
  const known = all.filter((route) => place(route.path) === place(path)).map(({ method }) => String(method));
  return [...known, ...(known.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

/** A path without the names of its variables. */
const place = (path: string) => path.replace(/:\w+/g, '[^/]+');

/** The path of a URL, without a slash at its end. */
const pathOf = (url: string) => url.replace(/\/?(\?.*)?$/, '');

/** 405 where another method would be answered, 404 elsewhere. */
function refuseRoute(url: string, places: ReadonlyMap<string, string>, reply: FastifyReply): never {
  const path = pathOf(url);
  const allowed = places.get(path);
  if (allowed) refuseMethod(reply, allowed);
  for (const [pattern, allow] of places) if (new RegExp(`^${place(pattern)}$`).test(path)) refuseMethod(reply, allow);
  throw new ServiceError('NOT_FOUND', 'There is no such route.');
}

/** Makes the handler of a route: scope, then strict reading, then the operation, then the envelope. */
function answer(route: Route, run: Run, database: Database, once: AnswerOnce) {
  const { method, operation, status } = route;
  const field = rootField(restSchema, operation.kind, operation.field);
  const input = inputOf(field);
  const shown = shownFields(restSchema, operation.type);
  const defaultLimit = field.args.find(({ name }) => name === 'first')?.defaultValue as number;
  const subresources = includable(route, all, schema);
  const variants = new Map<string, Variant>();

  /** What `include` asks for, and the form of the operation that asks for it. */
  const readIncluded = ({ query }: FastifyRequest) => {
    const { include: raw } = query as Query;
    const include = raw === undefined || subresources.length === 0 ? [] : readInclude(raw, subresources);
    if (include.length === 0) return { include };
    const key = include.map(({ name }) => name).join();
    const rows = operation.action === 'list' ? 'nodes' : operation.field;
    const variant =
      variants.get(key) ??
      variantOf(
        (document) => including(document, rows, operation.type, include, restSchemaWithLists()),
        restSchemaWithLists(),
      );
    variants.set(key, variant);
    return { include, variant };
  };

  const read = async (request: FastifyRequest, context: Context): Promise<Values> => {
    const ids = readPath(field, request.params as Record<string, string>);
    const variables: Values = {
      ...ids,
      ...readQuery(field, ids, request.query as Query, subresources.length > 0 ? ['include'] : []),
    };
    if (!input) return variables;
    const { input: body, faults } = readBody(input, request.body, shown);
    if (Object.keys(faults).length === 0) return { ...variables, input: body };
    const others = (await operation.inspect?.(body, context, ids)) ?? {};
    throw validationError({ ...inRestNames(others), ...faults });
  };
  const perform = (exchange: Parameters<Run>[0]) =>
    run(exchange).catch((error: unknown) => {
      throw inRestWords(error, field);
    });

  const sendList = async (request: FastifyRequest, reply: FastifyReply) => {
    const variables = await read(request, contextOf(request, database));
    // With a context of its own: what is kept of one page of a list is not kept for all.
    const page: Perform = (exchange) => perform({ context: contextOf(request, database), ...exchange });
    reply.header('vary', 'Accept');
    const { include, variant } = readIncluded(request);
    if (prefersCsv(request) && variant) throw badRequest('include: is not for CSV, which has no rows inside rows');
    if (prefersCsv(request))
      return sendCsv(request, reply, { path: operation.path, fields: rowFields(field), variables, perform: page });
    const { first = defaultLimit, offset = 0 } = variables as { first?: number; offset?: number };
    const envelope = (result: unknown) => {
      const { nodes, ...list } = result as List;
      return listBody(
        { ...list, nodes: variant ? nodes.map((row) => withIncluded(row, include)) : nodes },
        first,
        offset,
        request.id,
      );
    };
    const body = await page({ variables, variant, envelope });
    return reply.type(json).send(body);
  };

  const respond = async (request: FastifyRequest, reply: FastifyReply, asked: Context): Promise<Answer> => {
    let etag: string | undefined;
    const { include, variant } = readIncluded(request);
    // What is shown with a row has versions of its own.
    const context = variant ? asked : { ...asked, tellEtag: (told: string) => (etag = told) };
    const variables = { ...(await read(request, context)), ...(operation.kind === 'Mutation' && condition(request)) };
    const whole = operation.action !== 'update' || wantsRepresentation(request, reply);
    const envelope = (result: unknown) => {
      if (variant) return itemBody(withIncluded(result as Values, include), request.id);
      // What is no row has no version; it is what it shows.
      if (operation.action === 'read') etag ??= etagOfText(JSON.stringify(result));
      return itemBody(
        whole ? result : changedFields(result as Values, Object.keys(request.body as Values)),
        request.id,
      );
    };
    const body = await perform({ context, variables, variant, envelope });
    return status === 204 ? { status } : { status, body, etag };
  };

  /** What `If-Match` asks of the row. Only what has an ETag can meet more than that there is something. */
  const condition = (request: FastifyRequest): Values => {
    const ifMatch = method === 'POST' ? undefined : ifMatchOf(request);
    if (ifMatch === undefined || field.args.some(({ name }) => name === 'ifMatch')) return { ifMatch };
    if (ifMatch !== '*') throw preconditionFailed('What is at this address has no ETag.');
    return {};
  };

  return async (request: FastifyRequest, reply: FastifyReply) => {
    const { caller } = request;
    if (!permits(caller, operation.access)) throw refusal(caller, operation.access);
    if (operation.action === 'list') return sendList(request, reply);
    const toRequest = (context: Context) => respond(request, reply, context);
    const { status, body, etag } =
      method === 'POST' ? await once(request, reply, toRequest) : await toRequest(contextOf(request, database));
    if (etag !== undefined) reply.header('etag', `"${etag}"`);
    if (method === 'GET' && etag !== undefined) {
      // Asked for again each time, with the ETag that the browser has.
      reply.header('cache-control', 'private, no-cache');
      if (isKnown(request, etag)) return reply.status(304).send();
    }
    return body === undefined ? reply.status(status).send() : reply.status(status).type(json).send(body);
  };
}

const json = 'application/json; charset=utf-8';

/** `Prefer: return=representation` (RFC 7240) asks for the whole resource. */
function wantsRepresentation({ headers }: FastifyRequest, reply: FastifyReply): boolean {
  const preferred = /(^|,)\s*return\s*=\s*"?representation"?\s*($|[,;])/i.test(String(headers['prefer'] ?? ''));
  if (preferred) reply.header('preference-applied', 'return=representation');
  return preferred;
}

function rootField(schema: GraphQLSchema, kind: 'Query' | 'Mutation', name: string): GraphQLField<unknown, unknown> {
  const root = kind === 'Query' ? schema.getQueryType() : schema.getMutationType();
  const field = root?.getFields()[name];
  if (!field) throw new Error(`The schema has no ${kind}.${name}.`);
  return field;
}

function inputOf({ args }: GraphQLField<unknown, unknown>): GraphQLInputObjectType | undefined {
  const argument = args.find(({ name }) => name === 'input');
  const type = argument && getNamedType(argument.type);
  return isInputObjectType(type) ? type : undefined;
}

/** The names of the fields that a list's rows have. */
function rowFields({ type }: GraphQLField<unknown, unknown>): string[] {
  const connection = getNamedType(type);
  const rows = isObjectType(connection) && getNamedType(connection.getFields()['nodes']?.type);
  return isObjectType(rows) ? Object.keys(rows.getFields()) : [];
}

function shownFields(schema: GraphQLSchema, name: string): string[] {
  const type = schema.getType(name);
  return isObjectType(type) ? Object.keys(type.getFields()).map(fieldName) : [];
}
