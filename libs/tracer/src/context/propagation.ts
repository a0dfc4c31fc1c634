import { fromW3cTraceId, isSpanId, toW3cTraceId } from '@dacapo/protocol';
import type { Carrier } from '../options/incoming-option.js';
import { isInReplay } from './context-storage.js';
import { currentFrame } from './external-context.js';

/** A position in a trace, as it travels between processes. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads the `traceparent` of a carrier (W3C Trace Context §3.2); `undefined` when it has none that is valid. */
export function extractTraceParent(carrier: Carrier | undefined): TraceParent | undefined {
  const header = carrier?.['traceparent'];
  const match = typeof header === 'string' ? TRACEPARENT.exec(header.trim()) : null;
  if (match === null) return undefined;
  const [, version, w3cTraceId = '', spanId = '', flags = '', rest] = match;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  const traceId = fromW3cTraceId(w3cTraceId);
  if (traceId === undefined || !isSpanId(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
}

/**
 * Adds the `traceparent` of the open span to `carrier`, an object or `Headers`, so that the service it is sent to can join this trace.
 *
 * @returns `carrier` itself; unchanged outside a span, and after its end.
 */
export function injectTraceContext<T extends Record<string, unknown> | Headers>(carrier: T): T {
  const current = currentFrame();
  // A frame that is over adopts nothing, in other services neither.
  if (current?.isOver === true && !isInReplay(current)) return carrier;
  const frame = current && 'outgoing' in current ? current.outgoing : current;
  if (frame?.trace !== undefined && frame.parentId !== undefined) {
    const { traceId, isKept } = frame.trace;
    // Version 00.
    const traceparent = `00-${toW3cTraceId(traceId)}-${frame.parentId}-${isKept ? '01' : '00'}`;
    if (carrier instanceof Headers) carrier.set('traceparent', traceparent);
    else Object.assign(carrier, { traceparent });
  }
  return carrier;
}

/** Whether the code that calls this runs inside work that is traced and has not ended, of whichever tracer. */
export function isInsideTracedWork(): boolean {
  const frame = currentFrame();
  return frame !== undefined && frame.isOver !== true;
}
