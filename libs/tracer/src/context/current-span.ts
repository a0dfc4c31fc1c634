/** Any object of data; what JSON cannot hold is captured as a marker or with a type note. */
export type JsonLike = object;

/** What TypeScript sees to, of code that is not checked by it. */
export function isJsonLike(value: unknown): value is JsonLike {
  return typeof value === 'object' && value !== null;
}

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
