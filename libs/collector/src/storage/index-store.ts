import type { ContextResult, IndexDetail, IndexedService } from '@dacapo/protocol';

/** A part of a document under one heading. */
export interface Section {
  title: string;
  content: string;
}

export interface IndexedDocument {
  /** Where it came from; its identity within the index. */
  source: string;
  title: string;
  /** SHA-256 of what was uploaded. */
  hash: Uint8Array;
  sections: Section[];
}

export interface IndexStore {
  create(accountId: string, index: IndexedService & { createdAt: string }): Promise<void>;
  /** The oldest first. */
  list(accountId: string): Promise<IndexDetail[]>;
  find(accountId: string, indexId: string): Promise<IndexDetail | undefined>;
  delete(accountId: string, indexId: string): Promise<boolean>;
  /** Replaces what the source held before; `unchanged` when the hash is the same. */
  putDocument(accountId: string, indexId: string, document: IndexedDocument): Promise<'added' | 'unchanged'>;
  /** The nearest sections first. Any text is a valid query; one without words finds nothing. */
  search(accountId: string, indexId: string, query: string, limit: number): Promise<ContextResult[]>;
}
