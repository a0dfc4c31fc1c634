import type { SpanLevel } from '@dacapo/protocol';
import type { ScoreDetails, ScoreValue } from './score-input.js';

/** Any data object. Values that JSON cannot represent are captured as markers or with type notes. */
export type JsonLike = object;

/** Checks at run time what TypeScript checks, for JavaScript callers. */
export function isJsonLike(value: unknown): value is JsonLike {
  return typeof value === 'object' && value !== null;
}

/** The open span. Without one, every member is a no-op and `traceId` is empty (SPEC 4.2). */
export interface CurrentSpan {
  /** UUID of the current trace; the empty string outside a span. */
  readonly traceId: string;
  /** 16 hex digits; the empty string outside a span. */
  readonly spanId: string;
  /** Appends the whole object as one entry to the span's contexts; calls accumulate in order. */
  addContext(context: JsonLike): void;
  /** Stores the prompt; the last call wins. */
  setPrompt(prompt: string): void;
  /** Sets the level: `debug`, `info`, `warn` or `error`. The last call wins. Does not change the status. */
  setLevel(level: SpanLevel): void;
  /** Adds the usage of a model request; amounts are summed. It counts on spans of type `llm` (docs/usage.md). */
  addUsage(usage: SpanUsage): void;
  /**
   * Scores this span: `score('helpful', true)`. The latest score of a name and author counts. It may be called after the span
   * has ended.
   */
  score(name: string, value: ScoreValue, details?: ScoreDetails): void;
}

/** The usage of a model request, as the provider counts it: cached tokens are input, reasoning is output. */
export interface SpanUsage {
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Input tokens read from a cache. */
  readonly cachedInputTokens?: number | undefined;
  /** Input tokens written to a cache. */
  readonly cacheWriteTokens?: number | undefined;
  /** Of the output. */
  readonly reasoningTokens?: number | undefined;
  /** Of the input. */
  readonly inputAudioTokens?: number | undefined;
  /** Of the output. */
  readonly outputAudioTokens?: number | undefined;
  readonly costUsd?: number | undefined;
}

/** The open trace. Without one, every member is a no-op. */
export interface CurrentTrace {
  /** UUID of the current trace; the empty string outside a span. */
  readonly traceId: string;
  /** Groups this trace with others of the session; the last call wins. */
  setSessionId(sessionId: string): void;
  /**
   * Sets the user of the trace, as an id of at most 512 characters; the last call wins. You can find and delete a user's traces by
   * it. An e-mail address or a number is stored unmasked, so prefer an id without a meaning elsewhere. A value that looks like a
   * credential is replaced by a token, the same each time.
   */
  setUserId(userId: string): void;
  /** Adds tags to the trace, at most 50 with 200 characters each. Tags are never removed; a repeated tag changes nothing. */
  setTags(tags: readonly string[]): void;
  /** Merges into the trace's metadata: a key set again takes the new value. */
  setMetadata(metadata: JsonLike): void;
  /** Adds key-value entries to the trace's contexts; calls accumulate. */
  addContext(context: JsonLike): void;
}
