import type { JsonLike } from './json-like.js';

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
