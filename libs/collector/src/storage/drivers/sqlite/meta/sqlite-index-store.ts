import {
  formatTimestamp,
  type IndexDetail,
  type IndexedService,
  type IndexRemote,
  type IndexType,
  parseTimestamp,
} from '@dacapo/protocol';
import type {
  IndexedDocument,
  IndexStore,
  SectionQuery,
  SectionVector,
  StoredDocument,
  StoredSection,
} from '../../../index-store.js';
import type { Connection } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';

interface IndexRow {
  index_id: string;
  name: string;
  type: IndexType;
  created_us: number;
  document_count: number;
  remote_url: string | null;
  refreshed_at: string | null;
}

type SectionRow = Omit<StoredSection, 'anchor' | 'line'> & { anchor: string | null; line: number | null };

const SELECT_INDEXES = `SELECT index_id, name, type, created_us, remote ->> 'url' AS remote_url, remote ->> 'refreshed_at' AS refreshed_at,
  (SELECT count(*) FROM documents d WHERE d.account_id = i.account_id AND d.index_id = i.index_id) AS document_count
  FROM indexes i`;

const THE_INDEX = 'account_id = ? AND index_id = ?';

const REPLACE_DOCUMENT = `DELETE FROM documents WHERE ${THE_INDEX} AND source = ? AND hash <> ?`;

const PUT_DOCUMENT = `INSERT INTO documents(account_id, index_id, source, title, hash)
  SELECT account_id, index_id, ?, ?, ? FROM indexes WHERE ${THE_INDEX}
  ON CONFLICT(account_id, index_id, source) DO NOTHING`;

const PUT_SECTION = `INSERT INTO sections(document_no, title, content, anchor, line)
  SELECT document_no, ?, ?, ?, ? FROM documents WHERE ${THE_INDEX} AND source = ?`;

const PUT_VECTOR = `INSERT OR REPLACE INTO section_vectors(section_no, document_no, embedder, vector)
  SELECT s.section_no, s.document_no, ?, ? FROM sections s JOIN documents d USING (document_no)
  WHERE d.account_id = ? AND d.index_id = ? AND s.section_no = ? AND s.document_no = ?`;

const VECTORS = `SELECT v.section_no, v.document_no, v.vector FROM section_vectors v JOIN documents d USING (document_no)
  WHERE d.account_id = ? AND d.index_id = ? AND v.embedder = ? AND v.document_no IN (SELECT value FROM json_each(?))
  ORDER BY v.section_no`;

const COUNT_CHANGE = `UPDATE indexes SET revision = revision + 1 WHERE ${THE_INDEX}`;

const SECTIONS = `SELECT s.section_no, s.document_no, d.source, s.title, s.content, s.anchor, s.line
  FROM sections s JOIN documents d USING (document_no) WHERE d.account_id = ? AND d.index_id = ?`;

