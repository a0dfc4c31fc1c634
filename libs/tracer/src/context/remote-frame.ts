import { ActiveTrace } from '../recording/active-trace.js';
import type { Carrier } from './carrier.js';
import type { ContextFrame } from './context-frame.js';
import { parseTraceParent } from './traceparent.js';

/** The frame of work that continues the trace of an incoming `traceparent`; `undefined` without a valid one. */
export function remoteFrame(carrier: Carrier | undefined): ContextFrame | undefined {
  const header = carrier?.['traceparent'];
  const parent = typeof header === 'string' ? parseTraceParent(header) : undefined;
  if (parent === undefined) return undefined;
  const trace = new ActiveTrace({ traceId: parent.traceId, sampled: parent.sampled });
  return { trace, parentId: parent.spanId, span: undefined, replay: undefined };
}
