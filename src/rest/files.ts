// Routes whose body or response is a file. They have the paths, errors and limits of all others.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import parseRange from 'range-parser';
import { linkOf } from '../auth/link-callers.ts';
import { type Context, contextOf } from '../context.ts';
import type { Database } from '../database/index.ts';
import { badRequest, ServiceError, validationError } from '../errors.ts';
import { type Files, tooLargeFile } from '../files/index.ts';
import { isUuid } from '../formats.ts';
import { denyAll, isKnown, noStore, policy } from '../http/headers.ts';
import { isForm, readForm } from '../http/multipart.ts';
import { messages, oneOf, suggest } from '../input/index.ts';
import type {
  FileLimit,
  FileParameter,
  FileRequest,
  ReceivedFile,
  SentFile,
  ServedFile,
  StoredContent,
} from '../resource/index.ts';
import { prefersLenient } from './conditions.ts';
import { json } from './envelope.ts';
import type { Handler } from './handler.ts';
import { respondWith, variableOf } from './items.ts';
import type { RestOperation } from './operations.ts';
import type { Route } from './routes.ts';
import { ndjson } from './stream.ts';

/** A route of the tus protocol. */
export type UploadRoute = Extract<ServedFile, { readonly does: 'resume' }>;

/** The route of a file, without the prefix. */
export const fileRoute = (file: ServedFile): Route => {
  const { operation } = file;
  const found =
    file.does === 'resume' ? { method: file.method, status: statusOfResume[file.method] } : routeOf[file.does];
  return { ...found, path: operation.path, operation };
};

const routeOf = {
  receive: { method: 'PUT', status: 204 },
  add: { method: 'POST', status: 201 },
  send: { method: 'GET', status: 200 },
  put: { method: 'PUT', status: 204 },
  remove: { method: 'DELETE', status: 204 },
} as const;

const statusOfResume = { POST: 201, HEAD: 200, PATCH: 204, DELETE: 204 } as const;

/** What handlers of files depend on. */
export interface FileDependencies {
  readonly database: Database;
  /** The prefix of all routes. */
  readonly basePath: string;
  /** How many bytes files may have. */
  readonly maxBytes: Readonly<Record<FileLimit, number>>;
  /** Finds the operation that answers with what was added. */
  readonly findRead: (field: string) => RestOperation;
}

/** Creates the handler of a route of files, except those that can be resumed. */
export function createFileHandler(file: Exclude<ServedFile, UploadRoute>, dependencies: FileDependencies): Handler {
  return async (request, reply) => {
    const [first = ''] = file.mediaTypes;
    const preferred = file.does === 'send' ? new Negotiator(request.raw).mediaType([...file.mediaTypes]) : undefined;
    const asked = { ...readRequest(request, file.parameters ?? [], file.texts), mediaType: preferred ?? first };
    const context = contextOf(request, dependencies.database);
    if (file.does === 'send') {
      if (file.mediaTypes.length > 1) reply.header('vary', 'Accept');
      return sendFile(await file.run(asked, context), request, reply);
    }
    try {
      if ('limit' in file) {
        reply.status(file.does === 'add' ? 201 : 204);
        return await receiveFile(file, asked, context, { ...dependencies, request, reply });
      }
      await file.run(asked, context);
      return reply.status(204).send();
    } catch (error) {
      endConnection(request, reply);
      throw error;
    }
  };
}

/** Whether a route takes NDJSON besides many writes: rows of a file say which rows they are below, not its path. */
export const isForRows = ({ path }: Route): boolean => path.endsWith('/batch') && !path.includes(':');

/** Whether a route takes files of rows, which come to the routes of many writes, too. */
export const takesRows = (file: ServedFile): file is Extract<ServedFile, { readonly does: 'add' }> =>
  file.does === 'add' && file.takesRows;

/**
 * Creates the handler of NDJSON that comes to the route of many writes of a type: what becomes of the rows is found out
 * later, so it answers with 202.
 */
