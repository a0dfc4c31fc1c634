import type { JsonObject, JsonValue } from '../json/json-value.js';
import type { SelectionRecord } from './call-selection.js';
import type { Divergence } from './divergence.js';
import type { NormalizedCalls } from './normalized-calls.js';
import type { Author, BaselineScore, ItemScore } from './score.js';
import type { CaptureMeta, ErrorRecord } from './span.js';

/**
 * `running`: its reporter was heard of within `LIMITS.silentRunMs`. `interrupted`: it was not, or it said that it stopped
 * early; a run goes on from there when it is heard of again. `finished`: its reporter said so.
 */
export const TEST_RUN_STATUSES = ['running', 'interrupted', 'finished'] as const;
export type TestRunStatus = (typeof TEST_RUN_STATUSES)[number];

/**
 * How a call's outcome compares with its baseline. `same`: equal, types and all bytes included, or the same error as
 * before. `changed`: known to differ. `unknown`: what is recorded cannot tell. `error`: it failed and had not before,
 * failed otherwise, or could not be played.
 */
export const VERDICTS = ['same', 'changed', 'unknown', 'error'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** What else is so of an item, beside its verdict; lists of items filter by it. */
export const ITEM_FLAGS = ['fixed', 'failing_as_before', 'new_error', 'accepted', 'diverged'] as const;
export type ItemFlag = (typeof ITEM_FLAGS)[number];

/** Counts of a run's items. An item that is reported twice counts once; repetitions count each. */
export interface TestRunTotals extends Record<Verdict | Exclude<ItemFlag, 'new_error'>, number> {
  items: number;
  /** Of `changed`: failed before, do not now. */
  fixed: number;
  /** Of `same`: fail with the same error as before. */
  failing_as_before: number;
  /** Of `same`: another output than recorded, which a person accepted. */
  accepted: number;
  /** The calls inside are not the recorded ones, whatever the verdict. */
  diverged: number;
  /** Items (not repetitions) whose repetitions have several verdicts. */
  flaky: number;
  /** Of `error`: the baseline did not fail, or has no outcome. Absent from runs that finished before this was counted. */
  new_errors?: number;
}

/** What the items of a run are compared with: the recorded outcome, what a person accepted, or what an earlier run gave. */
export type Baseline = 'recording' | 'accepted' | { test_run_id: string };

/** One replay of stored calls, or one evaluation of other items, through a new version of a function. */
export interface TestRunRecord {
  id: string;
  trace_function_key: string;
  name?: string;
  status: TestRunStatus;
  created_at: string;
  /** When its reporter was last heard of. */
  heartbeat_at: string;
  finished_at?: string;
  totals: TestRunTotals;
  /** Absent when the reporter brings its items itself. */
  selection?: SelectionRecord;
  /** Its items are those of this version of a dataset, in its order. */
  dataset?: { name: string; version: number; items: number };
  /** `recording` when absent. */
  baseline?: Baseline;
  /** How often each item is played; once when absent. */
  repeat?: number;
  /** The run whose stored outcomes it judged again. Absent where its items were played. */
  rescore_of?: string;
  /** What its gate decided. Absent without a gate, and where nothing is decided. */
  passed?: boolean;
  /**
   * Its reporter let it pass (`summary.passed`), and nothing is decided: the service counts more than the gate allows, or fewer items
   * than there are to be, or the run has not finished.
   */
  undecided?: true;
  /** What its reporter said of it at the end: the figures and the gate's decision. Absent in lists. */
  summary?: JsonObject;
  /** How many items its reporter says that there are; absent until it does, or when it has a `selection`. */
  expected_items?: number;
  /** What its reporter left out, by its own reasons. */
  skipped?: Record<string, number>;
  /** The dashboard's page of this run, absolute. */
  url: string;
}

/** What the model calls of an item used, those inside included: docs/usage.md says which calls count. */
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
 * How many model calls an item made, and how many of them told what. One that failed and told nothing is none. `cost_usd` is
 * `made`, or 0 where one of them has no price.
 */
export interface ItemModelCalls {
  made: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

/**
 * How the two durations of an item were measured. `paired`: both versions ran in one process, one after the other, and none of their
 * calls was mocked. `mocked`: they ran so too, but a call was answered from the recording, so its time is unknown.
 */
export const ITEM_TIMINGS = ['paired', 'mocked'] as const;
export type ItemTiming = (typeof ITEM_TIMINGS)[number];

/**
 * What a reporter says of one item. Its identity is (run, `item_no`, `repetition`): reported again, it takes the place of
 * what was reported before, and counts once.
 */
export interface TestRunItemReport {
  /** Its place in the selection, or among the items that the reporter brings; from 0. */
  item_no: number;
  /** From 0, of an item that is played several times; 0 when absent. */
  repetition?: number;
  /** What reports call it, where it is no recorded call: `input 3f2a…`, or the name that its list gives it. */
  name?: string;
  /** The call that was played again. Absent for an item that is no recorded call. */
  source_trace_id?: string;
  /** Absent beside `source_trace_id` only with an `error`: the trace holds no such call. */
  source_span_id?: string;
  new_trace_id?: string;
  new_span_id?: string;
  /**
   * What the reporter found, which has the whole values. Absent, as in version 0.1: the service compares. `same` is not
   * believed where the stored forms are known to differ, unless `compared_by` says how they were compared.
   */
  verdict?: Verdict;
  /** Beside `changed`: it failed before. */
  fixed?: true;
  /** Beside `same`: it fails as before. */
  failing_as_before?: true;
  /** Beside `error`: the baseline did not fail, or has no outcome. */
  new_error?: true;
  /** Beside `same`: a person accepted the other output. */
  accepted?: true;
  /** Absent: the outputs were compared as they are. */
  compared_by?: { same?: true; ignore?: string[] };
  /**
   * What it was compared with; `recording` when absent. Else the report brings `original_output` or `original_error`. `self`:
   * the same call, replayed once more. `function`: the same call, replayed through another version of the function.
   */
  baseline?: 'recording' | 'accepted' | 'test_run' | 'expected' | 'self' | 'function';
  /** Of the call: items of one session are no independent evidence. */
  session_id?: string;
  /** The arguments, where they are not the recorded ones. Their notes are `meta.input`. */
  input?: JsonValue[];
  /** The output; beside `error`, and with `meta.stream`, what a stream yielded before it failed. */
  result?: JsonValue;
  error?: ErrorRecord;
  /**
   * Whose `error` it is, where it is not the call's: it could not be made (`play`), or its outcome could not be judged, as when an
   * evaluator failed (`judgement`). What the call gave is not known from the report then.
   */
  error_of?: 'play' | 'judgement';
  duration_ms?: number;
  usage?: ItemUsage;
  /** Absent where neither side made any, where it is not known, and in reports of version 0.1. */
  model_calls?: ItemModelCalls;
  /** Notes on `input` and, as `output`, on `result`; `stream` for streams, with what a generator returned. */
  meta?: CaptureMeta;
  /** The baseline, where it is not the recorded call. Notes on `original_output` are `original_meta.output`. */
  original_output?: JsonValue;
  original_error?: ErrorRecord;
  original_meta?: CaptureMeta;
  original_usage?: ItemUsage;
  original_model_calls?: ItemModelCalls;
  /** Of the baseline, where it is not the recorded call, whose duration the service knows. */
  original_duration_ms?: number;
  /** Whether the two durations can be compared. Absent: they cannot, because the two sides did not run in one process. */
  timing?: ItemTiming;
  /** Absent when the calls inside were not compared. The first `LIMITS.divergences` are kept. */
  divergences?: Divergence[];
  /** How many divergences there are, if more than are listed. */
  divergence_count?: number;
  /** By key; absent when there are none. The first `LIMITS.divergences` are kept. */
  normalized?: NormalizedCalls[];
  scores?: ItemScore[];
  original_scores?: BaselineScore[];
  /**
   * SHA-256 of everything that evaluators saw of the baseline, where one with a version judged it: a later run in which they see the
   * same reuses these scores. Absent where none did, and where all scores are reused ones.
   */
  baseline_hash?: string;
}

/** One item beside its baseline. What the recorded call holds is read with it, as long as that is there, and kept once. */
export interface TestRunItemRecord extends TestRunItemReport {
  verdict: Verdict;
  /** The reporter said `same`, and the stored forms differ: the verdict is the service's. */
  verdict_corrected?: true;
  /** The recorded call did not come to its end: `original_output` is what came until then, and not what is expected. */
  original_status?: 'cancelled' | 'unfinished';
  /** Present when a person accepted this item's new outcome. */
  acceptance?: Acceptance;
  /** Its content was erased with a trace that it played or made: number, verdict, flags and durations are left. */
  erased?: true;
}

/**
 * A person's word that an item's new outcome is the right one. From then on it is expected of the call that the item played
 * (or of the dataset's item), in each run whose baseline is `accepted`.
 */
export interface Acceptance {
  author: Author;
  accepted_at: string;
  note?: string;
}

/** An item in a list: no payloads. */
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
  | 'erased'
> {
  /** Present when a person accepted this item's new outcome. */
  acceptance?: Acceptance;
  scores?: Pick<ItemScore, 'name' | 'value' | 'label'>[];
  original_scores?: Pick<BaselineScore, 'name' | 'value' | 'label' | 'reused'>[];
  /** The input as JSON, cut. */
  input_preview?: string;
  /** Name and message of the new error, cut. */
  error_preview?: string;
  /** Absent when there are none. */
  divergence_count?: number;
}
