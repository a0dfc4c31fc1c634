import type { CurrentSpan, CurrentTrace } from './current-span.js';
import { hasOutlivedRequest } from './context-storage.js';
import { currentFrame } from './external-context.js';

/** The handle outside any span. */
export const NO_SPAN: CurrentSpan = Object.freeze({
  traceId: '',
  spanId: '',
  addContext: ignore,
  setPrompt: ignore,
  setLevel: ignore,
  addUsage: ignore,
  score: ignore,
});

const NO_TRACE: CurrentTrace = Object.freeze({
  traceId: '',
  setSessionId: ignore,
  setUserId: ignore,
  setTags: ignore,
  setMetadata: ignore,
  addContext: ignore,
});

/** A handle to the span that is open where this is called, of whichever tracer. Never throws, never undefined. */
export function getCurrentSpan(): CurrentSpan {
  return currentFrame()?.span ?? NO_SPAN;
}

/**
 * A handle to the trace that is open where this is called, of whichever tracer. Never throws, never undefined.
 *
 * A no-op handle in what a request left behind when it ended, which may belong to another user. A handle taken before the end
 * keeps working, and so does `getCurrentTrace` in a function that was bound before the end (`bind`).
 */
export function getCurrentTrace(): CurrentTrace {
  const frame = currentFrame();
  return hasOutlivedRequest(frame) ? NO_TRACE : (frame?.trace ?? NO_TRACE);
}

function ignore(): void {
  // Nothing is open, so there is nothing to note it on.
}
