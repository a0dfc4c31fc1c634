import type { Migration } from './migration.js';

/** What an embedder made of sections. A section's number may be used again, a document's never: a vector has both. */
export const sectionVectors: Migration = {
  id: 14,
  name: 'section-vectors',
  statements: [
    `CREATE TABLE section_vectors(
      section_no INTEGER PRIMARY KEY,
      document_no INTEGER NOT NULL,
      embedder TEXT NOT NULL,
      vector BLOB NOT NULL
    ) STRICT`,
    'CREATE INDEX section_vectors_of_document ON section_vectors(document_no)',
    'DROP TRIGGER documents_deleted',
    `CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
      DELETE FROM sections WHERE document_no = OLD.document_no;
      DELETE FROM section_vectors WHERE document_no = OLD.document_no;
    END`,
  ],
};
