import type { Dialect } from '../dialect.js';

const RUNS = `CREATE TABLE test_runs(
  account_id TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  trace_function_key TEXT NOT NULL,
  name TEXT,
  created_us INTEGER NOT NULL,
  finished_us INTEGER,
  heartbeat_us INTEGER,
  is_stopped INTEGER NOT NULL DEFAULT 0,
  selection TEXT,
  expected_items INTEGER,
  skipped TEXT,
  totals TEXT,
  dataset TEXT,
  baseline TEXT,
  repeat INTEGER,
  summary TEXT,
  passed INTEGER,
  is_erased INTEGER NOT NULL DEFAULT 0,
  rescore_of TEXT,
  ignored TEXT,
  resumes INTEGER NOT NULL DEFAULT 0,
  decision_no INTEGER NOT NULL DEFAULT 0,
  decision TEXT,
  PRIMARY KEY(account_id, test_run_id)
) STRICT, WITHOUT ROWID`;

/** `severity` sorts a list of the worst items; see `rankSeverity`. */
const ITEMS = `CREATE TABLE test_run_items(
  stored_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  item_no INTEGER NOT NULL,
  repetition INTEGER NOT NULL,
  verdict TEXT NOT NULL,
  fixed INTEGER NOT NULL,
  failing_as_before INTEGER NOT NULL,
  new_error INTEGER NOT NULL DEFAULT 0,
  accepted INTEGER NOT NULL,
  diverged INTEGER NOT NULL,
  is_pending INTEGER NOT NULL,
  is_erased INTEGER NOT NULL DEFAULT 0,
  judgement TEXT,
  is_ignored INTEGER NOT NULL DEFAULT 0,
  severity INTEGER NOT NULL,
  new_trace_id TEXT,
  source TEXT,
  summary TEXT NOT NULL,
  record TEXT NOT NULL,
  record_bytes INTEGER NOT NULL,
  UNIQUE(account_id, test_run_id, item_no, repetition)
) STRICT`;

/** The call or dataset item that each item of a run replays. */
const SELECTIONS = `CREATE TABLE test_run_selections(
  account_id TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  item_no INTEGER NOT NULL,
  trace_id TEXT,
  span_id TEXT,
  dataset_item_id TEXT,
  accepted_no INTEGER,
  PRIMARY KEY(account_id, test_run_id, item_no)
) STRICT, WITHOUT ROWID`;

const DECISIONS = `CREATE TABLE test_run_decisions(
  account_id TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  decision_no INTEGER NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY(account_id, test_run_id, decision_no)
) STRICT, WITHOUT ROWID`;

/** Paths that later runs with a key ignore. */
const IGNORED_PATHS = `CREATE TABLE ignored_paths(
  account_id TEXT NOT NULL,
  trace_function_key TEXT NOT NULL,
  path TEXT NOT NULL,
  PRIMARY KEY(account_id, trace_function_key, path)
) STRICT, WITHOUT ROWID`;

/** Outcomes that were taken back stay, because a run that began earlier keeps its baseline. */
const ACCEPTED_OUTCOMES = `CREATE TABLE accepted_outcomes(
  accepted_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  trace_function_key TEXT NOT NULL,
  source TEXT NOT NULL,
  test_run_id TEXT NOT NULL,
  item_no INTEGER NOT NULL,
  repetition INTEGER NOT NULL,
  acceptance TEXT NOT NULL,
  outcome TEXT NOT NULL,
  taken_back_us INTEGER
) STRICT`;

const REPETITION_KEY = 'account_id, test_run_id, item_no, repetition';

export const testRunTables = ({ text }: Dialect): string[] => [
  RUNS,
  'CREATE INDEX test_runs_by_time ON test_runs(account_id, created_us DESC, test_run_id DESC)',
  'CREATE INDEX test_runs_by_key ON test_runs(account_id, trace_function_key, created_us DESC, test_run_id DESC)',
  'CREATE INDEX test_runs_to_erase ON test_runs(account_id, created_us) WHERE is_erased = 0',
  ITEMS,
  'CREATE INDEX test_run_items_by_verdict ON test_run_items(account_id, test_run_id, verdict, item_no, repetition)',
  `CREATE INDEX test_run_items_counted ON test_run_items(account_id, test_run_id, item_no, repetition, verdict,
  fixed, failing_as_before, new_error, accepted, diverged, is_pending)`,
  'CREATE INDEX test_run_items_by_source ON test_run_items(account_id, test_run_id, source) WHERE source IS NOT NULL',
  'CREATE INDEX test_run_items_of_sources ON test_run_items(account_id, source) WHERE source IS NOT NULL',
  'CREATE INDEX test_run_items_of_traces ON test_run_items(account_id, new_trace_id) WHERE new_trace_id IS NOT NULL',
  `CREATE INDEX test_run_items_by_baseline ON test_run_items(account_id, ${text('summary', 'baseline_hash')})
  WHERE ${text('summary', 'baseline_hash')} IS NOT NULL`,
  `CREATE INDEX test_run_items_judged ON test_run_items(account_id, test_run_id)
  WHERE judgement IS NOT NULL OR is_ignored = 1`,
  DECISIONS,
  IGNORED_PATHS,
  SELECTIONS,
  `CREATE INDEX test_run_selections_by_dataset_item
  ON test_run_selections(account_id, test_run_id, dataset_item_id) WHERE dataset_item_id IS NOT NULL`,
  'CREATE INDEX test_run_selections_of_traces ON test_run_selections(account_id, trace_id) WHERE trace_id IS NOT NULL',
  ACCEPTED_OUTCOMES,
  `CREATE INDEX accepted_outcomes_in_force
  ON accepted_outcomes(account_id, trace_function_key, source, accepted_no) WHERE taken_back_us IS NULL`,
  `CREATE INDEX accepted_outcomes_of_items ON accepted_outcomes(${REPETITION_KEY}) WHERE taken_back_us IS NULL`,
  'CREATE INDEX accepted_outcomes_of_sources ON accepted_outcomes(account_id, source)',
  `CREATE INDEX accepted_outcomes_by_item ON accepted_outcomes(${REPETITION_KEY})`,
];
