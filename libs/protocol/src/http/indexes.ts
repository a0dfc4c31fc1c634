import type { IndexRemote } from '../records/index-remote.js';
import type { IndexType, IndexedService } from '../records/indexed-service.js';

/** SPEC 2.2 */
export interface ListIndexesData {
  indexes: IndexedService[];
}

export interface GetContextRequest {
  /** Either this or `index_ids`. */
  index_id?: string;
  /** Several at once, at most `LIMITS.indexesAtOnce`; passages of each are ranked together. */
  index_ids?: string[];
  query: string;
  /** 1 to 50; 5 when absent, 50 when there is a budget. */
  limit?: number;
  /** Passages come until the next would go beyond it, and always one. A token counts as four characters, or as one in unspaced scripts. */
  max_tokens?: number;
  /** What comes with each passage: the sections before and after it, or the whole page, as far as the budget lasts. */
  expand?: ContextExpansion;
  /** Passages whose code is in other programming languages alone are left out: `python`, `ts`, `C#`. */
  language?: string;
}

export const CONTEXT_EXPANSIONS = ['neighbours', 'page'] as const;
export type ContextExpansion = (typeof CONTEXT_EXPANSIONS)[number];

/** A passage of a document. */
export interface ContextResult {
  /** The document's title and the headings down to the passage, joined by ` › `. */
  title: string;
  /** The same, one by one. */
  heading_path: string[];
  index_id: string;
  /** Where the document came from: a path or an address. */
  source: string;
  /** What a link to it ends with, without `#`; absent when there is nothing to link to. */
  anchor?: string;
  /** Where it begins in the document, from 1; absent when that is not known. */
  line?: number;
  content: string;
  /** Higher is nearer; comparable within one answer only. */
  score: number;
}

export interface GetContextData {
  /** The one that was asked; absent when several were. */
  index_id?: string;
  results: ContextResult[];
  /** Why passages were ranked with less than the service was told to use, such as without its embedder. Absent when they were not. */
  notes?: string[];
}

export interface CreateIndexRequest {
  name: string;
  type: IndexType;
}

/** JSON and YAML are OpenAPI 3 descriptions, TypeScript is declarations (`.d.ts`). */
export const DOCUMENT_TYPES = [
  'text/markdown',
  'text/html',
  'text/plain',
  'text/x-rst',
  'text/asciidoc',
  'text/typescript',
  'application/json',
  'application/yaml',
] as const;
export type DocumentType = (typeof DOCUMENT_TYPES)[number];

export interface DocumentUpload {
  source: string;
  title?: string;
  content: string;
  content_type: DocumentType;
}

export interface AddDocumentsRequest {
  documents: DocumentUpload[];
}

export interface AddDocumentsAnswer {
  added: number;
  unchanged: number;
  /** Those that could not be read. They never harm the others; what their sources held before stays. */
  skipped: SkippedDocument[];
}

export interface SkippedDocument {
  source: string;
  reason: string;
}

/** `GET` {@link ROUTES.indexDocuments} */
export interface ListDocumentsAnswer {
  /** Sorted by source. */
  items: { source: string; title: string }[];
}

/** `POST` {@link ROUTES.deleteDocuments} */
export interface DeleteDocumentsRequest {
  sources: string[];
}

export interface DeleteDocumentsAnswer {
  /** Those that were there. */
  deleted: number;
}

export interface IndexDetail extends IndexedService {
  document_count: number;
  created_at: string;
  /** Absent unless the documents come from an address. */
  remote?: Pick<IndexRemote, 'url' | 'refreshed_at'>;
}
