import { ActiveTrace } from '../recording/active-trace.js';
import { currentAmbientIds, currentFrame } from './ambient-frames.js';
import { contextStorage } from './context-storage.js';
import type { Carrier } from './carrier.js';
import { remoteFrame } from './remote-frame.js';
import { currentReplayFrame, replayedCallsOf } from './replay-frame.js';
import { formatTraceParent } from './traceparent.js';

/**
 * Adds the `traceparent` of the open span to `carrier`, so that the service it is sent to joins this trace.
 *
 * @returns `carrier` itself; unchanged outside a span.
 */
export function injectTraceContext<T extends Record<string, unknown>>(carrier: T): T {
  const current = currentFrame();
  const frame = current && 'outgoing' in current ? current.outgoing : current;
  if (frame?.trace !== undefined && frame.parentId !== undefined) {
    const traceparent = formatTraceParent({
      traceId: frame.trace.traceId,
      spanId: frame.parentId,
      sampled: frame.trace.isKept,
    });
    Object.assign(carrier, { traceparent });
  }
  return carrier;
}

/**
 * Runs `fn` so that the spans it opens continue the trace of an incoming `traceparent` header.
 *
 * An absent or broken header changes nothing: `fn` runs in the context it is called in. So it does inside a replay, whose
 * calls are not to be added to the trace that was recorded.
 */
export function runWithTraceContext<T>(carrier: Carrier, fn: () => T): T {
  const frame = currentReplayFrame() === undefined ? remoteFrame(carrier) : undefined;
  return frame === undefined ? fn() : contextStorage.run({ ...frame, ambientIds: currentAmbientIds() }, fn);
}

/** Whether the code that calls this runs inside work that is traced and has not ended, of whichever tracer. */
export function isInsideTracedWork(): boolean {
  const frame = currentFrame();
  return frame !== undefined && frame.isOver !== true;
}

/**
 * Runs `fn` so that nothing inside is recorded, whichever tracer it belongs to. What a replay mocks does not run there
 * either: it was not recorded, so it throws `ReplayMockMissError`.
 */
export function runWithoutTracing<T>(fn: () => T): T {
  const trace = ActiveTrace.unrecorded(replayedCallsOf(currentReplayFrame()));
  const frame = { trace, parentId: undefined, span: undefined, replay: undefined };
  return contextStorage.run({ ...frame, ambientIds: currentAmbientIds() }, fn);
}
