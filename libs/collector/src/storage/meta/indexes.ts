import type { IndexedDocument, SectionVector, StoredSection } from '@dacapo/indexes';
import {
  formatTimestamp,
  type IndexDetail,
  type IndexedService,
  type IndexRemote,
  type IndexType,
  parseTimestamp,
} from '@dacapo/protocol';
import { withoutNulls } from './rows.js';
import type { MetaTransaction } from './transaction.js';

/** Numbers are never reused: a replaced document gets a new one. */
export interface StoredDocument {
  document_no: number;
  source: string;
  title: string;
}

/** Selects all sections of documents, or single sections. */
export type SectionQuery = { documentNos: number[] } | { sectionNos: number[] };

interface IndexRow {
  index_id: string;
  name: string;
  type: IndexType;
  created_us: number;
  document_count: number;
  url: string | null;
  refreshed_at: string | null;
}

type SectionRow = Omit<StoredSection, 'anchor' | 'line'> & { anchor: string | null; line: number | null };

const THE_INDEX = 'account_id = :accountId AND index_id = :indexId';
const DOCUMENT_COUNT =
  '(SELECT count(*) FROM documents d WHERE d.account_id = i.account_id AND d.index_id = i.index_id)';

/** Stores the documents of indexes. Queries are answered elsewhere. */
export class Indexes {
  static readonly writes = [
    'create',
    'delete',
    'setRemote',
    'putDocument',
    'deleteDocuments',
    'putVectors',
  ] as const;

  constructor(private readonly db: MetaTransaction) {}

  async create(accountId: string, index: IndexedService & { createdAt: string }): Promise<void> {
    await this.db.insert('indexes', {
      account_id: accountId,
      index_id: index.index_id,
      name: index.name,
      type: index.type,
      created_us: parseTimestamp(index.createdAt),
    });
  }

  /** Oldest first. */
  async list(accountId: string): Promise<IndexDetail[]> {
    const sql = `${this.select()} WHERE account_id = :accountId ORDER BY created_us, index_no`;
    return (await this.db.all<IndexRow>(sql, { accountId })).map(toIndex);
  }

  async find(accountId: string, indexId: string): Promise<IndexDetail | undefined> {
    const row = await this.db.get<IndexRow>(`${this.select()} WHERE ${THE_INDEX}`, { accountId, indexId });
    return row && toIndex(row);
  }

  async delete(accountId: string, indexId: string): Promise<boolean> {
    await this.deleteWhere(accountId, indexId, 'TRUE');
    return (await this.db.run(`DELETE FROM indexes WHERE ${THE_INDEX}`, { accountId, indexId })) === 1;
  }

  /** A number that changes with each change of a document; `undefined` if the index does not exist. */
  async revision(accountId: string, indexId: string): Promise<number | undefined> {
    const sql = `SELECT revision FROM indexes WHERE ${THE_INDEX}`;
    return (await this.db.get<{ revision: number }>(sql, { accountId, indexId }))?.revision;
  }

  /** Where its pages are fetched from; `undefined` if the index fetches none or does not exist. */
  async remote(accountId: string, indexId: string): Promise<IndexRemote | undefined> {
    const sql = `SELECT remote FROM indexes WHERE ${THE_INDEX}`;
    const row = await this.db.get<{ remote: string | null }>(sql, { accountId, indexId });
    return row?.remote == null ? undefined : (JSON.parse(row.remote) as IndexRemote);
  }

  async setRemote(accountId: string, indexId: string, remote: IndexRemote): Promise<void> {
    const sql = `UPDATE indexes SET remote = :remote WHERE ${THE_INDEX}`;
    await this.db.run(sql, { accountId, indexId, remote: JSON.stringify(remote) });
  }

  /** Replaces the document of the source; returns `unchanged` if the hash is the same. */
  async putDocument(
    accountId: string,
    indexId: string,
    { source, title, hash, sections }: IndexedDocument,
  ): Promise<'added' | 'unchanged'> {
    if ((await this.revision(accountId, indexId)) === undefined) return 'unchanged';
    const document = { accountId, indexId, source, title, hash };
    const same = await this.db.get(
      `SELECT 1 FROM documents WHERE ${THE_INDEX} AND source = :source AND hash = :hash`,
      document,
    );
    if (same !== undefined) return 'unchanged';
    await this.deleteWhere(accountId, indexId, 'source = :source', source);
    const added = await this.db.get<{ document_no: number }>(
      `INSERT INTO documents(account_id, index_id, source, title, hash)
        VALUES (:accountId, :indexId, :source, :title, :hash) RETURNING document_no`,
      document,
    );
    await this.db.insertAll(
      'sections',
      sections.map((section) => ({
        document_no: added?.document_no,
        title: section.title,
        content: section.content,
        anchor: section.anchor,
        line: section.line,
      })),
    );
    await this.countChange(accountId, indexId);
    return 'added';
  }

