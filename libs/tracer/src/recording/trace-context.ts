import { contextStorage } from '../context/context-storage.js';
import { currentExternalIds } from '../context/external-context.js';
import { type Carrier, extractTraceParent } from '../context/propagation.js';
import { ActiveTrace } from './active-trace.js';
import { currentReplayFrame, type RecordingFrame, replayedCallsOf } from './recording-frame.js';

/** The frame of work that continues the trace of an incoming `traceparent`; `undefined` without a valid one. */
export function remoteFrame(carrier: Carrier | undefined): RecordingFrame | undefined {
  const parent = extractTraceParent(carrier);
  if (parent === undefined) return undefined;
  const trace = new ActiveTrace({ traceId: parent.traceId, sampled: parent.sampled, isRemote: true });
  return { trace, parentId: parent.spanId, span: undefined, replay: undefined };
}

/**
 * Runs `fn` so that the spans it opens continue the trace of an incoming `traceparent` header.
 *
 * An absent or broken header changes nothing: `fn` runs in the context it is called in. So it does inside a replay, whose
 * calls are not to be added to the trace that was recorded.
 */
export function runWithTraceContext<T>(carrier: Carrier, fn: () => T): T {
  const frame = currentReplayFrame() === undefined ? remoteFrame(carrier) : undefined;
  return frame === undefined ? fn() : runIn(frame, fn);
}

/**
 * Runs `fn` so that nothing inside is recorded, whichever tracer it belongs to. What a replay mocks does not run there
 * either: it was not recorded, so it throws `ReplayMockMissError`.
 */
export function runWithoutTracing<T>(fn: () => T): T {
  const trace = ActiveTrace.unrecorded(replayedCallsOf(currentReplayFrame()));
  return runIn({ trace, parentId: undefined, span: undefined, replay: undefined }, fn);
}

function runIn<T>(frame: RecordingFrame, fn: () => T): T {
  const within = contextStorage.getStore()?.within;
  return contextStorage.run({ ...frame, within, externalIds: currentExternalIds() }, fn);
}
