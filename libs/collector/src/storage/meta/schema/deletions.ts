/** Jobs. `rank` sorts open ones and is 0 for those that are done. */
const DELETIONS = `CREATE TABLE deletions(
  deletion_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  deletion_id TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  record TEXT NOT NULL,
  position TEXT,
  UNIQUE(account_id, deletion_id)
) STRICT`;

/** Written in the transaction that deletes, so that a killed process counts nothing twice. */
const COUNTS = `CREATE TABLE deletion_counts(
  account_id TEXT NOT NULL,
  deletion_id TEXT NOT NULL,
  name TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY(account_id, deletion_id, name)
) STRICT, WITHOUT ROWID`;

/** Stored until `forget_us`, so that late records of a deleted trace are dropped. */
const DELETED_TRACES = `CREATE TABLE deleted_traces(
  account_id TEXT NOT NULL,
  trace_id TEXT NOT NULL,
  with_copies INTEGER NOT NULL,
  forget_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, trace_id)
) STRICT, WITHOUT ROWID`;

/** Deleted sessions and users, by digest. */
const DELETED_GROUPS = `CREATE TABLE deleted_groups(
  account_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  deleted_us INTEGER NOT NULL,
  forget_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, digest)
) STRICT, WITHOUT ROWID`;

export const DELETION_TABLES = [
  DELETIONS,
  'CREATE INDEX deletions_by_time ON deletions(account_id, created_us DESC, deletion_id DESC)',
  'CREATE INDEX deletions_to_do ON deletions(rank, deletion_no) WHERE rank > 0',
  COUNTS,
  DELETED_TRACES,
  'CREATE INDEX deleted_traces_to_forget ON deleted_traces(forget_us)',
  DELETED_GROUPS,
];
