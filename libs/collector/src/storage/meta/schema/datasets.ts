import type { Dialect } from '../dialect.js';

const DATASETS = `CREATE TABLE datasets(
  dataset_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  description TEXT,
  created_us INTEGER NOT NULL,
  UNIQUE(account_id, name)
) STRICT`;

const VERSIONS = `CREATE TABLE dataset_versions(
  account_id TEXT NOT NULL,
  dataset_no INTEGER NOT NULL,
  version INTEGER NOT NULL,
  base INTEGER NOT NULL,
  item_count INTEGER NOT NULL,
  added INTEGER NOT NULL,
  removed INTEGER NOT NULL,
  note TEXT,
  created_us INTEGER NOT NULL,
  PRIMARY KEY(dataset_no, version)
) STRICT, WITHOUT ROWID`;

/** An item with `staged` is not in a version yet. */
const ITEMS = `CREATE TABLE dataset_items(
  item_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  dataset_no INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  hash BLOB NOT NULL,
  source TEXT,
  staged TEXT,
  trace_id TEXT,
  span_id TEXT,
  item TEXT NOT NULL,
  item_bytes INTEGER NOT NULL
) STRICT`;

/** An item is in the versions from `since` up to but not including `until`. */
const MEMBERS = `CREATE TABLE dataset_members(
  account_id TEXT NOT NULL,
  dataset_no INTEGER NOT NULL,
  item_no INTEGER NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL DEFAULT ${Number.MAX_SAFE_INTEGER},
  PRIMARY KEY(dataset_no, item_no, since)
) STRICT, WITHOUT ROWID`;

export const datasetTables = ({ text, number }: Dialect): string[] => [
  DATASETS,
  VERSIONS,
  ITEMS,
  'CREATE INDEX dataset_items_by_id ON dataset_items(dataset_no, item_id)',
  'CREATE INDEX dataset_items_by_source ON dataset_items(dataset_no, source) WHERE source IS NOT NULL',
  'CREATE INDEX dataset_items_staged ON dataset_items(staged, item_id) WHERE staged IS NOT NULL',
  'CREATE INDEX dataset_items_of_traces ON dataset_items(account_id, trace_id) WHERE trace_id IS NOT NULL',
  `CREATE INDEX dataset_items_of_runs
  ON dataset_items(account_id, ${text('item', 'source.test_run_id')}, ${number('item', 'source.item_no')})`,
  MEMBERS,
];
