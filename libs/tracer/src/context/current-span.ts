import type { JsonLike } from './json-like.js';

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
