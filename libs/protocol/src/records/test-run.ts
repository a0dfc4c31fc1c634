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

/** What a tracer reports of one replayed call. The collector adds the original from `source_span_id`. */
export interface TestRunItemReport {
  item_no: number;
  source_trace_id: string;
  source_span_id: string;
  new_trace_id?: string;
  new_span_id?: string;
  result?: JsonValue;
  error?: ErrorRecord;
  duration_ms?: number;
  meta?: CaptureMeta;
}

/** One replayed call beside its original. */
export interface TestRunItemRecord extends TestRunItemReport {
  verdict: Verdict;
  input?: JsonValue[];
  original_output?: JsonValue;
  original_error?: ErrorRecord;
  original_duration_ms?: number;
}
