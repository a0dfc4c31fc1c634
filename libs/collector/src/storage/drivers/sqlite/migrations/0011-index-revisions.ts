import type { Migration } from './migration.js';

/**
 * Queries are answered from memory, index by index: the table of words, which all indexes shared, goes. A document's number is
 * never used again, so that what is in memory can be told from what replaced it.
 */
export const indexRevisions: Migration = {
  id: 11,
  name: 'index-revisions',
  statements: [
    'DROP TRIGGER sections_inserted',
    'DROP TRIGGER sections_deleted',
    'DROP TRIGGER documents_deleted',
    'DROP TABLE section_words',
    'ALTER TABLE sections DROP COLUMN scope',
    'ALTER TABLE sections ADD COLUMN anchor TEXT',
    'ALTER TABLE sections ADD COLUMN line INTEGER',
    'ALTER TABLE indexes ADD COLUMN revision INTEGER NOT NULL DEFAULT 0',
    'ALTER TABLE documents RENAME TO documents_before',
    `CREATE TABLE documents(
      document_no INTEGER PRIMARY KEY AUTOINCREMENT,
      account_id TEXT NOT NULL,
      index_id TEXT NOT NULL,
      source TEXT NOT NULL,
      title TEXT NOT NULL,
      hash BLOB NOT NULL CHECK(length(hash) = 32),
      UNIQUE(account_id, index_id, source)
    ) STRICT`,
    `INSERT INTO documents(document_no, account_id, index_id, source, title, hash)
      SELECT document_no, account_id, index_id, source, title, hash FROM documents_before`,
    'DROP TABLE documents_before',
    `CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
      DELETE FROM sections WHERE document_no = OLD.document_no;
    END`,
  ],
};
