import { runOperation } from '../database/index.ts';
import { Operation, type SpanAttributes, type Tracer } from '../tracing/index.ts';

/** What queued work is in a trace. */
export interface Cause {
  readonly name: string;
  /** The `traceparent` of what has queued it; of several, it belongs to the trace of the first. */
  readonly parents: readonly (string | null)[];
  readonly attributes: SpanAttributes;
}

/** Does work that was queued, as a part of the trace of what has queued it. */
export async function runQueued(tracer: Tracer, cause: () => Promise<Cause>, work: () => Promise<void>): Promise<void> {
  if (!tracer.isEnabled) return work();
  const { name, parents, attributes } = await cause();
  const [parent, ...links] = parents.filter((each) => each !== null);
  const span = tracer.start(name, { kind: 'consumer', attributes, parent, links });
  return runOperation(new Operation(span), async () => {
    try {
      await work();
      span?.end();
    } catch (error) {
      span?.end(error);
      throw error;
    }
  });
}
