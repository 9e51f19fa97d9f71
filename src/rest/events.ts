import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import type { News } from '../events/news.ts';
import { decodePosition } from '../events/position.ts';
import type { Wait } from '../http/waits.ts';
import { json } from './envelope.ts';

/** The media type of server-sent events. */
export const eventStream = 'text/event-stream';

/** How often (ms) a client that is told nothing gets a comment, so that no proxy closes the connection. */
const heartbeatMs = 15_000;

/** A page of a feed, as its operation returns it. */
export interface FeedPage {
  readonly changes: readonly unknown[];
  readonly next: string;
  readonly has_more: boolean;
}

/** Whether a client prefers a feed as server-sent events. The default is JSON. */
export const prefersEvents = (request: FastifyRequest): boolean =>
  new Negotiator(request.raw).mediaType([json, eventStream]) === eventStream;

/** The position at which a client that connects again has got to. */
export const lastEventId = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers['last-event-id'];
  return typeof given === 'string' && given !== '' ? given : undefined;
};

/** What a stream of a feed depends on. */
interface Streamed {
  readonly first: FeedPage;
  readonly readAfter: (position: string) => Promise<FeedPage>;
  readonly wait: Wait;
  readonly news: News;
}

/** Sends a feed as server-sent events, one for each page with changes, until the client or the wait ends. */
export const sendEvents = (request: FastifyRequest, reply: FastifyReply, streamed: Streamed): FastifyReply =>
  reply.type(eventStream).send(Readable.from(events(request, streamed), { objectMode: false }));

async function* events(request: FastifyRequest, { first, readAfter, wait, news }: Streamed): AsyncGenerator<string> {
  try {
    yield ': connected\n\n';
    for (let page = first; !wait.signal.aborted; ) {
      if (page.changes.length > 0) yield `id: ${page.next}\ndata: ${JSON.stringify({ changes: page.changes })}\n\n`;
      if (!page.has_more) {
        const heartbeat = AbortSignal.timeout(heartbeatMs);
        const signal = AbortSignal.any([wait.signal, heartbeat]);
        await news.until(request.caller.companyId, decodePosition(page.next, 'after'), signal);
        if (wait.signal.aborted) return;
        if (heartbeat.aborted) yield ':\n\n';
      }
      page = await readAfter(page.next);
    }
  } finally {
    wait.end();
  }
}