  /** @returns the number of deleted documents */
  async deleteDocuments(accountId: string, indexId: string, sources: string[]): Promise<number> {
    const among = `source IN (SELECT value FROM ${this.db.dialect.texts(':source')})`;
    const deleted = await this.deleteWhere(accountId, indexId, among, JSON.stringify(sources));
    if (deleted > 0) await this.countChange(accountId, indexId);
    return deleted;
  }

  /** Sorted by source. */
  documents(accountId: string, indexId: string): Promise<StoredDocument[]> {
    const sql = `SELECT document_no, source, title FROM documents WHERE ${THE_INDEX} ORDER BY source`;
    return this.db.all(sql, { accountId, indexId });
  }

  /** Sorted by number. Deleted sections are skipped. */
  async sections(accountId: string, indexId: string, query: SectionQuery): Promise<StoredSection[]> {
    const { condition, numbers } = this.among('s', query);
    const rows = await this.db.all<SectionRow>(
      `SELECT s.section_no, s.document_no, d.source, s.title, s.content, s.anchor, s.line
        FROM sections s JOIN documents d ON d.document_no = s.document_no
        WHERE ${THE_INDEX} AND ${condition} ORDER BY s.section_no`,
      { accountId, indexId, numbers },
    );
    return rows.map(withoutNulls);
  }

  /** Stores a vector for each section that still exists and replaces its earlier one. `embedder` names who computed them. */
  async putVectors(
    accountId: string,
    indexId: string,
    embedder: string,
    vectors: SectionVector[],
  ): Promise<void> {
    for (const { section_no, document_no, vector } of vectors) {
      const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
      await this.db.run(
        `INSERT INTO section_vectors(section_no, document_no, embedder, vector)
          SELECT s.section_no, s.document_no, :embedder, :bytes
          FROM sections s JOIN documents d ON d.document_no = s.document_no
          WHERE ${THE_INDEX} AND s.section_no = :section_no AND s.document_no = :document_no
          ON CONFLICT(section_no) DO UPDATE SET document_no = excluded.document_no, embedder = excluded.embedder,
            vector = excluded.vector`,
        { accountId, indexId, embedder, bytes, section_no, document_no },
      );
    }
  }

  /** Vectors of the sections that this embedder computed. */
  async vectors(
    accountId: string,
    indexId: string,
    embedder: string,
    query: SectionQuery,
  ): Promise<SectionVector[]> {
    const { condition, numbers } = this.among('v', query);
    const rows = await this.db.all<Omit<SectionVector, 'vector'> & { vector: ArrayBuffer }>(
      `SELECT v.section_no, v.document_no, v.vector
        FROM section_vectors v JOIN documents d ON d.document_no = v.document_no
        WHERE ${THE_INDEX} AND v.embedder = :embedder AND ${condition} ORDER BY v.section_no`,
      { accountId, indexId, embedder, numbers },
    );
    return rows.map(({ vector, ...row }) => ({ ...row, vector: new Float32Array(vector) }));
  }

  /** @param table has the columns `section_no` and `document_no` */
  private among(table: string, query: SectionQuery): { condition: string; numbers: string } {
    const [column, numbers] =
      'documentNos' in query ? ['document_no', query.documentNos] : ['section_no', query.sectionNos];
    const condition = `${table}.${column} IN (SELECT value FROM ${this.db.dialect.numbers(':numbers')} n)`;
    return { condition, numbers: JSON.stringify(numbers) };
  }

  private select(): string {
    const [url, refreshed] = ['url', 'refreshed_at'].map((name) => this.db.dialect.text('remote', name));
    return `SELECT index_id, name, type, created_us, ${url} AS url, ${refreshed} AS refreshed_at,
      ${DOCUMENT_COUNT} AS document_count FROM indexes i`;
  }

  /** Deletes documents with their sections. @returns the number of documents */
  private async deleteWhere(
    accountId: string,
    indexId: string,
    condition: string,
    source = '',
  ): Promise<number> {
    const of = { accountId, indexId, source };
    const documents = `FROM documents WHERE ${THE_INDEX} AND ${condition}`;
    for (const table of ['section_vectors', 'sections']) {
      await this.db.run(`DELETE FROM ${table} WHERE document_no IN (SELECT document_no ${documents})`, of);
    }
    return this.db.run(`DELETE ${documents}`, of);
  }

  private async countChange(accountId: string, indexId: string): Promise<void> {
    await this.db.run(`UPDATE indexes SET revision = revision + 1 WHERE ${THE_INDEX}`, {
      accountId,
      indexId,
    });
  }
}

function toIndex({ created_us, url, refreshed_at, ...row }: IndexRow): IndexDetail {
  return withoutNulls({
    ...row,
    created_at: formatTimestamp(created_us),
    remote: url === null || refreshed_at === null ? null : { url, refreshed_at },
  });
}
