import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Operation, parseTraceparent, type Tracer } from '../tracing/index.ts';
import { eventStream } from './event-stream.ts';
import { loggablePath } from './loggable-path.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What it asks for. */
    operation: Operation;
  }
}

/** How many slow operations the log names in a minute; their count is in the metrics. */
const maxNamed = 30;
const minuteMs = 60_000;

/** Slow operations since the start of the process. */
export const slowOperations = { count: 0 };

/** What following operations depends on. */
interface OperationDependencies {
  readonly tracer: Tracer;
  /** From how long (ms) on an operation is slow; never without one. */
  readonly slowOperationMs?: number | undefined;
  /** The company of a request whose caller is known. */
  readonly companyOf: (request: FastifyRequest) => string | undefined;
  /** Runs work whose statements and log belong to an operation. */
  readonly run: (operation: Operation, work: () => void) => void;
}

/**
 * Follows each request as an operation: begins and ends its span, and logs it if it was slow. Add it before all that
 * may refuse a request.
 */
export function followOperations(app: FastifyInstance, dependencies: OperationDependencies): void {
  const { tracer, slowOperationMs = Number.POSITIVE_INFINITY, companyOf, run } = dependencies;
  const slowLog = new SlowLog();

  function begin(request: FastifyRequest): Operation {
    const { method, originalUrl, protocol, routeOptions, headers, id } = request;
    // The header of several is joined, and then none.
    const traceparent = headers['traceparent'] as string | undefined;
    // Those that watch the service ask every few seconds.
    if (routeOptions.config.alwaysAnswers) return new Operation();
    if (!tracer.isEnabled) return new Operation(undefined, traceparent && parseTraceparent(traceparent)?.traceId);
    const attributes = {
      'http.request.method': method,
      'http.route': routeOptions.url,
      'url.scheme': protocol,
      'url.path': loggablePath(originalUrl),
      'premises.request_id': id,
    };
    return new Operation(tracer.start(nameOf(request), { kind: 'server', parent: traceparent, attributes }));
  }

  function endSpan(request: FastifyRequest, status: number | undefined): void {
    const { span, name } = request.operation;
    if (!span) return;
    if (name !== undefined) span.rename(name);
    span.set({ 'http.response.status_code': status, 'premises.company_id': companyOf(request) });
    span.end(status === undefined ? 'no_response' : status >= 500 ? String(status) : undefined);
  }

  function end(request: FastifyRequest, { statusCode, raw }: FastifyReply): void {
    const { operation, deadline, log } = request;
    endSpan(request, raw.headersSent ? statusCode : undefined);
    const ms = Math.round(deadline.usedMs);
    if (ms < slowOperationMs) return;
    slowOperations.count += 1;
    const skipped = slowLog.next();
    if (skipped === undefined) return;
    const { document, statements, statementMs } = operation;
    const facts = { operation: nameOf(request), ms, statements, statementMs: Math.round(statementMs) };
    const work = { ...facts, document: document && hashOf(document), company: companyOf(request) };
    log.warn({ ...work, ...(skipped > 0 && { skipped }), ...operation.logged }, 'slow operation');
  }

  app.decorateRequest('operation');
  app.addHook('onRequest', (request, reply, done) => {
    const operation = begin(request);
    request.operation = operation;
    reply.raw.once('close', () => end(request, reply));
    if (operation.traceId === undefined) done();
    else run(operation, done);
  });
  if (tracer.isEnabled)
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (String(reply.getHeader('content-type')).startsWith(eventStream)) {
        // It may go on for days, and what is read meanwhile belongs to the changes that it reports.
        endSpan(request, reply.statusCode);
        request.operation.span = undefined;
      }
      done();
    });
}

/** The name of a request's operation, without anything that clients choose but a name of GraphQL. */
function nameOf({ operation, method, routeOptions: { url } }: FastifyRequest): string {
  const { name = url === undefined ? 'unknown address' : `${method} ${url}` } =
    (operation as Operation | undefined) ?? {};
  return name;
}

/** Identifies the text of a document. */
const hashOf = (document: string): string => createHash('sha256').update(document).digest('hex').slice(0, 16);

/** Bounds how many slow operations are named, as in an overload all are slow. */
class SlowLog {
  private startedAt = Number.NEGATIVE_INFINITY;
  private named = 0;
  private skipped = 0;

  /** Whether another one is named: how many were not, before it; undefined if it is not. */
  next(): number | undefined {
    const now = performance.now();
    if (now - this.startedAt >= minuteMs) {
      this.startedAt = now;
      this.named = 0;
    }
    if (this.named >= maxNamed) {
      this.skipped += 1;
      return undefined;
    }
    this.named += 1;
    const { skipped } = this;
    this.skipped = 0;
    return skipped;
  }
}
