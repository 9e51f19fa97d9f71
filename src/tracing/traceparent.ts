/** A place in a trace, as the header `traceparent` of W3C Trace Context names it. */
export interface TracePlace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span that what follows belongs to. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Later versions may append fields after the flags. */
const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads a `traceparent`; undefined if it is none. */
export function parseTraceparent(text: string | undefined): TracePlace | undefined {
  const [, version, traceId, spanId, flags = '', rest] = pattern.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && rest !== undefined)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Writes a `traceparent`. */
export const formatTraceparent = ({ traceId, spanId, isSampled }: TracePlace): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
