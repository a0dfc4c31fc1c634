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

/** Returns a handle to the span that is open at the call, of any tracer. Never throws, never returns `undefined`. */
export function getCurrentSpan(): CurrentSpan {
  return currentFrame()?.span ?? NO_SPAN;
}

/**
 * Returns a handle to the trace that is open at the call, of any tracer. Never throws, never returns `undefined`.
 *
 * In code that still runs after a request's end, the handle is a no-op, because the code may serve another user. A handle from before the end
 * keeps working, and so does `getCurrentTrace` in a function that was bound before the end (`bind`).
 */
export function getCurrentTrace(): CurrentTrace {
  const frame = currentFrame();
  return hasOutlivedRequest(frame) ? NO_TRACE : (frame?.trace ?? NO_TRACE);
}

function ignore(): void {
  // Nothing is open, so the note has no target.
}
