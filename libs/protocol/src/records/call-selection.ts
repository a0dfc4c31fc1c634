import type { JsonObject } from '../json/json-value.js';
import type { FieldConditions } from './conditions.js';
import type { SpanStatus } from './span.js';

/**
 * Which recorded calls with a trace function key are replayed. A call must match all conditions: trace conditions apply to its trace,
 * span conditions to the call itself.
 */
export interface CallSelection extends FieldConditions {
  /** Maximum number of calls. Default: `LIMITS.selectedCalls`. */
  limit?: number;
  /**
   * Only these traces, in this order, including replays. Default: all traces that are not replays, newest first.
   */
  trace_ids?: string[];
  /** Calls in traces whose first call with the key started at this time or later. */
  since?: string;
  /** Calls in traces whose first call with the key started before this time. */
  until?: string;
  /** Calls with this status. */
  status?: SpanStatus;
  /**
   * Calls that were recorded on one of these classes (`CaptureMeta.class`). Calls on other classes, or without a class, count as
   * calls with another key.
   */
  classes?: string[];
  /** Calls that were recorded on one of these classes count as calls with another key. */
  except_classes?: string[];
  /**
   * Calls in traces whose metadata has all of these keys with equal values. A key may be a path, such as `user.plan`, if its value is
   * neither an object nor a list.
   */
  metadata?: JsonObject;
  /**
   * Calls whose name, input, output, error and prompt contain all of these words, "phrases" and prefixes such as `refund*`. The
   * search scans the first `LIMITS.scannedCalls` candidates that match the other conditions.
   */
  text?: string;
  /** Calls in traces with a duration within these bounds, inclusive. */
  min_duration_ms?: number;
  max_duration_ms?: number;
  /** Calls in traces whose model calls used this many input and output tokens in total, inclusive. */
  min_tokens?: number;
  max_tokens?: number;
  /** Calls in traces whose model calls cost this much, inclusive, as far as prices are known. */
  min_cost_usd?: number;
  max_cost_usd?: number;
  /** Calls in traces with a score of this name on the trace or on one of its spans. */
  score?: string;
  /** The value of that score. */
  score_is?: string | number | boolean;
  score_below?: number;
  score_above?: number;
  /** Selects every call with the key. Default: only the outermost call of each trace. */
  every_call?: boolean;
  /** A sample of the calls that match the other conditions, in their original order. */
  sample?: CallSample;
}

export const SAMPLE_KINDS = ['random', 'errors', 'slow'] as const;
export type SampleKind = (typeof SAMPLE_KINDS)[number];

export interface CallSample {
  /** Maximum number of calls. */
  size: number;
  /** `random` (default); `errors`: failed calls first, then random ones; `slow`: the slowest calls. */
  by?: SampleKind;
  /** The same seed picks the same calls from the same data. Default: 0. */
  seed?: number;
}

/**
 * Why a selection skipped calls with the key:
 *
 * - `inside_another_call`: an ancestor is a call with the key.
 * - `not_first`: the selection took another outermost call of the same trace.
 * - `unfinished`: the call has not ended.
 * - `replay`: a test run made the call.
 * - `other_class`: the call was recorded on a class that is not selected.
 * - `no_recording`: the trace holds only calls without a recording. Counted once per trace.
 * - `not_matching`: its status, its text or the metadata of its trace does not match.
 * - `not_scanned`: the text search stopped before this call.
 * - `not_sampled`, `beyond_limit`: the sample or the limit excluded it. Traces that were not examined count once.
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

/** How the service resolved a run's {@link CallSelection}, once, when the run was created. */
export interface SelectionRecord {
  request: CallSelection;
  /** Number of selected items. Item numbers are 0 to `items - 1`. */
  items: number;
  /** How many of the items are requested traces without a call with the key. These items have no call. */
  missing: number;
  /** Number of skipped calls by reason. A reason without calls is absent. */
  skipped: Partial<Record<SkipReason, number>>;
  /** The account has no call with the key, so the key may be misspelt. */
  unknown_key?: true;
  /** With `unknown_key`: the account's key with the closest spelling, if one is close. */
  similar_key?: string;
}
