import type { FastifyReply, FastifyRequest } from 'fastify';
import { contextOf, requesterOf } from '../context.ts';
import { type Database, runFor } from '../database/index.ts';
import { ServiceError } from '../errors.ts';
import type { ChangeNotifier } from '../events/change-notifier.ts';
import { decodePosition } from '../events/position.ts';
import type { LogStreams } from '../events/streams.ts';
import { itemBody } from '../http/envelope.ts';
import { lastEventId } from '../http/event-stream.ts';
import type { Waits } from '../http/waits.ts';
import type { ApiResponse } from '../idempotency.ts';
import { stringifyJson } from '../json.ts';
import { etagOfText } from '../resource/index.ts';
import { preferredWait } from './conditions.ts';
import { eventOf, eventsOf, type FeedPage, isEmpty, prefersEvents } from './events.ts';
import { type RestOperation, runOperation } from './operations.ts';
import { createParameterReader, type Values } from './parameters.ts';
import { truncatedField } from './rest-schema.ts';

/** The dependencies of feeds. */
export interface FeedDependencies {
  readonly database: Database;
  /** Notifies when a feed has new changes. */
  readonly notifier: ChangeNotifier;
  /** Streams feeds as server-sent events. */
  readonly streams: LogStreams;
  readonly waits: Waits;
  /** Rejects with INVALID_TOKEN when the caller of a request that goes on for long is no longer valid. */
  readonly assertValid: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
}

/** Reads a page of a feed for a request; undefined where it streams the feed instead. */
type ReadFeed = (request: FastifyRequest, reply: FastifyReply) => Promise<ApiResponse | undefined>;

/**
 * Creates the function that reads a page of a feed. Where there is nothing new, a request can wait for it: then it uses
 * no connection to the database, and has no place among the requests in flight.
 */
export function createFeedReader(
  restOperation: RestOperation,
  { database, notifier, streams, waits }: FeedDependencies,
): ReadFeed {
  const readParameters = createParameterReader(restOperation);
  // Each read has its own context, as the caller may have changed in the meantime.
  const read = (request: FastifyRequest, variables: Values) =>
    runFor(requesterOf(request), async () => {
      const { data } = await runOperation<FeedPage>(restOperation, variables, contextOf(request, database));
      return data;
    });

  /** Reads the first page after `page` that has changes, or the last page. */
  async function waitForChanges(
    request: FastifyRequest,
    reply: FastifyReply,
    variables: Values,
    page: FeedPage,
    timeoutMs: number,
  ): Promise<FeedPage> {
    const wait = waits.begin(request, reply, timeoutMs);
    const { signal } = wait;
    try {
      let latest = page;
      while (hasNothing(latest) && !signal.aborted) {
        await wait.pause(
          notifier.waitForChanges(request.caller.companyId, decodePosition(latest.next, 'after'), signal),
        );
        if (!signal.aborted) latest = await read(request, { ...variables, after: latest.next });
      }
      if (signal.reason instanceof ServiceError) throw signal.reason;
      return latest;
    } finally {
      wait.end();
    }
  }

  return async (request, reply) => {
    const { variables } = readParameters(request);
    reply.header('vary', 'Accept');
    if (request.method === 'GET' && prefersEvents(request)) {
      const after = lastEventId(request);
      const first = await read(request, after === undefined ? variables : { ...variables, after });
      const source = eventsOf(restOperation, variables, request, database);
      await streams.open(request, reply, source, {
        after: decodePosition(first.next, 'after'),
        first: eventOf(first),
        hasMore: first.has_more,
      });
      return undefined;
    }
    const seconds = preferredWait(request);
    let page = await read(request, variables);
    if (seconds > 0) {
      // The time counts from the request on: connections without traffic end soon after the longest wait.
      const left = seconds * 1000 - reply.elapsedTime;
      if (hasNothing(page)) page = await waitForChanges(request, reply, variables, page, left);
      reply.header('preference-applied', `wait=${seconds}`);
    }
    return {
      status: restOperation.route.status,
      body: stringifyJson(feedBody(page, request.id)),
      etag: etagOfText(stringifyJson(page)),
    };
  };
}

/** The response body of a page. */
function feedBody({ [truncatedField]: is_truncated, ...page }: FeedPage, requestId: string) {
  const { data, meta } = itemBody(page, requestId);
  return { data, meta: { is_truncated, ...meta } };
}

const hasNothing = (page: FeedPage) => isEmpty(page) && !page.has_more;
