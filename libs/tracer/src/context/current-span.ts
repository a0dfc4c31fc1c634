import type { SpanLevel } from '@dacapo/protocol';
import type { ScoreDetails, ScoreValue } from './given-score.js';

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
  /** How important the span is: `debug`, `info`, `warn` or `error`. The last call wins. The status stays what the outcome makes it. */
  setLevel(level: SpanLevel): void;
  /** Adds what a request to a model used; amounts sum up. Of spans of type `llm` it is counted (docs/usage.md). */
  addUsage(usage: SpanUsage): void;
  /**
   * Gives this span a score: `score('helpful', true)`. Of one name and author the latest counts. It may come after the span
   * has ended.
   */
  score(name: string, value: ScoreValue, details?: ScoreDetails): void;
}

/** What a request to a model used. Amounts are as the provider counts them: cached tokens are input, reasoning is output. */
export interface SpanUsage {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Of the input, read from a cache. */
  readonly cachedInputTokens?: number | undefined;
  /** Of the input, written to a cache. */
  readonly cacheWriteTokens?: number | undefined;
  /** Of the output. */
  readonly reasoningTokens?: number | undefined;
  /** Of the input. */
  readonly inputAudioTokens?: number | undefined;
  /** Of the output. */
  readonly outputAudioTokens?: number | undefined;
  readonly costUsd?: number | undefined;
}

/** The trace that is open right now. Outside a span every member is a no-op. */
export interface CurrentTrace {
  /** UUID of the current trace; the empty string outside a span. */
  readonly traceId: string;
  /** Groups this trace with others of the session; the last call wins. */
  setSessionId(sessionId: string): void;
  /**
   * Names the user whose trace this is, with an id of at most 512 characters; the last call wins. It finds the user's traces, and deletes
   * them. An e-mail address or a number is stored as it is, so prefer an id that means nothing elsewhere. Only what looks like a
   * credential is masked, by a token that is the same each time.
   */
  setUserId(userId: string): void;
  /** Adds tags to the trace, at most 50 of 200 characters. Tags are never removed; one that is there already changes nothing. */
  setTags(tags: readonly string[]): void;
  /** Merges into the trace's metadata: a key set again takes the new value. */
  setMetadata(metadata: JsonLike): void;
  /** Adds key-value entries to the trace's contexts; calls accumulate. */
  addContext(context: JsonLike): void;
}
