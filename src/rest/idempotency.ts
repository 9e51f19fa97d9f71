import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Context, contextOf } from '../context.ts';
import type { Database } from '../database/index.ts';
import { asClient } from '../database/nested.ts';
import { badRequest, conflict, publicError, ServiceError, statusOf } from '../errors.ts';
import { errorBody } from '../http/envelope.ts';

/** What a route answers. */
export interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly etag?: string;
}

/** An answer as it is kept. */
interface Kept extends Answer {
  readonly requestId: string;
}

/** Finds or makes the answer of a POST; `respond` makes it, in the transaction that the context is in. */
export type AnswerOnce = (
  request: FastifyRequest,
  reply: FastifyReply,
  respond: (context: Context) => Promise<Answer>,
) => Promise<Answer>;

const reused = 'This Idempotency-Key was used for another request: another body, or another address.';

/** How long (ms) an answer is kept, and how often those that are older are removed. */
const lifetime = 24 * 3600_000;
const sweepEvery = 10 * 60_000;
/** How long (ms) a request with a key may take in its transaction. */
const patience = 15_000;

/** The refusals that are about the request and not about the moment: they are kept as successes are. */
const lasting = [400, 404, 409, 422];

/**
 * Makes a POST that is sent again with the same `Idempotency-Key` answer as it did the first time.
 *
 * All of the request runs in one transaction, which also stores its answer: whenever the process ends, either both are
 * there or neither. A lock that goes with the transaction tells those who come meanwhile.
 */
export function rememberAnswers(app: FastifyInstance, database: Database): AnswerOnce {
  const { prisma } = database;
  // The embedded database has one connection, whose locks do not shut it out itself.
  const running = new Set<string>();
  const sweep = setInterval(() => {
    const old = { createdAt: { lte: new Date(Date.now() - lifetime) } };
    prisma.idempotencyKey.deleteMany({ where: old }).catch(() => {}); // The next sweep takes what this one left.
  }, sweepEvery).unref();
  app.addHook('onClose', async () => clearInterval(sweep));

  return async (request, reply, respond) => {
    const context = contextOf(request, database);
    const key = keyOf(request);
    if (key === undefined) return respond(context);
    const { kind, id: callerId, companyId } = context.caller;
    const owner = `${kind} ${callerId} ${companyId}`;
    const id = digest('id', owner, key);
    const secret = digest('secret', owner, key);
    const name = id.toString('hex');
    const busy = () => {
      reply.header('retry-after', 1);
      return conflict('A request with this Idempotency-Key is still running; try again shortly.');
    };
    if (running.has(name)) throw busy();
    running.add(name);
    try {
      return await prisma.$transaction(
        async (tx) => {
          // A statement of its own: what is read after it sees what whoever had the lock has stored.
          const [lock] = await tx.$queryRaw<
            { free: boolean }[]
          >`SELECT pg_try_advisory_xact_lock(${id.readBigInt64BE()}) AS free`;
          if (!lock?.free) throw busy();
          const known = await tx.idempotencyKey.findUnique({ where: { id } });
          const asked = digest('request', addressOf(request), JSON.stringify(request.body ?? null));
          if (known && known.createdAt.getTime() > Date.now() - lifetime) {
            if (!asked.equals(known.request))
              throw new ServiceError('VALIDATION_ERROR', reused, { 'Idempotency-Key': 'is that of another request' });
            const { requestId, ...answer } = decrypt(known.answer, secret);
            // The body names the request that it answered.
            reply.headers({ 'idempotent-replayed': 'true', 'x-request-id': requestId });
            request.log.info({ replayed: requestId }, 'replayed');
            return answer;
          }
          const answer = await respond({ ...context, db: asClient(tx) }).catch((error: unknown) =>
            refused(error, request.id),
          );
          const stored = {
            companyId: kind === 'guest' ? null : companyId,
            request: new Uint8Array(asked),
            status: answer.status,
            answer: encrypt({ ...answer, requestId: request.id }, secret),
            createdAt: new Date(),
          };
          await tx.idempotencyKey.upsert({
            where: { id },
            create: { id, ...stored },
            update: stored,
            select: { status: true },
          });
          return answer;
        },
        { timeout: patience },
      );
    } finally {
      running.delete(name);
    }
  };
}

/** The header, if it is there. @throws ServiceError BAD_REQUEST */
function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x20-\x7e]{1,255}$/.test(key))
    throw badRequest('Idempotency-Key: must be 1 to 255 printable ASCII characters');
  return key;
}

/** A refusal as it is kept. What another try may not meet again is thrown on, and undoes the transaction. */
function refused(error: unknown, requestId: string): Answer {
  const told = publicError(error);
  const status = statusOf[told.code];
  if (!lasting.includes(status)) throw error;
  return { status, body: JSON.stringify(errorBody(told, requestId)) };
}

/** Where a request goes, the same in both address forms. */
const addressOf = ({ url }: FastifyRequest) => url.replace(/^(\/api)?\/v1/, '').replace(/\/(?=\?|$)/, '');

const digest = (...parts: readonly string[]) => createHash('sha256').update(JSON.stringify(parts)).digest();

const cipher = 'aes-256-gcm';

/** The answer as nobody can read it who does not know the key: of some there is a part that is shown once. */
function encrypt(answer: Kept, secret: Buffer): Uint8Array<ArrayBuffer> {
  const nonce = randomBytes(12);
  const encryption = createCipheriv(cipher, secret, nonce);
  const text = [encryption.update(JSON.stringify(answer)), encryption.final()];
  return new Uint8Array(Buffer.concat([nonce, encryption.getAuthTag(), ...text]));
}

function decrypt(stored: Uint8Array, secret: Buffer): Kept {
  const decryption = createDecipheriv(cipher, secret, stored.subarray(0, 12)).setAuthTag(stored.subarray(12, 28));
  // It was encrypted here.
  return JSON.parse(Buffer.concat([decryption.update(stored.subarray(28)), decryption.final()]).toString()) as Kept;
}
