import type { FastifyRequest } from 'fastify';
import { rightsOf } from '../auth/caller.ts';
import type { Database } from '../database/index.ts';
import { publicError } from '../errors.ts';
import { encodePosition } from '../events/position.ts';
import type { EventSource } from '../events/streams.ts';
import { findRefusal } from '../resource/index.ts';
import { executeChanges, type Subscription } from './change-events.ts';
import { completeEvent, nextEvent } from './event.ts';
import { failedResult, toResponse } from './result.ts';

/**
 * What a client that subscribes is sent. Each change is executed once for those with the same query, variables and
 * rights.
 */
export const eventsOf = (subscription: Subscription, request: FastifyRequest, database: Database): EventSource => ({
  key: () => [subscription.key, rightsOf(request.caller)].join('\n'),
  events(part) {
    const refusal = findRefusal(request.caller, subscription.guarded);
    if (refusal) throw refusal;
    return executeChanges(subscription, request, part, database);
  },
  finalEvent(error, position) {
    const result = { ...failedResult(publicError(error)), extensions: { position: encodePosition(position) } };
    return nextEvent(toResponse(result, true, request.log).body) + completeEvent;
  },
});
