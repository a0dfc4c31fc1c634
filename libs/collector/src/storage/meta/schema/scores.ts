import type { Dialect } from '../dialect.js';

/** Every score is stored. For each target, name and author, only the latest counts. */
const SCORES = `CREATE TABLE scores(
  score_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  score_id TEXT NOT NULL,
  target TEXT NOT NULL CHECK(target IN ('trace', 'session', 'item')),
  target_id TEXT NOT NULL,
  part TEXT NOT NULL,
  name TEXT NOT NULL,
  author_kind TEXT NOT NULL,
  author_name TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  amount REAL,
  is_given INTEGER NOT NULL,
  is_latest INTEGER NOT NULL DEFAULT 0,
  record TEXT NOT NULL,
  UNIQUE(account_id, score_id)
) STRICT`;

export const scoreTables = ({ json }: Dialect): string[] => [
  SCORES,
  'CREATE INDEX scores_by_time ON scores(account_id, created_us DESC, score_id DESC)',
  `CREATE INDEX scores_by_name ON scores(account_id, name, created_us DESC, score_id DESC)
  WHERE is_latest = 1`,
  'CREATE INDEX scores_by_target ON scores(account_id, target, target_id, created_us DESC, score_id DESC)',
  `CREATE UNIQUE INDEX scores_that_count
  ON scores(account_id, target, target_id, part, name, author_kind, author_name) WHERE is_latest = 1`,
  `CREATE INDEX scores_by_amount ON scores(account_id, target, name, amount, target_id)
  WHERE is_latest = 1 AND is_given = 1`,
  `CREATE INDEX scores_by_value ON scores(account_id, target, name, substr(${json('record', 'value')}, 1, 100), target_id)
  WHERE is_latest = 1 AND is_given = 1`,
];