export function createRowsHandler(
  file: Extract<ServedFile, { readonly does: 'add' }>,
  rowsOf: string,
  dependencies: FileDependencies,
): Handler {
  const parameters = (file.parameters ?? []).filter(({ name }) => name !== 'resource');
  return async (request, reply) => {
    const { path, query } = readRequest(request, parameters);
    const lenient = prefersLenient(request) && { handling: 'lenient' };
    const asked = { path, query: { ...query, ...lenient }, mediaType: ndjson, rowsOf };
    try {
      const context = contextOf(request, dependencies.database);
      reply.status(202);
      return await receiveFile(file, asked, context, { ...dependencies, request, reply });
    } catch (error) {
      endConnection(request, reply);
      throw error;
    }
  };
}

/** Takes a file, and answers what has become of it. */
async function receiveFile(
  file: Extract<ServedFile, { readonly limit: FileLimit }>,
  asked: FileRequest & Partial<Pick<ReceivedFile, 'rowsOf'>>,
  context: Context,
  given: FileDependencies & { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { basePath, maxBytes, findRead, request, reply } = given;
  const most = maxBytes[file.limit];
  const received = { ...asked, maxBytes: most };
  if (file.does === 'receive') {
    await file.run({ ...received, body: chunksOf(bodyOf(request, most)) }, context);
    return reply.send();
  }
  if (request.headers['idempotency-key'] !== undefined)
    throw badRequest('Idempotency-Key: files have none, as they are read as they come; send the file again');
  const body = bodyOf(request, most);
  const form = isForm(request.headers)
    ? await readForm(body, request.headers, 'file')
    : { name: undefined, content: chunksOf(body) };
  const id = await file.run({ ...received, name: form.name, body: form.content }, context);
  const read = findRead(file.answer);
  const { body: answer } = await respondWith(read, id, request, context);
  reply.header('location', basePath + read.route.path.replace(`:${variableOf(read.route.path)}`, id));
  return reply.type(json).send(answer);
}

/** What is left of the body of a request that is refused is not waited for. */
export function endConnection({ raw }: FastifyRequest, reply: FastifyReply): void {
  if (!raw.complete) reply.header('connection', 'close');
}

/** The chunks of a body. Whoever stops before the end leaves the connection open, for the response. */
export const chunksOf = (body: Readable): AsyncIterable<Buffer> => body.iterator({ destroyOnReturn: false });

/** Sends a file, or the part of it that the client asks for. */
async function sendFile(file: SentFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { type, name, content, isInline = false } = file;
  const isApart = isInline === 'apart' && isOnOwnHost(request);
  const disposition = dispositionOf(name, isInline === true || isApart);
  reply.type(type).header('content-disposition', disposition);
  if (typeof content === 'object' && 'etag' in content) {
    reply.header('content-security-policy', isApart ? framedBy(request.server.files) : sandbox);
    return sendStored(content, { type, disposition }, request, reply);
  }
  if (request.method === 'HEAD') return reply.send('');
  return reply.send(typeof content === 'string' ? content : Readable.from(content, { objectMode: false }));
}

/** What a browser may do with a file of somebody else: show it, and run nothing of it. */
const sandbox = policy({ ...denyAll, sandbox: '' }).trimEnd();

/** The policy of a file that a browser's viewer shows, outside of a sandbox: our pages may have it in a frame. */
const framedBy = ({ publicUrl }: Files): string =>
  policy({ ...denyAll, 'frame-ancestors': new URL(publicUrl).origin }).trimEnd();

/** Whether a request came to the host of contents. */
const isOnOwnHost = ({ host, server }: FastifyRequest): boolean =>
  server.files.origin !== undefined && host.toLowerCase() === new URL(server.files.origin).host;

async function sendStored(
  { size, etag, read, redirect }: StoredContent,
  answer: { readonly type: string; readonly disposition: string },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.headers({
    etag: `"${etag}"`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    // Pages of others may show what they have a link to, as their scripts could read it.
    'cross-origin-resource-policy': linkOf(request) === undefined ? 'same-origin' : 'cross-origin',
  });
  if (isKnown(request, etag)) return reply.status(304).send();
  const range = rangeOf(request, size, etag);
  if (range === 'none') {
    reply.header('content-range', `bytes */${size}`);
    throw new ServiceError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes.`);
  }
  const length = range ? range.end - range.start + 1 : size;
  if (request.method !== 'HEAD') await request.countBytes?.(length);
  // HEAD is answered here: what it asks for is known, and S3's address would be for GET alone.
  if (redirect && request.method !== 'HEAD') {
    reply.header('cache-control', noStore).removeHeader('content-type').removeHeader('content-disposition');
    return reply.redirect(await redirect(answer), 302);
  }
  if (range) reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  reply.header('content-length', length);
  // An empty stream keeps the length of the file, which a text would replace by its own.
  return reply.send(request.method === 'HEAD' || size === 0 ? Readable.from([]) : await read(range));
}

/**
 * The part of a file that a request asks for; all of it where it asks for several, or knows another version.
 *
 * @returns `none` for a part that the file does not have
 */
function rangeOf(
  { headers, method }: FastifyRequest,
  size: number,
  etag: string,
): { readonly start: number; readonly end: number } | 'none' | undefined {
  const { range, 'if-range': version } = headers;
  if (range === undefined || method === 'HEAD' || (version !== undefined && version !== `"${etag}"`)) return undefined;
  const parts = parseRange(size, range);
  if (parts === -1) return 'none';
  const [part, another] = parts === -2 || parts.type !== 'bytes' ? [] : parts;
  return another ? undefined : part;
}

/** The name in ASCII, and as it is (RFC 6266). */
function dispositionOf(name: string, isInline: boolean): string {
  const plain = name.replaceAll(/[^\w.() -]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
  const encoded = plain === name ? '' : `; filename*=UTF-8''${whole}`;
  return `${isInline ? 'inline' : 'attachment'}; filename="${plain}"${encoded}`;
}

/** @throws ServiceError BAD_REQUEST that names a variable or parameter */
export function readRequest(
  request: FastifyRequest,
  parameters: readonly FileParameter[],
  texts: readonly string[] = [],
): Pick<FileRequest, 'path' | 'query'> {
  const path = request.params as Readonly<Record<string, string>>;
  for (const [name, value] of Object.entries(path))
    if (!texts.includes(name) && !isUuid(value)) throw badRequest(`${name}: ${messages.uuid}`);
  const given = new URLSearchParams(request.url.split('?').slice(1).join('?'));
  const known = parameters.map(({ name }) => name);
  const query: Record<string, string> = {};
  for (const name of given.keys())
    if (!known.includes(name)) throw badRequest(`${name}: there is no such parameter${suggest(name, known)}`);
  for (const { name, required, values, maxLength = 500 } of parameters) {
    const [value, another] = given.getAll(name);
    if (another !== undefined) throw badRequest(`${name}: must be given once`);
    if (value === undefined) {
      if (required) throw badRequest(`${name}: ${messages.required}`);
      continue;
    }
    if (values && !values.includes(value)) throw badRequest(`${name}: must be ${oneOf([...values])}`);
    if (value.length > maxLength) throw badRequest(`${name}: must have at most ${maxLength} characters`);
    query[name] = value;
  }
  return { path, query };
}

/** The body of a request as it comes. @throws ServiceError */
export function bodyOf({ body, headers }: FastifyRequest, maxBytes: number): Readable {
  if (headers['content-encoding'] && headers['content-encoding'] !== 'identity')
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The file must not be compressed.');
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLargeFile(maxBytes);
  if (!(body instanceof Readable)) throw validationError({ file: messages.notEmpty });
  return body;
}

/** Reads bodies as they come, of any media type. */
export const parseNothing = (_request: FastifyRequest, payload: unknown, done: (error: null, body: unknown) => void) =>
  done(null, payload);
