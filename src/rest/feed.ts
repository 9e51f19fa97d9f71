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

/** A page of a feed, as its operation returns it. */
interface FeedPage {
  readonly changes: readonly unknown[];
  readonly next: string;
  readonly has_more: boolean;
}

/** Reads a page of a feed for a request. */
type ReadFeed = (request: FastifyRequest, reply: FastifyReply) => Promise<RestResponse>;

/**
 * Creates the function that reads a page of a feed. Where there is nothing new, a request can wait for it: then it uses
 * no connection to the database, and has no place among the requests in flight.
 */
export function createFeedReader(restOperation: RestOperation, { database, news, waits }: FeedDependencies): ReadFeed {
  const readAddress = createAddressReader(restOperation);
  // In its own context each time, as the caller may have changed meanwhile.
  const read = (request: FastifyRequest, variables: Values) =>
    runFor(requesterOf(request), async () => {
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
