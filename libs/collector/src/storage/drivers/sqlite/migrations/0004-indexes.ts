import type { Migration } from './migration.js';

/** `scope` is a word of its own in every section: a search asks for it, so that it stays within one index. */
export const indexes: Migration = {
  id: 4,
  name: 'indexes',
  statements: [
    `CREATE TABLE indexes(
      index_no INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      index_id TEXT NOT NULL CHECK(index_id GLOB 'scrape_[0-9]*' AND substr(index_id, 8) NOT GLOB '*[^0-9]*'),
      name TEXT NOT NULL,
      type TEXT NOT NULL,
      created_us INTEGER NOT NULL,
      UNIQUE(account_id, index_id)
    ) STRICT`,
    `CREATE TABLE documents(
      document_no INTEGER PRIMARY KEY,
      account_id TEXT NOT NULL,
      index_id TEXT NOT NULL,
      source TEXT NOT NULL,
      title TEXT NOT NULL,
      hash BLOB NOT NULL CHECK(length(hash) = 32),
      UNIQUE(account_id, index_id, source)
    ) STRICT`,
    `CREATE TABLE sections(
      section_no INTEGER PRIMARY KEY,
      document_no INTEGER NOT NULL,
      scope TEXT NOT NULL,
      title TEXT NOT NULL,
      content TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX sections_of_document ON sections(document_no)`,
    `CREATE VIRTUAL TABLE section_words USING fts5(
      scope, title, content, content = 'sections', content_rowid = 'section_no', tokenize = 'porter unicode61'
    )`,
    `CREATE TRIGGER sections_inserted AFTER INSERT ON sections BEGIN
      INSERT INTO section_words(rowid, scope, title, content)
        VALUES (NEW.section_no, NEW.scope, NEW.title, NEW.content);
    END`,
    `CREATE TRIGGER sections_deleted AFTER DELETE ON sections BEGIN
      INSERT INTO section_words(section_words, rowid, scope, title, content)
        VALUES ('delete', OLD.section_no, OLD.scope, OLD.title, OLD.content);
    END`,
    `CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
      DELETE FROM sections WHERE document_no = OLD.document_no;
    END`,
  ],
};
