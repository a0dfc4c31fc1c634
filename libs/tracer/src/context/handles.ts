import type { JsonLike } from '../recording/json-like.js';
import { currentFrame } from './ambient-frames.js';

/** The span that is open right now. Outside a span every member is a no-op and `traceId` is empty (SPEC 4.2). */
export interface CurrentSpan {
  /** UUID of the current trace; the empty string outside a span. */
  readonly traceId: string;
  /** 16 hex digits; the empty string outside a span. */
  readonly spanId: string;
  /** Appends the whole object as one entry to the span's contexts; calls accumulate in order. */
  addContext(context: JsonLike): void;
  /** Stores the prompt; the last call wins. */
  setPrompt(prompt: string): void;
}

/** The trace that is open right now. Outside a span every member is a no-op. */
export interface CurrentTrace {
  /** UUID of the current trace; the empty string outside a span. */
  readonly traceId: string;
  /** Groups this trace with others of the session; the last call wins. */
  setSessionId(sessionId: string): void;
  /** Merges into the trace's metadata: a key set again takes the new value. */
  setMetadata(metadata: JsonLike): void;
  /** Adds key-value entries to the trace's contexts; calls accumulate. */
  addContext(context: JsonLike): void;
}

const NO_SPAN: CurrentSpan = Object.freeze({
  traceId: '',
  spanId: '',
  addContext: ignore,
  setPrompt: ignore,
});

const NO_TRACE: CurrentTrace = Object.freeze({
  traceId: '',
  setSessionId: ignore,
  setMetadata: ignore,
  addContext: ignore,
});

/** A handle to the span that is open where this is called, of whichever tracer. Never throws, never undefined. */
export function getCurrentSpan(): CurrentSpan {
  return currentFrame()?.span ?? NO_SPAN;
}

/** A handle to the trace that is open where this is called, of whichever tracer. Never throws, never undefined. */
export function getCurrentTrace(): CurrentTrace {
  return currentFrame()?.trace ?? NO_TRACE;
}

function ignore(): void {
  // Nothing is open, so there is nothing to note it on.
}
