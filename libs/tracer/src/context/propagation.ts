import { fromW3cTraceId, isSpanId, toW3cTraceId } from '@dacapo/protocol';
import type { Carrier } from '../options/incoming-option.js';
import { type ContextFrame, isInReplay } from './context-storage.js';
import { currentFrame } from './external-context.js';

/** A trace context between processes. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads the `traceparent` of a carrier (W3C Trace Context §3.2); `undefined` without a valid one. */
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
 * Adds the `traceparent` of the open span to `carrier`, an object or `Headers`, so that the called service can join this trace.
 *
 * @returns `carrier` itself; unchanged without an open span, and after its end.
 */
export function injectTraceContext<T extends Record<string, unknown> | Headers>(carrier: T): T {
  const frame = outgoingFrame(currentFrame());
  if (frame?.trace !== undefined && frame.parentId !== undefined) {
    const { traceId, isKept } = frame.trace;
    // Version 00.
    const traceparent = `00-${toW3cTraceId(traceId)}-${frame.parentId}-${isKept ? '01' : '00'}`;
    if (carrier instanceof Headers) carrier.set('traceparent', traceparent);
    else Object.assign(carrier, { traceparent });
  }
  return carrier;
}

/** Returns the parent of outgoing work. An ended frame takes no children, also not in other services. */
export function outgoingFrame<F extends ContextFrame>(frame: F | undefined): F | undefined {
  if (frame?.isOver === true && !isInReplay(frame)) return undefined;
  return frame !== undefined && 'outgoing' in frame ? (frame.outgoing as F | undefined) : frame;
}

/** Whether the calling code runs inside traced work that has not ended, of any tracer. */
export function isInsideTracedWork(): boolean {
  const frame = currentFrame();
  return frame !== undefined && frame.isOver !== true;
}
