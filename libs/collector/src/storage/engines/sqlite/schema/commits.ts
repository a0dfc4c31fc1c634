/** Compared at start with a count outside the log, which detects a lost log. */
const COMMIT_COUNT = `CREATE TABLE commit_count(
  count_no INTEGER PRIMARY KEY CHECK(count_no = 1),
  database_id TEXT NOT NULL,
  writes INTEGER NOT NULL
) STRICT`;

const LOST_WRITES = `CREATE TABLE lost_writes(
  loss_no INTEGER PRIMARY KEY,
  found_us INTEGER NOT NULL,
  writes INTEGER NOT NULL,
  accepted_us INTEGER
) STRICT`;

export const COMMIT_TABLES = [COMMIT_COUNT, LOST_WRITES];
