/**
 * What the reference servers share: authentication, rate limits, the parsing of parameters and bodies, and the
 * envelope. Each server adds only its queries, as a `Store`.
 */
import { randomUUID } from 'node:crypto';
import Fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { type CallerStore, Callers, type Token } from './callers.ts';

/** A service request as REST shows it. */
export interface ServiceRequest {
  id: string;
  title: string;
  description: string | null;
  status: string;
  priority: string;
  category: string | null;
  assigned_to: string | null;
  created_by: string;
  building_id: string | null;
  floor: string | null;
  room: string | null;
  completed_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** The queries of one reference server. */
export interface Store extends CallerStore {
  /** Up to one row more than the limit, newest first, and the total number of matching rows. */
  list(companyId: string, query: ListQuery): Promise<{ rows: ServiceRequest[]; total: number }>;
  read(companyId: string, id: string): Promise<ServiceRequest | null>;
  /** The request and its first activity entry, in one transaction. Throws `UnknownReference`. */
  create(token: Token, input: NewServiceRequest): Promise<ServiceRequest>;
  /** The nested data of the benchmark's GraphQL query: an object, or JSON text as it came from the database. */
  nested(companyId: string): Promise<object | string>;
}

/** The columns of service_requests that refer to another table. */
export const references = ['assigned_to', 'building_id'] as const;

/** Thrown by a store when a new row refers to one that its company does not have. */
export class UnknownReference extends Error {
  constructor(readonly field: (typeof references)[number]) {
    super(`unknown ${field}`);
  }

  /** Takes the foreign key that PostgreSQL named; returns undefined when it is none of `references`. */
  static from(constraint: string | undefined): UnknownReference | undefined {
    const field = references.find((name) => constraint?.includes(name));
    return field && new UnknownReference(field);
  }
}

/** An error response. */
class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details?: Record<string, string>,
  ) {
    super(message);
  }
}

/** The values of the two enums in REST, by Prisma's names. */
export const statuses = { PENDING: 'pending', IN_PROGRESS: 'in-progress', COMPLETED: 'completed' } as const;
export const priorities = { LOW: 'low', NORMAL: 'normal', HIGH: 'high', URGENT: 'urgent' } as const;

const severalOf = <Item extends z.ZodType>(item: Item) =>
  z.preprocess((value) => [value].flat().join(',').split(','), z.array(item)).optional();
const instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()]).transform((text) => new Date(text));
const cursor = z.string().transform((text, context) => {
  const [milliseconds, id] = Buffer.from(text, 'base64url').toString().split('/');
  const read = z
    .object({ createdAt: z.coerce.date(), id: z.uuid() })
    .safeParse({ createdAt: Number(milliseconds), id });
  if (read.success) return read.data;
  context.addIssue('not a cursor of this list');
  return z.NEVER;
});

const listQuery = z.strictObject({
  status: severalOf(z.enum(statuses)),
  priority: severalOf(z.enum(priorities)),
  assigned_to: severalOf(z.uuid()),
  category: severalOf(z.string()),
  created_after: instant.optional(),
  created_before: instant.optional(),
  search: z
    .string()
    .transform((text) => text.replace(/[\\%_]/g, '\\$&')) // escapes LIKE's wildcards, as Prisma does not
    .optional(),
  limit: z.coerce.number().int().min(1).max(100).default(50),
  offset: z.coerce.number().int().min(0).default(0),
  cursor: cursor.optional(),
});
type ListQuery = z.infer<typeof listQuery>;

const text = (length: number) =>
  z
    .string()
    .trim()
    .max(length)
    .regex(/^[^\0]*$/);
const newServiceRequest = z.strictObject({
  title: text(200).min(1),
  description: text(20_000).nullish(),
  priority: z.enum(priorities).default('normal'),
  category: text(500).nullish(),
  assigned_to: z.uuid().nullish(),
  building_id: z.uuid().nullish(),
  floor: text(500).nullish(),
  room: text(500).nullish(),
});
type NewServiceRequest = z.infer<typeof newServiceRequest>;

const path = z.object({ id: z.uuid() });

function read<Schema extends z.ZodType>(schema: Schema, value: unknown, status: 400 | 422): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = Object.fromEntries(
    result.error.issues.flatMap((issue) =>
      (issue.code === 'unrecognized_keys' ? issue.keys : [issue.path.join('.')]).map((key) => [key, issue.message]),
    ),
  );
  throw status === 422
    ? new ApiError(422, 'VALIDATION_ERROR', 'The body has wrong fields.', details)
    : new ApiError(400, 'BAD_REQUEST', `Wrong parameters: ${Object.keys(details).join(', ')}.`, details);
}

