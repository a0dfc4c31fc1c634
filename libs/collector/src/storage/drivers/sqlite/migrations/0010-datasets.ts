import type { Migration } from './migration.js';

/**
 * A version has the items whose `since` it is not before and whose `until` it is before, so that a change costs what it
 * changes, not the whole set. Items that are `staged` wait for their version.
 */
export const datasets: Migration = {
  id: 10,
  name: 'datasets',
  statements: [
    `CREATE TABLE datasets(
      dataset_no INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      name TEXT NOT NULL,
      description TEXT,
      created_us INTEGER NOT NULL,
      UNIQUE(account_id, name)
    ) STRICT`,
    `CREATE TABLE dataset_versions(
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
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE dataset_items(
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
    ) STRICT`,
    `CREATE INDEX dataset_items_by_id ON dataset_items(dataset_no, item_id)`,
    `CREATE INDEX dataset_items_by_source ON dataset_items(dataset_no, source) WHERE source IS NOT NULL`,
    `CREATE INDEX dataset_items_staged ON dataset_items(staged, item_id) WHERE staged IS NOT NULL`,
    `CREATE TABLE dataset_members(
      account_id TEXT NOT NULL,
      dataset_no INTEGER NOT NULL,
      item_no INTEGER NOT NULL,
      since INTEGER NOT NULL,
      until INTEGER NOT NULL DEFAULT 9007199254740991,
      PRIMARY KEY(dataset_no, item_no, since)
    ) STRICT, WITHOUT ROWID`,
  ],
};
