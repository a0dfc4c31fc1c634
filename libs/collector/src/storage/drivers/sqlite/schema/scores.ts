/** Each score is kept; of the same name and author on the same target, only the latest counts. */
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

const LATEST = `account_id = NEW.account_id AND target = NEW.target AND target_id = NEW.target_id AND part = NEW.part
    AND name = NEW.name AND author_kind = NEW.author_kind AND author_name = NEW.author_name AND is_latest = 1`;

export const SCORE_TABLES = [
  SCORES,
  'CREATE INDEX scores_by_time ON scores(account_id, created_us DESC, score_id DESC)',
  'CREATE INDEX scores_by_target ON scores(account_id, target, target_id, created_us DESC, score_id DESC)',
  `CREATE UNIQUE INDEX scores_that_count
  ON scores(account_id, target, target_id, part, name, author_kind, author_name) WHERE is_latest = 1`,
  `CREATE INDEX scores_by_amount ON scores(account_id, target, name, amount, target_id)
  WHERE is_latest = 1 AND is_given = 1`,
  `CREATE INDEX scores_by_value ON scores(account_id, target, name, substr(record -> '$.value', 1, 100), target_id)
  WHERE is_latest = 1 AND is_given = 1`,
  `CREATE TRIGGER scores_inserted AFTER INSERT ON scores BEGIN
  UPDATE scores SET is_latest = 0
    WHERE ${LATEST} AND (created_us, score_id) < (NEW.created_us, NEW.score_id);
  UPDATE scores SET is_latest = 1
    WHERE score_no = NEW.score_no AND NOT EXISTS (SELECT 1 FROM scores WHERE ${LATEST});
END`,
];
