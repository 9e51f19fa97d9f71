import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf, requesterOf, streamRequesterOf } from '../context.ts';
import { runFor, runReading } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import { stringifyJson } from '../json.ts';
import type { FeedDependencies } from './feed.ts';
import { type RestOperation, runOperation } from './operations.ts';
import { createParameterReader } from './parameters.ts';

/** JSON objects, one on each line. */
export const ndjson = 'application/x-ndjson';

/** How many streams of one caller may be read at once: each is as long as its company has rows. */
const maxPerCaller = 2;

/** A part of what an operation streams. */
interface StreamPart {
  readonly rows: readonly unknown[];
  readonly position: string;
  readonly next: string | null;
}

/**
 * Creates the handler of an operation that streams rows: first a line with the position, then one for each row, and at
 * the end one that says that they are complete. Each part is read by a statement of its own, at the client's speed. An
 * error after the first part aborts the connection.
 */
export function createStreamSender(
  restOperation: RestOperation,
  { database, assertValid }: Pick<FeedDependencies, 'database' | 'assertValid'>,
) {
  const readParameters = createParameterReader(restOperation);
  const streams = new Map<string, number>();
  /** Counts a stream of a caller until it ends. @throws ServiceError RATE_LIMITED */
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    const { caller } = requesterOf(request);
    const count = streams.get(caller) ?? 0;
    if (count >= maxPerCaller) {
      reply.header('retry-after', 1);
      throw new ServiceError(
        'RATE_LIMITED',
        `This caller is already reading ${maxPerCaller} streams, which is the maximum.`,
      );
    }
    streams.set(caller, count + 1);
    reply.raw.once('close', () => {
      const left = (streams.get(caller) ?? 1) - 1;
      if (left > 0) streams.set(caller, left);
      else streams.delete(caller);
    });
  };
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const { variables } = readParameters(request);
    begin(request, reply);
    const readPart = async (after?: string) => {
      // The reader sets the pace, and may be deactivated before the end.
      if (after !== undefined) await assertValid(request, reply);
      const read = async () => {
        const { data } = await runOperation<StreamPart>(
          restOperation,
          { ...variables, after },
          contextOf(request, database),
        );
        return data;
      };
      return runFor(streamRequesterOf(request), () => runReading(read));
    };
    const first = await readPart();
    reply.type(ndjson);
    return reply.send(Readable.from(request.method === 'HEAD' ? [] : lines(first, readPart), { objectMode: false }));
  };
}

async function* lines(first: StreamPart, read: (after: string) => Promise<StreamPart>): AsyncGenerator<string> {
  yield line({ position: first.position });
  let part = first;
  for (;;) {
    if (part.rows.length > 0) yield part.rows.map(line).join('');
    if (part.next === null) break;
    part = await read(part.next);
  }
  yield line({ complete: true });
}

const line = (value: unknown) => `${stringifyJson(value)}\n`;