export class SqliteIndexStore implements IndexStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
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
    const rows = await this.reader
      .of(accountId)
      .all<IndexRow>(`${SELECT_INDEXES} WHERE account_id = ? ORDER BY created_us, index_no`, [accountId]);
    return rows.map(toIndex);
  }

  async find(accountId: string, indexId: string): Promise<IndexDetail | undefined> {
    const [row] = await this.reader
      .of(accountId)
      .all<IndexRow>(`${SELECT_INDEXES} WHERE account_id = ? AND index_id = ?`, [accountId, indexId]);
    return row && toIndex(row);
  }

  async delete(accountId: string, indexId: string): Promise<boolean> {
    const [, outcome] = await this.writer.write([
      { sql: 'DELETE FROM documents WHERE account_id = ? AND index_id = ?', rows: [[accountId, indexId]] },
      { sql: 'DELETE FROM indexes WHERE account_id = ? AND index_id = ?', rows: [[accountId, indexId]] },
    ]);
    return outcome?.changes === 1;
  }

  async revision(accountId: string, indexId: string): Promise<number | undefined> {
    const [row] = await this.reader
      .of(accountId)
      .all<{ revision: number }>(`SELECT revision FROM indexes WHERE ${THE_INDEX}`, [accountId, indexId]);
    return row?.revision;
  }

  async remote(accountId: string, indexId: string): Promise<IndexRemote | undefined> {
    const [row] = await this.reader
      .of(accountId)
      .all<{ remote: string | null }>(`SELECT remote FROM indexes WHERE ${THE_INDEX}`, [accountId, indexId]);
    return row?.remote == null ? undefined : (JSON.parse(row.remote) as IndexRemote);
  }

  async setRemote(accountId: string, indexId: string, remote: IndexRemote): Promise<void> {
    await this.writer.write([
      {
        sql: `UPDATE indexes SET remote = ? WHERE ${THE_INDEX}`,
        rows: [[JSON.stringify(remote), accountId, indexId]],
      },
    ]);
  }

  async putDocument(
    accountId: string,
    indexId: string,
    document: IndexedDocument,
  ): Promise<'added' | 'unchanged'> {
    const { source, title, hash, sections } = document;
    const [, outcome] = await this.writer.write([
      { sql: REPLACE_DOCUMENT, rows: [[accountId, indexId, source, hash]] },
      { sql: PUT_DOCUMENT, rows: [[source, title, hash, accountId, indexId]], mustChange: true },
      {
        sql: PUT_SECTION,
        rows: sections.map((section) => [
          section.title,
          section.content,
          section.anchor,
          section.line,
          accountId,
          indexId,
          source,
        ]),
      },
      { sql: COUNT_CHANGE, rows: [[accountId, indexId]] },
    ]);
    return outcome?.changes === 1 ? 'added' : 'unchanged';
  }

  async deleteDocuments(accountId: string, indexId: string, sources: string[]): Promise<number> {
    const [outcome] = await this.writer.write([
      {
        sql: `DELETE FROM documents WHERE ${THE_INDEX} AND source = ?`,
        rows: sources.map((source) => [accountId, indexId, source]),
        mustChange: true,
      },
      { sql: COUNT_CHANGE, rows: [[accountId, indexId]] },
    ]);
    return outcome?.changes ?? 0;
  }

  documents(accountId: string, indexId: string): Promise<StoredDocument[]> {
    return this.reader
      .of(accountId)
      .all(`SELECT document_no, source, title FROM documents WHERE ${THE_INDEX} ORDER BY source`, [
        accountId,
        indexId,
      ]);
  }

  async sections(accountId: string, indexId: string, query: SectionQuery): Promise<StoredSection[]> {
    const [column, numbers] =
      'documentNos' in query ? ['document_no', query.documentNos] : ['section_no', query.sectionNos];
    const rows = await this.reader
      .of(accountId)
      .all<SectionRow>(
        `${SECTIONS} AND s.${column} IN (SELECT value FROM json_each(?)) ORDER BY s.section_no`,
        [accountId, indexId, JSON.stringify(numbers)],
      );
    return rows.map(({ anchor, line, ...section }) => ({
      ...section,
      ...(anchor !== null && { anchor }),
      ...(line !== null && { line }),
    }));
  }

  async putVectors(
    accountId: string,
    indexId: string,
    embedder: string,
    vectors: SectionVector[],
  ): Promise<void> {
    const rows = vectors.map(({ section_no, document_no, vector }) => [
      embedder,
      new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength),
      accountId,
      indexId,
      section_no,
      document_no,
    ]);
    await this.writer.write([{ sql: PUT_VECTOR, rows }]);
  }

  async vectors(
    accountId: string,
    indexId: string,
    embedder: string,
    documentNos: number[],
  ): Promise<SectionVector[]> {
    const rows = await this.reader
      .of(accountId)
      .all<Omit<SectionVector, 'vector'> & { vector: ArrayBuffer }>(VECTORS, [
        accountId,
        indexId,
        embedder,
        JSON.stringify(documentNos),
      ]);
    return rows.map(({ vector, ...row }) => ({ ...row, vector: new Float32Array(vector) }));
  }
}

function toIndex(row: IndexRow): IndexDetail {
  return {
    name: row.name,
    index_id: row.index_id,
    type: row.type,
    document_count: row.document_count,
    created_at: formatTimestamp(row.created_us),
    ...(row.remote_url !== null &&
      row.refreshed_at !== null && { remote: { url: row.remote_url, refreshed_at: row.refreshed_at } }),
  };
}
