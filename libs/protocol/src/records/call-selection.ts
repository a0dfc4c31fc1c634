import type { JsonObject } from '../json/json-value.js';
import type { FieldConditions } from './conditions.js';
import type { SpanStatus } from './span.js';

/**
 * Which stored calls of a key are played. Conditions hold together: those on a trace select the calls in it, those on a span the calls
 * themselves.
 */
export interface CallSelection extends FieldConditions {
  /** Calls at most; `LIMITS.selectedCalls` when absent. */
  limit?: number;
  /**
   * Only these traces, in this order, replays among them too. Absent: all that are no replays themselves, the newest
   * first.
   */
  trace_ids?: string[];
  /** Calls in traces where the key was first called then or later. */
  since?: string;
  /** Calls in traces where the key was first called before. */
  until?: string;
  /** Calls with this status. */
  status?: SpanStatus;
  /**
   * Calls that were recorded on one of these classes (`CaptureMeta.class`). Those of other classes, and those of none, are as
   * calls of another key.
   */
  classes?: string[];
  /** Calls that were recorded on one of these classes are as calls of another key. */
  except_classes?: string[];
  /**
   * Calls in traces whose metadata has all of these keys, each with an equal value. A key may be a path, such as `user.plan`, whose value is
   * no object and no list.
   */
  metadata?: JsonObject;
  /**
   * Calls that say all of this in their name, input, output, error and prompt: words, "phrases" and beginnings of words such as `refund*`. The
   * first `LIMITS.scannedCalls` calls that fulfil the other conditions, and may have it, are looked through.
   */
  text?: string;
  /** Calls in traces that took so long: both bounds belong to it. */
  min_duration_ms?: number;
  max_duration_ms?: number;
  /** Calls in traces whose model calls used so many input and output tokens. */
  min_tokens?: number;
  max_tokens?: number;
  /** Calls in traces whose model calls cost so much, as far as prices are known. */
  min_cost_usd?: number;
  max_cost_usd?: number;
  /** Calls in traces with a score of this name, on a span of theirs too. */
  score?: string;
  /** That score is this. */
  score_is?: string | number | boolean;
  score_below?: number;
  score_above?: number;
  /** Every call of the key; absent or false: of each trace the outermost one alone. */
  every_call?: boolean;
  /** Some of the calls that the other conditions select, in the order that they have without it. */
  sample?: CallSample;
}

export const SAMPLE_KINDS = ['random', 'errors', 'slow'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

export interface CallSample {
  /** Calls at most. */
  size: number;
  /** `random` (the default); `errors`: failed calls first, then random ones; `slow`: those that took longest. */
  by?: SampleKind;
  /** The same seed picks the same calls of the same data; 0 when absent. */
  seed?: number;
}

/**
 * Why calls of a key are not part of a selection. `inside_another_call`: an ancestor is a call of the key. `not_first`:
 * of several outermost calls of one trace, another is taken. `unfinished`; `replay`: a test run made it.
 * `other_class`: it was recorded on a class that is not meant. `no_recording`: of traces with no other calls of the key than such, each counts once. `not_matching`: its status, its
 * text, or the metadata of its trace. `not_scanned`: the text was not looked for in it. `not_sampled`, `beyond_limit`: as
 * asked; traces that were not looked at any more count once.
 */
export const SKIP_REASONS = [
  'inside_another_call',
  'not_first',
  'unfinished',
  'replay',
  'other_class',
  'no_recording',
  'not_matching',
  'not_scanned',
  'not_sampled',
  'beyond_limit',
] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** What became of a run's {@link CallSelection}. It is resolved once, when the run is created. */
export interface SelectionRecord {
  request: CallSelection;
  /** Items that were selected: numbers 0 to `items - 1`. */
  items: number;
  /** Of them, traces that were named and hold no call of the key. Their items have no call. */
  missing: number;
  /** Calls that were left out, by reason; a reason without calls is absent. */
  skipped: Partial<Record<SkipReason, number>>;
  /** The account has no call of the key at all: it may be misspelt. */
  unknown_key?: true;
  /** Beside `unknown_key`: the account's key that is spelt most like it, if one is near. */
  similar_key?: string;
}
