import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { rightsOf } from '../auth/caller.ts';
import { contextOf, requesterOf } from '../context.ts';
import { type Database, runFor } from '../database/index.ts';
import { decodePosition, encodePosition } from '../events/position.ts';
import type { EventSource, LogPart, StreamEvent } from '../events/streams.ts';
import { eventStream } from '../http/event-stream.ts';
import { stringifyJson } from '../json.ts';
import { maxPageSize } from '../resource/index.ts';
import { json } from './envelope.ts';
import { type RestOperation, runOperation } from './operations.ts';
import type { Values } from './parameters.ts';
import { truncatedField } from './rest-schema.ts';

/** A page of a feed, as its operation returns it. */
export interface FeedPage {
  readonly changes: readonly unknown[];
  readonly next: string;
  readonly has_more: boolean;
  readonly [truncatedField]: boolean;
}

/** Whether a client prefers a feed as server-sent events. The default is JSON. */
export const prefersEvents = (request: FastifyRequest): boolean =>
  new Negotiator(request.raw).mediaType([json, eventStream]) === eventStream;

/** Whether a page tells a client nothing. */
export const isEmpty = ({ changes, [truncatedField]: isTruncated }: FeedPage): boolean =>
  changes.length === 0 && !isTruncated;

/** The event of a page; empty where the page is. */
export function eventOf(page: FeedPage): string {
  if (isEmpty(page)) return '';
  const { changes, next, [truncatedField]: isTruncated } = page;
  const data = { changes, ...(isTruncated && { meta: { is_truncated: true } }) };
  return `id: ${next}\ndata: ${stringifyJson(data)}\n\n`;
}

/**
 * What a client of a feed is sent: its operation's response to each page of the log, computed once for all clients with
 * the same parameters and rights.
 */
export const eventsOf = (
  restOperation: RestOperation,
  { after: _, ...variables }: Values,
  request: FastifyRequest,
  database: Database,
): EventSource => ({
  key: () => [restOperation.field.name, stringifyJson(variables), rightsOf(request.caller)].join('\n'),
  events: (part) => readEvents(restOperation, variables, request, part, database),
  // A reconnecting client continues after the last event.
  finalEvent: () => '',
});

async function* readEvents(
  restOperation: RestOperation,
  variables: Values,
  request: FastifyRequest,
  { changes, generation, next }: LogPart,
  database: Database,
): AsyncGenerator<StreamEvent> {
  const limit = Number(variables['first'] ?? maxPageSize);
  for (let start = 0; start < changes.length; start += limit) {
    const some = changes.slice(start, start + limit);
    const last = start + limit < changes.length ? some.at(-1) : undefined;
    const position = last ? { generation, xid: last.xid, seq: last.seq } : decodePosition(next, 'next');
    const logPage = { changes: some, next: encodePosition(position), hasMore: last !== undefined, isTruncated: false };
    const { data } = await runFor({ ...requesterOf(request), budget: undefined }, () =>
      runOperation<FeedPage>(restOperation, variables, { ...contextOf(request, database), logPage }),
    );
    const event = eventOf(data);
    if (event !== '') yield { event: Buffer.from(event), position };
  }
}
