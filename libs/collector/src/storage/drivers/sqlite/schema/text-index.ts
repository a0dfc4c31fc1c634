/**
 * The words of spans by span number, without their texts. Spans up to `upto` are indexed; `deleted` of them were deleted since, and of
 * `cleared` of those no word is left in the index.
 */
const PROGRESS = [
  `CREATE TABLE text_index(
  upto INTEGER NOT NULL,
  deleted_behind INTEGER NOT NULL,
  deleted INTEGER NOT NULL,
  cleared INTEGER NOT NULL
) STRICT`,
  'INSERT INTO text_index(upto, deleted_behind, deleted, cleared) VALUES (0, 0, 0, 0)',
];

/** Spans that changed after they were stored. */
const CHANGES = 'CREATE TABLE text_changes(span_no INTEGER PRIMARY KEY, changes INTEGER NOT NULL) STRICT';

/** Spans with words beyond the indexed length. */
const CUT_TEXTS = `CREATE TABLE cut_texts(
  account_id TEXT NOT NULL,
  span_no INTEGER NOT NULL,
  PRIMARY KEY(account_id, span_no)
) STRICT, WITHOUT ROWID`;

const TEXT_CHANGED = `CREATE TRIGGER text_changed AFTER UPDATE ON span_payloads BEGIN
  INSERT INTO text_changes(span_no, changes) VALUES (NEW.span_no, 1)
    ON CONFLICT(span_no) DO UPDATE SET changes = changes + 1;
END`;

/** `upto` goes back with the last span, because SQLite gives its number to the next one. */
const TEXT_DELETED = `CREATE TRIGGER text_deleted AFTER DELETE ON spans BEGIN
  DELETE FROM span_text WHERE rowid = OLD.span_no;
  DELETE FROM text_changes WHERE span_no = OLD.span_no;
  DELETE FROM cut_texts WHERE account_id = OLD.account_id AND span_no = OLD.span_no;
  UPDATE text_index SET upto = min(upto, coalesce((SELECT max(span_no) FROM spans), 0)),
    deleted_behind = deleted_behind + (OLD.span_no > upto), deleted = deleted + (OLD.span_no <= upto);
END`;

export const TEXT_TABLES = [
  `CREATE VIRTUAL TABLE span_text USING fts5(words, content='', contentless_delete=1, tokenize='ascii')`,
  `CREATE VIRTUAL TABLE span_words USING fts5vocab('span_text', 'instance')`,
  ...PROGRESS,
  CHANGES,
  CUT_TEXTS,
  TEXT_CHANGED,
  TEXT_DELETED,
];
