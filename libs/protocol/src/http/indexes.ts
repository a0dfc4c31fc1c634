import type { IndexRemote } from '../records/index-remote.js';
import type { IndexType, IndexedService } from '../records/indexed-service.js';

/** SPEC 2.2 */
export interface ListIndexesData {
  indexes: IndexedService[];
}

export interface GetContextRequest {
  /** Set either this or `index_ids`. */
  index_id?: string;
  /** Several indexes, at most `LIMITS.indexesAtOnce`. Their passages are ranked together. */
  index_ids?: string[];
  query: string;
  /** 1 to 50. Default: 5, or 50 with `max_tokens`. */
  limit?: number;
  /** Token budget: at least one passage, then as many as fit. A token counts as four characters, or as one in unspaced scripts. */
  max_tokens?: number;
  /** Adds the sections before and after each passage, or the whole page, as far as the budget allows. */
  expand?: ContextExpansion;
  /** Excludes passages whose code is only in other programming languages: `python`, `ts`, `C#`. */
  language?: string;
}

export const CONTEXT_EXPANSIONS = ['neighbours', 'page'] as const;
export type ContextExpansion = (typeof CONTEXT_EXPANSIONS)[number];

/** A passage of a document. */
export interface ContextResult {
  /** The document's title and the headings down to the passage, joined by ` › `. */
  title: string;
  /** The same parts as a list. */
  heading_path: string[];
  index_id: string;
  /** Path or URL of the document. */
  source: string;
  /** URL fragment of the passage, without `#`. Absent if there is none. */
  anchor?: string;
  /** First line in the document, from 1. Absent if unknown. */
  line?: number;
  content: string;
  /** Higher is closer. Comparable only within one response. */
  score: number;
}

export interface GetContextData {
  /** The searched index. Absent if there were several. */
  index_id?: string;
  results: ContextResult[];
  /** Why the ranking was degraded, such as an unavailable embedder. Absent if it was not. */
  notes?: string[];
}

export interface CreateIndexRequest {
  name: string;
  type: IndexType;
}

/** JSON and YAML must be OpenAPI 3 descriptions; TypeScript must be declarations (`.d.ts`). */
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
  /** Documents that could not be read. Their previous content stays, and all other documents are added. */
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
  /** Number of documents that existed. */
  deleted: number;
}

export interface IndexDetail extends IndexedService {
  document_count: number;
  created_at: string;
  /** Present only if the documents come from a URL. */
  remote?: Pick<IndexRemote, 'url' | 'refreshed_at'>;
}
