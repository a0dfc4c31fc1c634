import type { Migration } from './migration.js';

/**
 * The words of spans, by number of span; of their texts nothing is kept. `text_index` says up to which number spans were taken in, how many
 * behind it were deleted, and how many that were taken in; `cleared`: of so many of these no word is left. `text_changes` has spans that
 * changed since they came.
 */
export const textIndex: Migration = {
  id: 29,
  name: 'text-index',
  statements: [
    `CREATE VIRTUAL TABLE span_text USING fts5(words, content='', contentless_delete=1, tokenize='ascii')`,
    `CREATE TABLE text_index(
      upto INTEGER NOT NULL,
      deleted_behind INTEGER NOT NULL,
      deleted INTEGER NOT NULL,
      cleared INTEGER NOT NULL
    ) STRICT`,
    'INSERT INTO text_index(upto, deleted_behind, deleted, cleared) VALUES (0, 0, 0, 0)',
    'CREATE TABLE text_changes(span_no INTEGER PRIMARY KEY, changes INTEGER NOT NULL) STRICT',
    `CREATE TRIGGER text_changed AFTER UPDATE ON span_payloads BEGIN
      INSERT INTO text_changes(span_no, changes) VALUES (NEW.span_no, 1)
        ON CONFLICT(span_no) DO UPDATE SET changes = changes + 1;
    END`,
    // The number of the last span is given again.
    `CREATE TRIGGER text_deleted AFTER DELETE ON spans BEGIN
      DELETE FROM span_text WHERE rowid = OLD.span_no;
      DELETE FROM text_changes WHERE span_no = OLD.span_no;
      UPDATE text_index SET upto = min(upto, coalesce((SELECT max(span_no) FROM spans), 0)),
        deleted_behind = deleted_behind + (OLD.span_no > upto), deleted = deleted + (OLD.span_no <= upto);
    END`,
  ],
};
