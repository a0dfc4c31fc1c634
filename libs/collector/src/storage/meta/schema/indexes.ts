const INDEXES = `CREATE TABLE indexes(
  index_no INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  index_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  created_us INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0,
  remote TEXT,
  UNIQUE(account_id, index_id)
) STRICT`;

const DOCUMENTS = `CREATE TABLE documents(
  document_no INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  index_id TEXT NOT NULL,
  source TEXT NOT NULL,
  title TEXT NOT NULL,
  hash BLOB NOT NULL CHECK(length(hash) = 32),
  UNIQUE(account_id, index_id, source)
) STRICT`;

const SECTIONS = `CREATE TABLE sections(
  section_no INTEGER PRIMARY KEY,
  document_no INTEGER NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  anchor TEXT,
  line INTEGER
) STRICT`;

const VECTORS = `CREATE TABLE section_vectors(
  section_no INTEGER PRIMARY KEY,
  document_no INTEGER NOT NULL,
  embedder TEXT NOT NULL,
  vector BLOB NOT NULL
) STRICT`;

export const INDEX_TABLES = [
  INDEXES,
  DOCUMENTS,
  SECTIONS,
  'CREATE INDEX sections_of_document ON sections(document_no)',
  VECTORS,
  'CREATE INDEX section_vectors_of_document ON section_vectors(document_no)',
];
