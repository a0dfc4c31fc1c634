import type { IndexDetail, IndexedService, IndexRemote } from '@dacapo/protocol';
import type {
  IndexedDocument,
  IndexStore,
  SectionQuery,
  SectionVector,
  StoredDocument,
  StoredSection,
} from '../../index-store.js';

type KeptDocument = StoredDocument & {
  hash: Uint8Array;
  sections: StoredSection[];
  vectors: Map<number, { embedder: string; vector: Float32Array }>;
};
type KeptIndex = IndexedService & {
  createdAt: string;
  revision: number;
  remote?: IndexRemote;
  documents: Map<string, KeptDocument>;
};

export class MemoryIndexStore implements IndexStore {
  /** By account and id. */
  private readonly accounts = new Map<string, Map<string, KeptIndex>>();
  private lastDocumentNo = 0;
  private lastSectionNo = 0;

  create(accountId: string, index: IndexedService & { createdAt: string }): Promise<void> {
    const indexes = this.accounts.get(accountId) ?? new Map<string, KeptIndex>();
    indexes.set(index.index_id, { ...index, revision: 0, documents: new Map() });
    this.accounts.set(accountId, indexes);
    return Promise.resolve();
  }

  list(accountId: string): Promise<IndexDetail[]> {
    return Promise.resolve(Array.from(this.accounts.get(accountId)?.values() ?? [], toDetail));
  }

  find(accountId: string, indexId: string): Promise<IndexDetail | undefined> {
    const index = this.index(accountId, indexId);
    return Promise.resolve(index && toDetail(index));
  }

  delete(accountId: string, indexId: string): Promise<boolean> {
    return Promise.resolve(this.accounts.get(accountId)?.delete(indexId) ?? false);
  }

  revision(accountId: string, indexId: string): Promise<number | undefined> {
    return Promise.resolve(this.index(accountId, indexId)?.revision);
  }

  remote(accountId: string, indexId: string): Promise<IndexRemote | undefined> {
    return Promise.resolve(structuredClone(this.index(accountId, indexId)?.remote));
  }

  setRemote(accountId: string, indexId: string, remote: IndexRemote): Promise<void> {
    const index = this.index(accountId, indexId);
    if (index) index.remote = structuredClone(remote);
    return Promise.resolve();
  }

  putDocument(accountId: string, indexId: string, document: IndexedDocument): Promise<'added' | 'unchanged'> {
    const index = this.index(accountId, indexId);
    const { source, title, hash, sections } = document;
    const known = index?.documents.get(source);
    if (!index || (known && Buffer.from(known.hash).equals(hash))) return Promise.resolve('unchanged');
    const document_no = ++this.lastDocumentNo;
    index.documents.set(source, {
      document_no,
      source,
      title,
      hash,
      sections: sections.map((section) => ({
        ...section,
        section_no: ++this.lastSectionNo,
        document_no,
        source,
      })),
      vectors: new Map(),
    });
    index.revision++;
    return Promise.resolve('added');
  }

  deleteDocuments(accountId: string, indexId: string, sources: string[]): Promise<number> {
    const index = this.index(accountId, indexId);
    const deleted = sources.filter((source) => index?.documents.delete(source)).length;
    if (index && deleted > 0) index.revision++;
    return Promise.resolve(deleted);
  }

  documents(accountId: string, indexId: string): Promise<StoredDocument[]> {
    return Promise.resolve(
      this.kept(accountId, indexId)
        .map(({ document_no, source, title }) => ({ document_no, source, title }))
        .sort((left, right) => (left.source < right.source ? -1 : 1)),
    );
  }

  sections(accountId: string, indexId: string, query: SectionQuery): Promise<StoredSection[]> {
    const numbers = new Set('documentNos' in query ? query.documentNos : query.sectionNos);
    return Promise.resolve(
      this.kept(accountId, indexId)
        .flatMap(({ sections }) => sections)
        .filter((section) => numbers.has('documentNos' in query ? section.document_no : section.section_no))
        .sort((left, right) => left.section_no - right.section_no),
    );
  }

  putVectors(accountId: string, indexId: string, embedder: string, vectors: SectionVector[]): Promise<void> {
    const documents = new Map(this.kept(accountId, indexId).map((one) => [one.document_no, one]));
    for (const { section_no, document_no, vector } of vectors) {
      const document = documents.get(document_no);
      if (document?.sections.some((section) => section.section_no === section_no) === true)
        document.vectors.set(section_no, { embedder, vector: vector.slice() });
    }
    return Promise.resolve();
  }

  vectors(
    accountId: string,
    indexId: string,
    embedder: string,
    documentNos: number[],
  ): Promise<SectionVector[]> {
    return Promise.resolve(
      this.kept(accountId, indexId)
        .filter(({ document_no }) => documentNos.includes(document_no))
        .flatMap(({ document_no, vectors }) =>
          Array.from(vectors, ([section_no, made]) => ({ section_no, document_no, ...made })),
        )
        .filter((made) => made.embedder === embedder)
        .map(({ section_no, document_no, vector }) => ({ section_no, document_no, vector: vector.slice() }))
        .sort((left, right) => left.section_no - right.section_no),
    );
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }

  private index(accountId: string, indexId: string): KeptIndex | undefined {
    return this.accounts.get(accountId)?.get(indexId);
  }

  private kept(accountId: string, indexId: string): KeptDocument[] {
    return [...(this.index(accountId, indexId)?.documents.values() ?? [])];
  }
}

function toDetail({ name, index_id, type, createdAt, documents, remote }: KeptIndex): IndexDetail {
  const detail = { name, index_id, type, document_count: documents.size, created_at: createdAt };
  return remote ? { ...detail, remote: { url: remote.url, refreshed_at: remote.refreshed_at } } : detail;
}
