import {
  type Baseline,
  formatTimestamp,
  type JsonObject,
  type SelectionRecord,
  type TestRunTotals,
} from '@dacapo/protocol';
import type { NewTestRun, RunDecision, StoredTestRun } from '../../../test-run-store.js';

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
  passed: 0 | 1 | 2 | null;
  summary?: string | null;
}

export const RUN_COLUMNS = `test_run_id, trace_function_key, name, created_us, heartbeat_us, finished_us, is_stopped, selection,
  expected_items, skipped, totals, dataset, baseline, repeat, rescore_of, passed`;

/** By the number that the column `passed` has. */
export const DECISIONS: readonly RunDecision[] = ['failed', 'passed', 'undecided'];

export function toTestRun(row: TestRunRow): StoredTestRun {
  const decision = row.passed === null ? undefined : DECISIONS[row.passed];
  return {
    id: row.test_run_id,
    traceFunctionKey: row.trace_function_key,
    ...(row.name !== null && { name: row.name }),
    createdAt: formatTimestamp(row.created_us),
    heartbeatAt: formatTimestamp(row.heartbeat_us ?? row.created_us),
    ...(row.finished_us !== null && { finishedAt: formatTimestamp(row.finished_us) }),
    isStopped: row.is_stopped === 1,
    ...(row.selection !== null && { selection: JSON.parse(row.selection) as SelectionRecord }),
    ...(row.expected_items !== null && { expectedItems: row.expected_items }),
    ...(row.skipped !== null && { skipped: JSON.parse(row.skipped) as Record<string, number> }),
    ...(row.totals !== null && { totals: JSON.parse(row.totals) as TestRunTotals }),
    ...(row.dataset !== null && { dataset: JSON.parse(row.dataset) as NonNullable<NewTestRun['dataset']> }),
    ...(row.baseline !== null && { baseline: JSON.parse(row.baseline) as Baseline }),
    ...(row.repeat !== null && { repeat: row.repeat }),
    ...(row.rescore_of !== null && { rescoreOf: row.rescore_of }),
    ...(decision !== undefined && { decision }),
    ...(typeof row.summary === 'string' && { summary: JSON.parse(row.summary) as JsonObject }),
  };
}
