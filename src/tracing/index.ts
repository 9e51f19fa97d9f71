// Traces of requests and of what follows from them, by OpenTelemetry. Its SDK is loaded only where a collector is
// configured. Statements, webhooks, email and jobs find what they belong to by the operation of their work:
//
//   currentOperation()?.span?.start('POST', { kind: 'client' })   (src/database/requester.ts)
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { readVersion } from '../root.ts';
import { noTracer, type Tracer } from './span.ts';

export { Operation } from './operation.ts';
export { noTracer, type Span, type SpanAttributes, type Tracer } from './span.ts';
export { parseTraceparent } from './traceparent.ts';

/** Opens the tracer that is configured. */
export async function openTracer(
  { tracing }: Pick<Config, 'tracing'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Tracer> {
  if (!tracing) return noTracer;
  // Few installations have a collector.
  const { openOtelTracer } = await import('./otel.ts');
  return openOtelTracer(tracing, readVersion(), log);
}