function requireScope(token: Token, action: 'read' | 'write'): void {
  if (!['*', `*:${action}`, `service_requests:${action}`].some((scope) => token.scopes.includes(scope)))
    throw new ApiError(403, 'INSUFFICIENT_SCOPE', `The token needs service_requests:${action}.`);
}

/** Creates a server that finds the caller of each request and counts it, with the headers and errors of all servers. */
export function createServer(store: CallerStore): FastifyInstance {
  const app = Fastify({ genReqId: () => randomUUID() });
  const callers = new Callers(store);
  app.decorateRequest('token');

  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
    const bearer = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const token = bearer ? await callers.find(bearer) : null;
    if (!token) throw new ApiError(401, 'INVALID_TOKEN', 'The token is missing or not valid.');
    const { limit, used, expire } = await callers.count(token);
    const remaining = Math.max(0, limit - used);
    const seconds = Math.ceil((expire - Date.now()) / 1000);
    reply.headers({
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': Math.ceil(expire / 1000),
      'ratelimit-policy': `"hour";q=${limit};w=3600`,
      ratelimit: `"hour";r=${remaining};t=${seconds}`,
    });
    if (used > limit) {
      reply.header('retry-after', seconds);
      throw new ApiError(429, 'RATE_LIMITED', 'Too many requests in this hour.');
    }
    request.setDecorator('token', token);
  });

  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const refusal =
      error instanceof ApiError
        ? error
        : error.statusCode && error.statusCode < 500
          ? new ApiError(error.statusCode, 'BAD_REQUEST', error.message)
          : new ApiError(500, 'INTERNAL_ERROR', 'Something went wrong.');
    if (refusal.status === 500) console.error(error);
    const { status, code, message, details } = refusal;
    return reply.code(status).send({ error: { code, message, status, details }, meta: { request_id: request.id } });
  });

  return app;
}

/** Listens on 127.0.0.1 until SIGTERM. */
export async function listen(app: FastifyInstance, port: number): Promise<void> {
  await app.listen({ host: '127.0.0.1', port });
  process.once('SIGTERM', () => process.exit());
}

/**
 * Serves a store on 127.0.0.1 until SIGTERM.
 *
 * @param store the queries
 * @param port the port to listen on
 */
export async function serve(store: Store, port: number): Promise<void> {
  const app = createServer(store);

  app.get('/api/v1/service-requests', async (request) => {
    const token = request.getDecorator<Token>('token');
    requireScope(token, 'read');
    const query = read(listQuery, request.query, 400);
    const { rows, total } = await store.list(token.companyId, query);
    const { limit, offset } = query;
    const data = rows.slice(0, limit);
    const last = data.at(-1);
    const hasMore = rows.length > limit;
    const next = hasMore && last ? `${last.created_at.getTime()}/${last.id}` : null;
    const pagination = {
      total,
      limit,
      has_more: hasMore,
      next_cursor: next && Buffer.from(next).toString('base64url'),
    };
    return { data, meta: { total, limit, offset, request_id: request.id, pagination } };
  });

  app.get('/api/v1/service-requests/:id', async (request) => {
    const token = request.getDecorator<Token>('token');
    requireScope(token, 'read');
    const data = await store.read(token.companyId, read(path, request.params, 400).id);
    if (!data) throw new ApiError(404, 'NOT_FOUND', 'There is no such service request.');
    return { data, meta: { request_id: request.id } };
  });

  app.post('/api/v1/service-requests', async (request, reply) => {
    const token = request.getDecorator<Token>('token');
    requireScope(token, 'write');
    const input = read(newServiceRequest, request.body, 422);
    const data = await store.create(token, input).catch((error: unknown) => {
      if (!(error instanceof UnknownReference)) throw error;
      throw new ApiError(422, 'VALIDATION_ERROR', 'The body has wrong fields.', { [error.field]: 'does not exist' });
    });
    return reply.code(201).send({ data, meta: { request_id: request.id } });
  });

  app.get('/nested', async (request, reply) => {
    const token = request.getDecorator<Token>('token');
    requireScope(token, 'read');
    const data = await store.nested(token.companyId);
    if (typeof data === 'object') return { data };
    return reply.type('application/json').send(`{"data":${data}}`);
  });

  await listen(app, port);
}
