import type { FastifyRequest } from 'fastify';
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import { contextOf, requesterOf } from '../context.ts';
import { type Database, runFor } from '../database/index.ts';
import { assertAvailable } from '../errors.ts';
import { encodePosition } from '../events/position.ts';
import type { LogPart, StreamEvent } from '../events/streams.ts';
import type { Guarded } from '../resource/index.ts';
import type { ChangeSource } from '../schema/changes/change-source.ts';
import type { ListedChange } from '../schema/changes/listed.ts';
import { nextEvent } from './event.ts';
import { toResponse } from './result.ts';

/** A subscription whose document and variables passed all checks. */
export interface Subscription {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null | undefined;
  readonly variableValues: Readonly<Record<string, unknown>> | null | undefined;
  /** Equal for subscriptions that have the same events for callers with the same rights. */
  readonly key: string;
  readonly source: ChangeSource;
  readonly guarded: Guarded;
  /** Maximum number of events that are computed at once. */
  readonly batchSize: number;
}

/**
 * Executes a subscription for the changes that concern its list. The rows of a batch are read together.
 *
 * @param request that of one of the listeners
 * @throws ServiceError SERVICE_UNAVAILABLE
 */
export async function* executeChanges(
  subscription: Subscription,
  request: FastifyRequest,
  { changes, generation }: LogPart,
  database: Database,
): AsyncGenerator<StreamEvent> {
  const { source, batchSize } = subscription;
  const visible = await runFor(requesterOf(request), () => source.choose(changes, contextOf(request, database)));
  for (let start = 0; start < visible.length; start += batchSize) {
    const batch = visible.slice(start, start + batchSize);
    const run = (some: readonly ListedChange[]) => executeAll(subscription, request, generation, some, database);
    const together = await run(batch);
    const results = together.isTooLarge ? [] : together.results;
    // Each is sent as an event of its own, if it is small enough.
    if (together.isTooLarge) for (const change of batch) results.push(...(await run([change])).results);
    for (const [index, result] of results.entries()) {
      // Changes that cannot be read now are sent when the client subscribes again.
      assertAvailable(result);
      // There is a result for each change.
      const { xid, seq } = batch[index] as ListedChange;
      const position = { generation, xid, seq };
      const isNothing = !result.errors && Object.values(result.data ?? {}).every((value) => value === null);
      if (isNothing) continue;
      const { body } = toResponse(result, true, request.log);
      yield { event: Buffer.from(nextEvent(body, encodePosition(position))), position };
    }
  }
}

/** Executes a subscription for several changes in one context, so that their rows are read together. */
async function executeAll(
  { schema, document, operationName, variableValues }: Subscription,
  request: FastifyRequest,
  generation: string,
  changes: readonly ListedChange[],
  database: Database,
): Promise<{ results: ExecutionResult[]; isTooLarge: boolean }> {
  const budget = request.server.createBudget();
  const contextValue = contextOf(request, database, { isShared: true });
  const results = await runFor({ ...requesterOf(request), budget }, () =>
    Promise.all(
      changes.map(async (change) => {
        const position = encodePosition({ generation, xid: change.xid, seq: change.seq });
        const rootValue = { change, position };
        return execute({ schema, document, operationName, variableValues, rootValue, contextValue });
      }),
    ),
  );
  return { results, isTooLarge: budget.isExceeded };
}
