import { ActiveTrace } from '../recording/active-trace.js';
import { currentFrame } from './ambient-frames.js';
import { contextStorage } from './context-storage.js';
import { formatTraceParent, parseTraceParent } from './traceparent.js';

/**
 * Adds the `traceparent` of the open span to `carrier`, so that the service it is sent to joins this trace.
 *
 * @returns `carrier` itself; unchanged outside a span.
 */
export function injectTraceContext<T extends Record<string, unknown>>(carrier: T): T {
  const frame = currentFrame();
  if (frame?.trace !== undefined && frame.parentId !== undefined) {
    const traceparent = formatTraceParent({
      traceId: frame.trace.traceId,
      spanId: frame.parentId,
      sampled: frame.trace.sampled,
    });
    Object.assign(carrier, { traceparent });
  }
  return carrier;
}

/**
 * Runs `fn` so that the spans it opens continue the trace of an incoming `traceparent` header.
 *
 * An absent or broken header changes nothing: `fn` runs in the context it is called in.
 */
export function runWithTraceContext<T>(carrier: Readonly<Record<string, unknown>>, fn: () => T): T {
  const header = carrier['traceparent'];
  const parent = typeof header === 'string' ? parseTraceParent(header) : undefined;
  if (parent === undefined) return fn();
  const trace = new ActiveTrace({ traceId: parent.traceId, sampled: parent.sampled });
  return contextStorage.run({ trace, parentId: parent.spanId, span: undefined, replay: undefined }, fn);
}
