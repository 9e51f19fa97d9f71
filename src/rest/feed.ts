import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf, requesterOf } from '../context.ts';
import { type Database, runFor } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import type { News } from '../events/news.ts';
import { decodePosition } from '../events/position.ts';
import { itemBody } from '../http/envelope.ts';
import type { Waits } from '../http/waits.ts';
import { etagOfText } from '../resource/index.ts';
import { preferredWait } from './conditions.ts';
import { type FeedPage, lastEventId, prefersEvents, sendEvents } from './events.ts';
import type { RestResponse } from './idempotency.ts';
import { type RestOperation, runOperation } from './operations.ts';
import { createAddressReader, type Values } from './parameters.ts';

/** The dependencies of feeds. */
export interface FeedDependencies {
  readonly database: Database;
  /** Tells when a feed has news. */
  readonly news: News;
  readonly waits: Waits;
  /** Rejects with INVALID_TOKEN when the caller of a request that goes on for long is no longer valid. */
  readonly assertValid: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** Reads a page of a feed for a request; undefined where it streams the feed instead. */
type ReadFeed = (request: FastifyRequest, reply: FastifyReply) => Promise<RestResponse | undefined>;

/**
 * Creates the function that reads a page of a feed. Where there is nothing new, a request can wait for it: then it uses
 * no connection to the database, and has no place among the requests in flight.
 */
export function createFeedReader(restOperation: RestOperation, { database, news, waits }: FeedDependencies): ReadFeed {
  const readAddress = createAddressReader(restOperation);
  // In its own context each time, as the caller may have changed meanwhile.
  const read = (request: FastifyRequest, variables: Values, isStream = false) =>
    runFor({ ...requesterOf(request), ...(isStream && { budget: undefined }) }, async () => {
      const { data } = await runOperation(restOperation, variables, contextOf(request, database));
      return data as FeedPage;
    });

  /** Reads the first page after `page` that has news; the last one without any. */
  async function waitForNews(
    request: FastifyRequest,
    reply: FastifyReply,
    variables: Values,
    page: FeedPage,
    timeoutMs: number,
  ): Promise<FeedPage> {
    const wait = waits.begin(request, reply);
    const signal = AbortSignal.any([wait.signal, AbortSignal.timeout(timeoutMs)]);
    try {
      let latest = page;
      while (hasNothing(latest) && !signal.aborted) {
        await wait.pause(news.until(request.caller.companyId, decodePosition(latest.next, 'after'), signal));
        if (!signal.aborted) latest = await read(request, { ...variables, after: latest.next });
      }
      if (wait.signal.reason instanceof ServiceError) throw wait.signal.reason;
      return latest;
    } finally {
      wait.end();
    }
  }

  return async (request, reply) => {
    const { variables } = readAddress(request);
    reply.header('vary', 'Accept');
    if (request.method === 'GET' && prefersEvents(request)) {
      const after = lastEventId(request);
      const first = await read(request, after === undefined ? variables : { ...variables, after });
      const wait = waits.begin(request, reply);
      const readAfter = (position: string) => read(request, { ...variables, after: position }, true);
      sendEvents(request, reply, { first, readAfter, wait, news });
      return undefined;
    }
    const seconds = preferredWait(request);
    let page = await read(request, variables);
    if (seconds > 0) {
      if (hasNothing(page)) page = await waitForNews(request, reply, variables, page, seconds * 1000);
      reply.header('preference-applied', `wait=${seconds}`);
    }
    return {
      status: restOperation.route.status,
      body: JSON.stringify(itemBody(page, request.id)),
      etag: etagOfText(JSON.stringify(page)),
    };
  };
}

const hasNothing = ({ changes, has_more }: FeedPage) => changes.length === 0 && !has_more;
