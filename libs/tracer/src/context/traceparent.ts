import { fromW3cTraceId, isSpanId, toW3cTraceId } from '@dacapo/protocol';

/** A position in a trace, as it travels between processes. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent` header (W3C Trace Context §3.2); `undefined` when it is not valid. */
export function parseTraceParent(header: string): TraceParent | undefined {
  const match = TRACEPARENT.exec(header.trim());
  if (match === null) return undefined;
  const [, version, w3cTraceId = '', spanId = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const traceId = fromW3cTraceId(w3cTraceId);
  if (traceId === undefined || !isSpanId(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/** Writes a `traceparent` header of version 00. */
export function formatTraceParent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${toW3cTraceId(traceId)}-${spanId}-${sampled ? '01' : '00'}`;
}
