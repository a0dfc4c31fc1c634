import { contextStorage } from '../context/context-storage.js';
import { currentExternalIds } from '../context/external-context.js';
import type { Carrier, IncomingRule } from '../options/incoming-option.js';
import { ActiveTrace } from './active-trace.js';
import { incomingFrame } from './incoming-trace.js';
import { currentReplayFrame, findReplayedCalls } from './recording-frame.js';

export interface TraceContextOptions {
  /** What becomes of the caller's trace. Default: as the option `incoming` of the tracer that records the first call inside says. */
  readonly incoming?: IncomingRule | undefined;
}

/**
 * Runs `fn` as work that came in with these headers: their `traceparent` is linked, continued or ignored, as `incoming` says.
 *
 * Without a valid `traceparent`, and inside a replay, `fn` runs in the context it is called in. Otherwise all calls inside are one
 * trace, which begins with the first of them: before it, `getCurrentTrace().traceId` is empty and `injectTraceContext` adds nothing.
 * With `incoming` of the tracer by transport, which is not known here, the work is linked.
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
 * Runs `fn` so that nothing inside is recorded, whichever tracer it belongs to. What a replay mocks does not run there
 * either: it was not recorded, so it throws `ReplayMockMissError`.
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
