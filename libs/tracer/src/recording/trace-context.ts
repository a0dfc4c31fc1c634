import { contextStorage } from '../context/context-storage.js';
import { currentExternalIds } from '../context/external-context.js';
import type { Carrier, IncomingRule } from '../options/incoming-option.js';
import { ActiveTrace } from './active-trace.js';
import { incomingFrame } from './incoming-trace.js';
import { currentReplayFrame, findReplayedCalls } from './recording-frame.js';

export interface TraceContextOptions {
  /** What to do with the caller's trace. Default: the option `incoming` of the tracer that records the first call inside. */
  readonly incoming?: IncomingRule | undefined;
}

/**
 * Runs `fn` as incoming work with these headers. Their `traceparent` is linked, continued or ignored, depending on `incoming`.
 *
 * Without a valid `traceparent`, and inside a replay, `fn` runs in the current context. Otherwise, all calls inside belong to one trace,
 * which begins with the first call. Before that, `getCurrentTrace().traceId` is empty and `injectTraceContext` adds nothing. If the
 * tracer's `incoming` depends on the transport, which is unknown here, the trace is linked.
 */
export function runWithTraceContext<T>(
  headers: Carrier,
  fn: () => T,
  { incoming }: TraceContextOptions = {},
): T {
  const frame = currentReplayFrame() === undefined ? incomingFrame(headers, { incoming }) : undefined;
  return frame === undefined ? fn() : contextStorage.run(frame, fn);
}

/**
 * Runs `fn` without recording any call inside, by any tracer. In a replay, functions that the replay mocks throw
 * `ReplayMockMissError` there, because they have no recording.
 */
export function runWithoutTracing<T>(fn: () => T): T {
  const trace = ActiveTrace.unrecorded(findReplayedCalls(currentReplayFrame()));
  const frame = {
    trace,
    parentId: undefined,
    span: undefined,
    replay: undefined,
    within: contextStorage.getStore()?.within,
    externalIds: currentExternalIds(),
  };
  return contextStorage.run(frame, fn);
}
