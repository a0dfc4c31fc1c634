import type { JsonValue } from '../json/json-value.js';
import type { Divergence } from './divergence.js';
import type { Author, BaselineScore, ItemScore } from './score.js';
import type { CaptureMeta, ErrorRecord } from './span.js';

/**
 * `running`: the client sent a heartbeat within `LIMITS.silentRunMs`. `interrupted`: it did not, or reported that it stopped
 * early; the next report resumes the run. `finished`: the client finished the run.
 */
export const TEST_RUN_STATUSES = ['running', 'interrupted', 'finished'] as const;
export type TestRunStatus = (typeof TEST_RUN_STATUSES)[number];

/**
 * How a call's outcome compares with its baseline. `same`: equal including types and all bytes, or the same error.
 * `changed`: certainly different. `unknown`: the recording is not enough to decide. `error`: the call failed unlike its
 * baseline, or could not be replayed.
 */
export const VERDICTS = ['same', 'changed', 'unknown', 'error'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Flags of an item in addition to its verdict. Item lists filter by them. */
export const ITEM_FLAGS = ['fixed', 'failing_as_before', 'new_error', 'accepted', 'diverged'] as const;
export type ItemFlag = (typeof ITEM_FLAGS)[number];

/** A person's judgement of an item. `accepted` and `better` count as `same` in later decisions, `worse` counts as `changed`. */
export const JUDGEMENTS = ['accepted', 'better', 'worse'] as const;
export type Judgement = (typeof JUDGEMENTS)[number];

/** Usage of an item's model calls, including inner ones. docs/usage.md defines which calls count. */
export interface ItemUsage {
  input_tokens?: number;
  output_tokens?: number;
  cached_input_tokens?: number;
  cache_write_tokens?: number;
  reasoning_tokens?: number;
  audio_tokens?: number;
  cost_usd?: number;
}

/**
 * How many model calls an item made, and how many of them reported each value. Failed calls without usage do not count.
 * `cost_usd` equals `made`, or 0 if one of the calls has no price.
 */
export interface ItemModelCalls {
  made: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

/**
 * How the two durations of an item were measured. `paired`: both versions ran in one process, one after the other, without mocked
 * calls. `mocked`: the same, but a call was answered from the recording, so its time is unknown.
 */
export const ITEM_TIMINGS = ['paired', 'mocked'] as const;
export type ItemTiming = (typeof ITEM_TIMINGS)[number];

/**
 * A client's report of one item. Its identity is (run, `item_no`, `repetition`): a later report replaces an earlier one.
 */
export interface TestRunItemReport {
  /** Its position in the selection, or in the client's items, from 0. */
  item_no: number;
  /** Number of the repetition, from 0. Default: 0. */
  repetition?: number;
  /** Display name of an item that is not a recorded call: `input 3f2a…`, or its name in the list. */
  name?: string;
  /** The trace of the replayed call. Absent if the item is not a recorded call. */
  source_trace_id?: string;
  /** The replayed call. With `source_trace_id` it is absent only if the trace holds no such call, which is an `error`. */
  source_span_id?: string;
  new_trace_id?: string;
  new_span_id?: string;
  /**
   * The client's verdict; the client has the uncut values. Absent (version 0.1): the service compares. The service overrides
   * `same` if the stored values certainly differ, unless `compared_by` says how they were compared.
   */
  verdict?: Verdict;
  /** With `changed`: the baseline failed. */
  fixed?: true;
  /** With `same`: it fails with the baseline's error. */
  failing_as_before?: true;
  /** With `error`: the baseline did not fail, or has no outcome. */
  new_error?: true;
  /** With `same`: a person accepted the changed output. */
  accepted?: true;
  /** Absent: the outputs were compared without exceptions. */
  compared_by?: { same?: true; ignore?: string[] };
  /**
   * What the item was compared with. Default: `recording`. Otherwise the report has `original_output` or `original_error`. `self`:
   * the same call, replayed again. `function`: the same call, replayed through another version of the function.
   */
  baseline?: 'recording' | 'accepted' | 'test_run' | 'expected' | 'self' | 'function';
  /** Session of the call. Items of one session are not independent evidence. */
  session_id?: string;
  /** The arguments, if they are not the recorded ones. Their notes are in `meta.input`. */
  input?: JsonValue[];
  /** The output. With `error` and `meta.stream`: what the stream yielded before it failed. */
  result?: JsonValue;
  error?: ErrorRecord;
  /**
   * Source of `error` if it is not the call: the call could not be made (`play`), or its outcome could not be judged, such as
   * when an evaluator failed (`judgement`). The report then has no outcome of the call.
   */
  error_of?: 'play' | 'judgement';
  duration_ms?: number;
  usage?: ItemUsage;
  /** Absent if neither side made any, if the number is unknown, and in reports of version 0.1. */
  model_calls?: ItemModelCalls;
  /** `input`: notes on `input`. `output`: notes on `result`. `stream`: for streams, with a generator's return value. */
  meta?: CaptureMeta;
  /** The baseline, if it is not the recorded call. Notes on `original_output` are in `original_meta.output`. */
  original_output?: JsonValue;
  original_error?: ErrorRecord;
  original_meta?: CaptureMeta;
  original_usage?: ItemUsage;
  original_model_calls?: ItemModelCalls;
  /** Duration of the baseline, if it is not the recorded call. */
  original_duration_ms?: number;
  /** How the two durations were measured. Absent: they are not comparable, because the sides did not run in one process. */
  timing?: ItemTiming;
  /** The first `LIMITS.divergences`. Absent if inner calls were not compared. */
  divergences?: Divergence[];
  /** Total number of divergences, if more than listed. */
  divergence_count?: number;
  /** By key, the first `LIMITS.divergences`. Absent if there are none. */
  normalized?: NormalizedCalls[];
  scores?: ItemScore[];
  original_scores?: BaselineScore[];
  /**
   * SHA-256 of everything that evaluators saw of the baseline. A later run in which they see the same reuses these scores.
   * Absent if no versioned evaluator scored the baseline, or all scores were reused.
   */
  baseline_hash?: string;
}

/** One item with its baseline. Values of the recorded call are stored once and read from it while it exists. */
export interface TestRunItemRecord extends TestRunItemReport {
  verdict: Verdict;
  /** The client reported `same`, but the stored values differ, so the service changed the verdict. */
  verdict_corrected?: true;
  /** The recorded call did not finish: `original_output` is its partial output, not an expectation. */
  original_status?: 'cancelled' | 'unfinished';
  /** Present if a person accepted this item's new outcome. */
  acceptance?: Acceptance;
  /** How a person judged the item. The verdict stays. */
  judgement?: Judgement;
  /** The item differs from its baseline only at paths that the latest decision ignores. The verdict stays. */
  ignored?: true;
  /** Its content was erased with the source or the new trace. Number, verdict, flags and durations remain. */
  erased?: true;
}

/**
 * A person accepted an item's new outcome. From then on, runs with the baseline `accepted` expect it from the replayed call or
 * dataset item.
 */
export interface Acceptance {
  author: Author;
  accepted_at: string;
  note?: string;
}

/** An item in a list, without payloads. */
export interface TestRunItemSummary extends Pick<
  TestRunItemRecord,
  | 'item_no'
  | 'repetition'
  | 'name'
  | 'source_trace_id'
  | 'source_span_id'
  | 'new_trace_id'
  | 'new_span_id'
  | 'session_id'
  | 'verdict'
  | 'fixed'
  | 'failing_as_before'
  | 'new_error'
  | 'accepted'
  | 'duration_ms'
  | 'original_duration_ms'
  | 'timing'
  | 'usage'
  | 'original_usage'
  | 'model_calls'
  | 'original_model_calls'
  | 'baseline_hash'
  | 'judgement'
  | 'ignored'
  | 'erased'
> {
  /** Present if a person accepted this item's new outcome. */
  acceptance?: Acceptance;
  scores?: Pick<ItemScore, 'name' | 'value' | 'label'>[];
  original_scores?: Pick<BaselineScore, 'name' | 'value' | 'label' | 'reused'>[];
  /** The beginning of the input as JSON. */
  input_preview?: string;
  /** The beginning of the new error's name and message. */
  error_preview?: string;
  /** Absent if there are none. */
  divergence_count?: number;
}

/** Inner calls of a replay that matched recorded calls only after the parts that may differ were ignored. */
export interface NormalizedCalls {
  /** The trace function key of the calls. */
  key: string;
  calls: number;
  /** How many of them match several recorded calls with different arguments. They are answered in recorded order. */
  ambiguous: number;
}
