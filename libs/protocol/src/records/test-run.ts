import type { JsonValue } from '../json/json-value.js';
import type { CaptureMeta, ErrorRecord } from './span.js';

export const TEST_RUN_STATUSES = ['running', 'finished'] as const;
export type TestRunStatus = (typeof TEST_RUN_STATUSES)[number];

/** `error`: the new call threw. `changed` and `same` compare outputs as JSON; an error that is now a value is `changed`. */
export const VERDICTS = ['same', 'changed', 'error'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface TestRunTotals {
  items: number;
  same: number;
  changed: number;
  error: number;
}

/** One replay of stored calls through a new version of their function. */
export interface TestRunRecord {
  id: string;
  trace_function_key: string;
  name?: string;
  status: TestRunStatus;
  created_at: string;
  finished_at?: string;
  totals: TestRunTotals;
  /** The dashboard's page of this run, absolute. */
  url: string;
}

/**
 * How the calls inside a replayed call differ from those of its recording: `missing`, recorded and not made; `extra`, made
 * and not recorded; `changed_arguments`, made with other arguments; `reordered`, made after a call that it had come before;
 * `unanswerable`, the same call, and its recorded outcome cannot be given again.
 */
export const DIVERGENCE_KINDS = [
  'missing',
  'extra',
  'changed_arguments',
  'reordered',
  'unanswerable',
] as const;
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

/** One difference between the calls of a replay and those of the recording. */
export interface Divergence {
  kind: DivergenceKind;
  /** Trace function keys from below the replayed call down to the call itself. */
  path: string[];
  /** Absent where nothing was recorded. */
  source_span_id?: string;
  /** Absent where no call was made. */
  new_span_id?: string;
  /** The recorded arguments as JSON, cut; of `changed_arguments` and `missing`. */
  recorded_arguments?: string;
  /** The new arguments as JSON, cut; of `changed_arguments` and `extra`. */
  new_arguments?: string;
  /** Why the recorded outcome cannot be given again; of `unanswerable`. */
  reason?: string;
}

/** What a tracer reports of one replayed call. The collector adds the original from `source_span_id`. */
export interface TestRunItemReport {
  item_no: number;
  source_trace_id: string;
  /** Absent only beside an `error`: the trace holds no such call. */
  source_span_id?: string;
  new_trace_id?: string;
  new_span_id?: string;
  result?: JsonValue;
  error?: ErrorRecord;
  duration_ms?: number;
  meta?: CaptureMeta;
  /** Absent when the calls inside were not compared; at most 100. */
  divergences?: Divergence[];
  /** How many divergences there are, if more than are listed. */
  divergence_count?: number;
}

/** One replayed call beside its original. */
export interface TestRunItemRecord extends TestRunItemReport {
  verdict: Verdict;
  input?: JsonValue[];
  original_output?: JsonValue;
  original_error?: ErrorRecord;
  original_duration_ms?: number;
}
