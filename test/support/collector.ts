import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A value of an attribute, in OTLP's JSON. */
interface OtlpValue {
  readonly stringValue?: string;
  readonly intValue?: number | string;
  readonly doubleValue?: number;
  readonly boolValue?: boolean;
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/** The kinds of spans, by OTLP's numbers. */
const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const;

/** A span that a collector got. */
export interface CollectedSpan {
  readonly name: string;
  readonly kind: (typeof kinds)[number];
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly hasFailed: boolean;
  /** The traces that it is linked to. */
  readonly links: readonly string[];
  /** Attributes of who sent it. */
  readonly resource: Readonly<Record<string, unknown>>;
}

interface OtlpSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes?: readonly OtlpAttribute[];
  readonly status?: { readonly code?: number };
  readonly links?: readonly { readonly traceId: string }[];
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const attributesOf = (attributes: readonly OtlpAttribute[] = []) =>
  Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? (doubleValue ?? boolValue) : Number(intValue)),
    ]),
  );

/** A collector of traces on loopback, by OTLP over HTTP. It reads JSON, and keeps what else it gets as it is. */
export class Collector {
  readonly spans: CollectedSpan[] = [];
  /** What it got, as it was sent. */
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer }[] = [];
  /** Whether it accepts connections and never answers. */
  isFrozen = false;
  private readonly server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts);
      this.requests.push({ path: request.url ?? '', headers: request.headers, body });
      if (this.isFrozen) return;
      const isJson = request.headers['content-type'] === 'application/json';
      if (isJson) this.collect(JSON.parse(body.toString('utf8')) as OtlpRequest);
      response.writeHead(200, { 'content-type': request.headers['content-type'] }).end(isJson ? '{}' : '');
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.server.listen(0, '127.0.0.1');
    await once(collector.server, 'listening');
    return collector;
  }

  /** Its `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace, in the order of their ends. */
  trace(id: string): CollectedSpan[] {
    return this.spans.filter(({ traceId }) => traceId === id);
  }

  /** Waits until there is a span of a trace. */
  async waitFor(traceId: string, name: string): Promise<CollectedSpan> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const found = this.trace(traceId).find((span) => span.name === name);
      if (found) return found;
      const names = this.trace(traceId).map((span) => span.name);
      if (Date.now() > deadline) throw new Error(`There is no span ${name}, but ${names.join(', ')}.`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private collect({ resourceSpans }: OtlpRequest): void {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({
          ...span,
          kind: kinds[span.kind] ?? 'unspecified',
          attributes: attributesOf(span.attributes),
          hasFailed: span.status?.code === 2,
          links: (span.links ?? []).map(({ traceId }) => traceId),
          resource: attributesOf(resource.attributes),
        });
  }
}
