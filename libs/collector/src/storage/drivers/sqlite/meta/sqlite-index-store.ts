import {
  type ContextResult,
  formatTimestamp,
  type IndexDetail,
  type IndexedService,
  type IndexType,
  parseTimestamp,
} from '@dacapo/protocol';
import type { IndexedDocument, IndexStore } from '../../../index-store.js';
import type { Connection } from '../connection.js';

interface IndexRow {
  index_id: string;
  name: string;
  type: IndexType;
  created_us: number;
  document_count: number;
}

const SELECT_INDEXES = `SELECT index_id, name, type, created_us,
  (SELECT count(*) FROM documents d WHERE d.account_id = i.account_id AND d.index_id = i.index_id) AS document_count
  FROM indexes i`;

const PUT_DOCUMENT = `INSERT INTO documents(account_id, index_id, source, title, hash)
  SELECT account_id, index_id, ?, ?, ? FROM indexes WHERE account_id = ? AND index_id = ?
  ON CONFLICT(account_id, index_id, source) DO UPDATE SET title = excluded.title, hash = excluded.hash
  WHERE hash <> excluded.hash`;

const THE_DOCUMENT = 'FROM documents WHERE account_id = ? AND index_id = ? AND source = ?';

const PUT_SECTION = `INSERT INTO sections(document_no, scope, title, content)
  SELECT document_no, 'index' || index_no, ?, ?
  FROM documents JOIN indexes USING (account_id, index_id) WHERE account_id = ? AND index_id = ? AND source = ?`;

/** Weights of the columns scope, title and content: a word in a heading says more. */
const SEARCH = `SELECT s.title, d.source, s.content, -bm25(section_words, 0, 4, 1) AS score
  FROM section_words JOIN sections s ON s.section_no = section_words.rowid JOIN documents d USING (document_no)
  WHERE section_words MATCH ? AND d.account_id = ? AND d.index_id = ?
  ORDER BY score DESC, s.section_no LIMIT ?`;

export class SqliteIndexStore implements IndexStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {}

  async create(accountId: string, index: IndexedService & { createdAt: string }): Promise<void> {
    await this.writer.write([
      {
        sql: 'INSERT INTO indexes(account_id, index_id, name, type, created_us) VALUES (?, ?, ?, ?, ?)',
        rows: [[accountId, index.index_id, index.name, index.type, parseTimestamp(index.createdAt)]],
      },
    ]);
  }

  async list(accountId: string): Promise<IndexDetail[]> {
    const rows = await this.reader.all<IndexRow>(
      `${SELECT_INDEXES} WHERE account_id = ? ORDER BY created_us, index_no`,
      [accountId],
    );
    return rows.map(toIndex);
  }

  async find(accountId: string, indexId: string): Promise<IndexDetail | undefined> {
    const [row] = await this.reader.all<IndexRow>(`${SELECT_INDEXES} WHERE account_id = ? AND index_id = ?`, [
      accountId,
      indexId,
    ]);
    return row && toIndex(row);
  }

  async delete(accountId: string, indexId: string): Promise<boolean> {
    const [, outcome] = await this.writer.write([
      { sql: 'DELETE FROM documents WHERE account_id = ? AND index_id = ?', rows: [[accountId, indexId]] },
      { sql: 'DELETE FROM indexes WHERE account_id = ? AND index_id = ?', rows: [[accountId, indexId]] },
    ]);
    return outcome?.changes === 1;
  }

  async putDocument(
    accountId: string,
    indexId: string,
    document: IndexedDocument,
  ): Promise<'added' | 'unchanged'> {
    const { source, title, hash, sections } = document;
    const identity = [accountId, indexId, source];
    const [outcome] = await this.writer.write([
      { sql: PUT_DOCUMENT, rows: [[source, title, hash, accountId, indexId]], mustChange: true },
      {
        sql: `DELETE FROM sections WHERE document_no = (SELECT document_no ${THE_DOCUMENT})`,
        rows: [identity],
      },
      {
        sql: PUT_SECTION,
        rows: sections.map((section) => [section.title, section.content, ...identity]),
      },
    ]);
    return outcome?.changes === 1 ? 'added' : 'unchanged';
  }

  async search(accountId: string, indexId: string, query: string, limit: number): Promise<ContextResult[]> {
    const [index] = await this.reader.all<{ index_no: number }>(
      'SELECT index_no FROM indexes WHERE account_id = ? AND index_id = ?',
      [accountId, indexId],
    );
    const match = index && toSearchQuery(`index${index.index_no}`, query);
    return match === undefined
      ? []
      : this.reader.all<ContextResult>(SEARCH, [match, accountId, indexId, limit]);
  }
}

function toIndex(row: IndexRow): IndexDetail {
  return {
    name: row.name,
    index_id: row.index_id,
    type: row.type,
    document_count: row.document_count,
    created_at: formatTimestamp(row.created_us),
  };
}

/** Words of a query at most; the rest changes no ranking that matters. */
const WORDS_TAKEN = 64;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/**
 * A text as an FTS5 query: any of its words, each as a quoted phrase, so that nothing in it is syntax. A word with
 * inner punctuation, `API_KEY` say, is found as its parts in that order. `undefined` when there is no word in it.
 */
function toSearchQuery(scope: string, text: string): string | undefined {
  const words = text
    .replaceAll('"', ' ')
    .split(/[\s\p{Cc}]+/u)
    .filter((word) => HAS_LETTER_OR_DIGIT.test(word))
    .slice(0, WORDS_TAKEN);
  if (words.length === 0) return undefined;
  return `scope : "${scope}" AND {title content} : (${words.map((word) => `"${word}"`).join(' OR ')})`;
}
