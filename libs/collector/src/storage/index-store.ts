import type { IndexDetail, IndexedService, IndexRemote } from '@dacapo/protocol';

/** A part of a document under one heading. */
export interface Section {
  /** The document's title and the headings down to its own, joined by ` › `. */
  title: string;
  content: string;
  /** What a link to it ends with, without `#`. */
  anchor?: string;
  /** Of the document, where it begins, from 1. */
  line?: number;
}

export interface IndexedDocument {
  /** Where it came from; its identity within the index. */
  source: string;
  title: string;
  /** SHA-256 of what was uploaded. */
  hash: Uint8Array;
  sections: Section[];
}

/** Numbers are never used again: a document that was replaced has a new one. */
export interface StoredDocument {
  document_no: number;
  source: string;
  title: string;
}

export interface StoredSection extends Section {
  /** Sections of a document have ascending numbers. */
  section_no: number;
  document_no: number;
  source: string;
}

/** What an embedder made of a section. */
export interface SectionVector {
  section_no: number;
  document_no: number;
  vector: Float32Array;
}

/** Which sections: those of documents, or single ones. */
export type SectionQuery = { documentNos: number[] } | { sectionNos: number[] };

/** Keeps the documents of indexes. What answers a query is worked out elsewhere, from what is kept here. */
export interface IndexStore {
  create(accountId: string, index: IndexedService & { createdAt: string }): Promise<void>;
  /** The oldest first. */
  list(accountId: string): Promise<IndexDetail[]>;
  find(accountId: string, indexId: string): Promise<IndexDetail | undefined>;
  delete(accountId: string, indexId: string): Promise<boolean>;
  /** A number that is another one after each change of a document; `undefined` when there is no such index. */
  revision(accountId: string, indexId: string): Promise<number | undefined>;
  /** Where its pages are fetched from; `undefined` when they are not, and when there is no such index. */
  remote(accountId: string, indexId: string): Promise<IndexRemote | undefined>;
  setRemote(accountId: string, indexId: string, remote: IndexRemote): Promise<void>;
  /** Replaces what the source held before; `unchanged` when the hash is the same. */
  putDocument(accountId: string, indexId: string, document: IndexedDocument): Promise<'added' | 'unchanged'>;
  /** @returns how many there were */
  deleteDocuments(accountId: string, indexId: string, sources: string[]): Promise<number>;
  /** Sorted by source. */
  documents(accountId: string, indexId: string): Promise<StoredDocument[]>;
  /** In the order of their numbers. Deleted ones are skipped. */
  sections(accountId: string, indexId: string, query: SectionQuery): Promise<StoredSection[]>;
  /** Keeps one for each section that is still there, in place of what it had. `embedder` says who made them. */
  putVectors(accountId: string, indexId: string, embedder: string, vectors: SectionVector[]): Promise<void>;
  /** Those of the documents' sections that this embedder made. */
  vectors(
    accountId: string,
    indexId: string,
    embedder: string,
    documentNos: number[],
  ): Promise<SectionVector[]>;
}
