import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Context, contextOf } from './context.ts';
import { deletePages } from './database/delete-pages.ts';
import type { Database } from './database/index.ts';
import { badRequest, conflict, publicError, ServiceError, statusOf } from './errors.ts';
import { errorBody } from './http/envelope.ts';
import { isObject } from './input/index.ts';
import { stringifyJson } from './json.ts';

/** A response to send: of REST, or of GraphQL. */
export interface ApiResponse {
  readonly status: number;
  readonly body?: string;
  readonly etag?: string;
}

/** A stored response. */
interface StoredResponse extends ApiResponse {
  readonly requestId: string;
}

/** The name of the header that says for how long (s) the response is to be kept. */
const maxAgeHeader = 'Idempotency-Key-Max-Age';

/** For how long (s) a response is kept: by default, which is the least, and at most. */
export const keyAges = { default: 24 * 3600, max: 14 * 24 * 3600 };

/** Whether a request has an `Idempotency-Key`, or asks how long one is to be kept. */
export const hasKey = ({ headers }: FastifyRequest): boolean =>
  headers['idempotency-key'] !== undefined || headers['idempotency-key-max-age'] !== undefined;

/** Returns the stored response to a POST, or runs `respond` in the transaction that stores its response. */
export type RespondOnce = (
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (context: Context) => Promise<ApiResponse>,
) => Promise<ApiResponse>;

const reusedKey = 'This Idempotency-Key was used for a request with another body or URL.';

/** How often expired responses are deleted. */
const cleanupIntervalMs = 10 * 60_000;
/** How long the transaction of a request with a key may take. */
const timeoutMs = 10_000;

/** Errors that depend on the state. They are stored like successes; others are cheap to repeat, or may not recur. */
const storedErrors = [404, 409];

/**
 * Creates the store that replays the first response to repeated POSTs with the same `Idempotency-Key`.
 *
 * The request runs in one transaction, which also stores the response, so that even a crash leaves either both or
 * neither. An advisory lock of that transaction rejects a repetition while the first request runs.
 */
export function createIdempotencyStore(app: FastifyInstance, database: Database): RespondOnce {
  const { prisma } = database;
  // Advisory locks do not work within the embedded database's single connection.
  const running = new Set<string>();
  const cleanup = setInterval(() => {
    deletePages((size) => deleteExpiredKeys(prisma, size)).catch(() => {}); // The next cleanup retries.
  }, cleanupIntervalMs).unref();
  app.addHook('onClose', async () => clearInterval(cleanup));

  return async (request, reply, respond) => {
    const context = contextOf(request, database);
    const key = keyOf(request);
    if (key === undefined) return respond(context);
    const keyed = identify(key, request, context);
    const name = keyed.id.toString('hex');
    if (running.has(name)) throw stillRunning(reply);
    running.add(name);
    try {
      return await database.transaction(
        async () => {
          if (!(await tryToLock(prisma, keyed))) throw stillRunning(reply);
          const known = await findStored(prisma, keyed);
          if (known) return replay(known, request, reply);
          const response = await respond(context).catch((error: unknown) => storableError(error, request.id));
          await store(prisma, keyed, context, { ...response, requestId: request.id });
          return response;
        },
        { timeoutMs },
      );
    } finally {
      running.delete(name);
    }
  };
}

/**
 * How long (ms) older instances, which know no other age, keep a response from `created_at` on. Therefore that is a day
 * before it expires: they neither delete nor repeat what is to be kept for longer. A response by which they replace an
 * expired one has the time at which that one expired.
 */
const olderMs = keyAges.default * 1000;

/** Deletes up to `size` expired responses, found on an index. @returns how many */
export async function deleteExpiredKeys(prisma: Database['prisma'], size: number): Promise<number> {
  const now = Date.now();
  return prisma.$executeRaw`
    DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM idempotency_keys
      WHERE expires_at <= ${new Date(now)} AND created_at <= ${new Date(now - olderMs)}
      ORDER BY expires_at LIMIT ${size}
    ))`;
}

const isExpired = ({ createdAt, expiresAt }: { readonly createdAt: Date; readonly expiresAt: Date }): boolean =>
  Math.max(expiresAt.getTime(), createdAt.getTime() + olderMs) <= Date.now();

/** What the response to a request with a key is stored with. */
interface KeyedRequest {
  readonly id: Buffer<ArrayBuffer>;
  /** Encrypts the response. */
  readonly secret: Buffer<ArrayBuffer>;
  /** Digest of the address and the body, which a repetition has too. */
  readonly content: Buffer<ArrayBuffer>;
  /** For how long (ms) the response is kept. */
  readonly maxAgeMs: number;
}

/** Keys of different callers are different ones; those of a person are the same in all their sessions. */
function identify(
  key: string,
  request: FastifyRequest,
  { caller: { kind, id, userId, companyId } }: Context,
): KeyedRequest {
  const owner = `${kind} ${kind === 'session' ? userId : id} ${companyId}`;
  return {
    id: digest('id', owner, key),
    secret: digest('secret', owner, key),
    content: digest('request', addressOf(request), canonicalJson(request.body ?? null)),
    maxAgeMs: maxAgeOf(request) * 1000,
  };
}

