/** Facts of a span. They have no values of rows, no addresses of people and no secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a span is in the exchange with others: it answers, asks, or does what was queued. */
export type SpanKind = 'server' | 'client' | 'consumer';

/** How a span begins. */
export interface SpanOptions {
  readonly kind: SpanKind;
  readonly attributes?: SpanAttributes;
}

/** A part of a trace: what was done, when, and as a part of what. */
export interface Span {
  readonly traceId: string;
  /** What names it to others, which go on with its trace: receivers, and what is queued. */
  readonly traceparent: string;
  /** Begins a part of it. */
  start(name: string, options: SpanOptions): Span;
  /** Begins a part of it that is an SQL statement; undefined if the trace is not recorded. */
  startStatement(text: string): Span | undefined;
  rename(name: string): void;
  set(attributes: SpanAttributes): void;
  /** Ends it. @param error why it failed, of which only the kind is recorded */
  end(error?: unknown): void;
}

/** Where a span of its own belongs to. */
export interface RootOptions extends SpanOptions {
  /** The `traceparent` of what has caused it. */
  readonly parent?: string | null | undefined;
  /** Those of what else has caused it. */
  readonly links?: readonly string[];
}

/** Begins spans, and sends them to a collector. */
export interface Tracer {
  /** Begins a span; undefined where nothing is traced. */
  start(name: string, options: RootOptions): Span | undefined;
  /** Whether spans are sent anywhere. */
  readonly isEnabled: boolean;
  /** Sends what has ended, for a second at most. */
  close(): Promise<void>;
}

/** Traces nothing. */
export const noTracer: Tracer = { isEnabled: false, start: () => undefined, close: async () => {} };
