import {
  type Baseline,
  formatTimestamp,
  type JsonObject,
  type SelectionRecord,
  type TestRunTotals,
} from '@dacapo/protocol';
import type { NewTestRun, RunDecision, StoredTestRun } from '../ports/test-run.js';

import { parseJson, timestampOrNull, withoutNulls } from './rows.js';

/** A row of `test_runs`. */
export interface TestRunRow {
  test_run_id: string;
  trace_function_key: string;
  name: string | null;
  created_us: number;
  heartbeat_us: number | null;
  finished_us: number | null;
  is_stopped: 0 | 1;
  selection: string | null;
  expected_items: number | null;
  skipped: string | null;
  totals: string | null;
  dataset: string | null;
  baseline: string | null;
  repeat: number | null;
  rescore_of: string | null;
  ignored: string | null;
  resumes: number;
  decision: string | null;
  passed: 0 | 1 | 2 | null;
  summary?: string | null;
}

export const RUN_COLUMNS = `test_run_id, trace_function_key, name, created_us, heartbeat_us, finished_us, is_stopped, selection,
  expected_items, skipped, totals, dataset, baseline, repeat, rescore_of, ignored, resumes, decision, passed`;

/** The index is the value of the column `passed`. */
export const DECISIONS: readonly RunDecision[] = ['failed', 'passed', 'undecided'];

export function toTestRun(row: TestRunRow): StoredTestRun {
  return withoutNulls({
    id: row.test_run_id,
    traceFunctionKey: row.trace_function_key,
    name: row.name,
    createdAt: formatTimestamp(row.created_us),
    heartbeatAt: formatTimestamp(row.heartbeat_us ?? row.created_us),
    finishedAt: timestampOrNull(row.finished_us),
    isStopped: row.is_stopped === 1,
    selection: parseJson(row.selection) as SelectionRecord | null,
    expectedItems: row.expected_items,
    skipped: parseJson(row.skipped) as Record<string, number> | null,
    totals: parseJson(row.totals) as TestRunTotals | null,
    dataset: parseJson(row.dataset) as NonNullable<NewTestRun['dataset']> | null,
    baseline: parseJson(row.baseline) as Baseline | null,
    repeat: row.repeat,
    rescoreOf: row.rescore_of,
    resumes: row.resumes,
    ignore: parseJson(row.ignored) as string[] | null,
    decided: parseJson(row.decision) as NonNullable<StoredTestRun['decided']> | null,
    decision: row.passed === null ? null : (DECISIONS[row.passed] ?? null),
    summary: parseJson(row.summary ?? null) as JsonObject | null,
  });
}