/** The same text for objects that differ in the order of their names. */
const canonicalJson = (json: unknown): string =>
  stringifyJson(json, (_name, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

function stillRunning(reply: FastifyReply): ServiceError {
  reply.header('retry-after', 1);
  return conflict('A request with this Idempotency-Key is still running; try again shortly.');
}

/**
 * Locks a key until the transaction ends, unless another one has locked it. A separate statement, so that the next one
 * sees what the previous owner of the lock has stored.
 */
async function tryToLock(prisma: Database['prisma'], { id }: KeyedRequest): Promise<boolean> {
  const [lock] = await prisma.$queryRaw<
    { free: boolean }[]
  >`SELECT pg_try_advisory_xact_lock(${id.readBigInt64BE()}) AS free`;
  return lock?.free === true;
}

/**
 * Finds the response to an earlier request with the key.
 *
 * @throws ServiceError VALIDATION_ERROR if that was another one
 */
async function findStored(
  prisma: Database['prisma'],
  { id, secret, content }: KeyedRequest,
): Promise<StoredResponse | undefined> {
  const known = await prisma.idempotencyKey.findFirst({ where: { id } });
  if (!known || isExpired(known)) return undefined;
  if (content.equals(known.request)) return decrypt(known.answer, secret);
  throw new ServiceError('VALIDATION_ERROR', reusedKey, { 'Idempotency-Key': 'was used for another request' });
}

/** The stored response, with the id of the request that it answered, which its body contains. */
function replay({ requestId, ...response }: StoredResponse, request: FastifyRequest, reply: FastifyReply): ApiResponse {
  reply.headers({ 'idempotent-replayed': 'true', 'x-request-id': requestId });
  request.log.info({ replayed: requestId }, 'replayed');
  return response;
}

/** Stores a response, in place of one that has expired. Guests belong to no company. */
async function store(
  prisma: Database['prisma'],
  { id, secret, content, maxAgeMs }: KeyedRequest,
  { caller: { kind, companyId } }: Context,
  response: StoredResponse,
): Promise<void> {
  const expiresAt = Date.now() + maxAgeMs;
  const stored = {
    companyId: kind === 'guest' ? null : companyId,
    request: new Uint8Array(content),
    status: response.status,
    answer: encrypt(response, secret),
    createdAt: new Date(expiresAt - olderMs),
    expiresAt: new Date(expiresAt),
  };
  await prisma.idempotencyKey.upsert({
    where: { id },
    create: { id, ...stored },
    update: stored,
    select: { status: true },
  });
}

/** Reads the key of a request, if it has one. @throws ServiceError BAD_REQUEST */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined && headers['idempotency-key-max-age'] === undefined) return undefined;
  if (key === undefined) throw badRequest(`${maxAgeHeader}: requires an Idempotency-Key`);
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key: must be 1 to 255 printable ASCII characters');
  return key;
}

/** Reads for how long (s) the response is to be kept. @throws ServiceError BAD_REQUEST */
function maxAgeOf({ headers }: FastifyRequest): number {
  const given = headers['idempotency-key-max-age'];
  if (given === undefined) return keyAges.default;
  const seconds = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : 0;
  // Less than the default would be a mistake, such as days in place of seconds.
  if (seconds < keyAges.default || seconds > keyAges.max)
    throw badRequest(`${maxAgeHeader}: must be a number of seconds from ${keyAges.default} to ${keyAges.max}`);
  return seconds;
}

/** The response of a stored error. @throws other errors, which roll back the transaction */
function storableError(error: unknown, requestId: string): ApiResponse {
  const clientError = publicError(error);
  const status = statusOf[clientError.code];
  if (!storedErrors.includes(status)) throw error;
  return { status, body: JSON.stringify(errorBody(clientError, requestId)) };
}

/** The path and query of a request, without the prefix. */
const addressOf = ({ url }: FastifyRequest) => url.replace(/^\/api\/v1/, '').replace(/\/(?=\?|$)/, '');

const digest = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest();

const cipher = 'aes-256-gcm';

/**
 * Encrypts a response with a key derived from its Idempotency-Key, as some responses contain a secret that is shown
 * only once.
 */
function encrypt(response: StoredResponse, secret: Buffer): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(12);
  const encryption = createCipheriv(cipher, secret, nonce);
  const text = [encryption.update(JSON.stringify(response)), encryption.final()];
  return new Uint8Array(Buffer.concat([nonce, encryption.getAuthTag(), ...text]));
}

function decrypt(stored: Uint8Array, secret: Buffer): StoredResponse {
  const decryption = createDecipheriv(cipher, secret, stored.subarray(0, 12)).setAuthTag(stored.subarray(12, 28));
  // What `encrypt` encrypted, as only this service has the secret.
  return JSON.parse(
    Buffer.concat([decryption.update(stored.subarray(28)), decryption.final()]).toString(),
  ) as StoredResponse;
}
