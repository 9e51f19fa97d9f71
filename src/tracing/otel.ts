// The only module that loads OpenTelemetry's SDK. `openTracer` loads it where traces are configured.
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  type Link,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import { failureCounts } from '../failure-counts.ts';
import type { RootOptions, Span, SpanAttributes, SpanOptions, Tracer } from './span.ts';
import { summarize } from './statement.ts';
import { formatTraceparent, parseTraceparent } from './traceparent.ts';

/** How long (ms) `close` waits for the collector. */
const closeTimeoutMs = 1000;

/** How often (ms) the log says that the collector takes nothing. */
const warningIntervalMs = 60_000;

/** Where spans are sent, and which. */
type TracingConfig = NonNullable<Config['tracing']>;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/** Opens a tracer that sends spans to a collector. What the SDK reads of the environment, it reads itself. */
export function openOtelTracer(config: TracingConfig, version: string, log: Pick<FastifyBaseLogger, 'warn'>): Tracer {
  const provider = new TracerProvider({
    // Later ones override earlier ones.
    resource: defaultResource()
      .merge(
        resourceFromAttributes({
          'service.name': 'premises',
          'service.version': version,
          'service.instance.id': randomUUID(),
        }),
      )
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(config),
    // It keeps 2,048 spans at most: of further ones, none is sent.
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporterOf(config), log),
        scheduledDelayMillis: config.delayMs,
      }),
    ],
  });
  const tracer = provider.getTracer('premises', version);
  return {
    isEnabled: true,
    start(name, { kind, attributes, parent, links = [] }: RootOptions) {
      const cause = contextOf(parent);
      const options = { kind: kinds[kind], attributes: attributes as Attributes, links: links.flatMap(linkOf) };
      const context = cause ? trace.setSpanContext(ROOT_CONTEXT, cause) : ROOT_CONTEXT;
      return new TracedSpan(tracer, tracer.startSpan(name, options, context));
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, closeTimeoutMs)));
      // What fails is reported already.
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
      clearTimeout(timer);
    },
  };
}

/** A span of OpenTelemetry's SDK. */
class TracedSpan implements Span {
  readonly traceId: string;
  readonly traceparent: string;
  private readonly context: Context;
  private readonly isSampled: boolean;

  constructor(
    private readonly tracer: OtelTracer,
    private readonly span: OtelSpan,
  ) {
    const { traceId, spanId, traceFlags } = span.spanContext();
    this.traceId = traceId;
    this.isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
    this.traceparent = formatTraceparent({ traceId, spanId, isSampled: this.isSampled });
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  start(name: string, { kind, attributes }: SpanOptions): Span {
    const options = { kind: kinds[kind], attributes: attributes as Attributes };
    return new TracedSpan(this.tracer, this.tracer.startSpan(name, options, this.context));
  }

  startStatement(sql: string): Span | undefined {
    if (!this.isSampled) return undefined;
    const { operation, summary, text } = summarize(sql);
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.summary': summary,
      'db.query.text': text,
    };
    return this.start(summary, { kind: 'client', attributes });
  }

  rename(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      // A message could have values.
      this.span.setAttribute('error.type', typeOf(error));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

/** The kind of an error: its code or its class. */
function typeOf(error: unknown): string {
  if (typeof error === 'string') return error;
  const { code, name } = Object(error) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : '_OTHER';
}

function contextOf(traceparent: string | null | undefined): SpanContext | undefined {
  const place = parseTraceparent(traceparent ?? undefined);
  if (!place) return undefined;
  const { traceId, spanId, isSampled } = place;
  return { traceId, spanId, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE, isRemote: true };
}

function linkOf(traceparent: string): Link[] {
  const context = contextOf(traceparent);
  return context ? [{ context }] : [];
}

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return name === sampler ? root : new ParentBasedSampler({ root });
}

const exporterOf = ({ url, protocol }: TracingConfig): SpanExporter =>
  protocol === 'http/json' ? new JsonExporter({ url }) : new ProtobufExporter({ url });

/** An exporter whose failures are counted, and logged from time to time. */
function reporting(exporter: SpanExporter, log: Pick<FastifyBaseLogger, 'warn'>): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export(spans, onEnd) {
      exporter.export(spans, (result) => {
        // 0 is success.
        if (Number(result.code) !== 0) {
          failureCounts.traces += 1;
          if (performance.now() - warnedAt >= warningIntervalMs) {
            warnedAt = performance.now();
            const { code } = Object(result.error) as { code?: string | number };
            log.warn({ code, spans: spans.length }, 'traces not sent');
          }
        }
        onEnd(result);
      });
    },
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  };
}
