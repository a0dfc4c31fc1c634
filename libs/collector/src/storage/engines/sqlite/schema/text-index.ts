/** The words of spans by span number, without their texts. */
const WORDS = `CREATE VIRTUAL TABLE span_text USING fts5(words, content='', contentless_delete=1, tokenize='ascii')`;

/** Counts deleted spans that were indexed. The index contains no word of the first `cleared` ones. */
const CLEARING = [
  'CREATE TABLE text_index(deleted INTEGER NOT NULL, cleared INTEGER NOT NULL) STRICT',
  'INSERT INTO text_index(deleted, cleared) VALUES (0, 0)',
];

/** Ranges of new spans that wait for indexing, one per stored batch. Ranges never overlap. */
const QUEUE = `CREATE TABLE text_queue(
  account_id TEXT NOT NULL,
  first_span INTEGER NOT NULL,
  last_span INTEGER NOT NULL,
  received_us INTEGER NOT NULL,
  PRIMARY KEY(account_id, first_span)
) STRICT, WITHOUT ROWID`;

/** Spans that changed after they were stored and wait for indexing. */
const CHANGES = `CREATE TABLE text_changes(
  account_id TEXT NOT NULL,
  span_no INTEGER NOT NULL,
  changes INTEGER NOT NULL,
  PRIMARY KEY(account_id, span_no)
) STRICT, WITHOUT ROWID`;

/** Spans with words beyond the indexed length. */
const CUT_TEXTS = `CREATE TABLE cut_texts(
  account_id TEXT NOT NULL,
  span_no INTEGER NOT NULL,
  PRIMARY KEY(account_id, span_no)
) STRICT, WITHOUT ROWID`;

const TEXT_CHANGED = `CREATE TRIGGER text_changed AFTER UPDATE ON span_payloads BEGIN
  INSERT INTO text_changes(account_id, span_no, changes) SELECT account_id, span_no, 1 FROM spans WHERE span_no = NEW.span_no
    ON CONFLICT(account_id, span_no) DO UPDATE SET changes = changes + 1;
END`;

const TEXT_DELETED = `CREATE TRIGGER text_deleted AFTER DELETE ON spans BEGIN
  UPDATE text_index SET deleted = deleted + 1 WHERE EXISTS (SELECT 1 FROM span_text_docsize WHERE id = OLD.span_no);
  DELETE FROM span_text WHERE rowid = OLD.span_no;
  DELETE FROM text_changes WHERE account_id = OLD.account_id AND span_no = OLD.span_no;
  DELETE FROM cut_texts WHERE account_id = OLD.account_id AND span_no = OLD.span_no;
END`;

export const TEXT_TABLES = [
  WORDS,
  `CREATE VIRTUAL TABLE span_words USING fts5vocab('span_text', 'instance')`,
  ...CLEARING,
  QUEUE,
  CHANGES,
  CUT_TEXTS,
  TEXT_CHANGED,
  TEXT_DELETED,
];
