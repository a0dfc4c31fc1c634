/** Kinds of indexed services (SPEC 2.4). The specification leaves the fourth literal open; Dacapo uses `OTHER`. */
export const INDEX_TYPES = ['SDK', 'CLI', 'API', 'OTHER'] as const;
export type IndexType = (typeof INDEX_TYPES)[number];

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

/** Kinds of addresses that an index comes from: one page, or a list of pages. */
export const REMOTE_KINDS = ['page', 'sitemap', 'llms.txt'] as const;
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/** What comes with a passage: the sections before and after it, or its whole page. */
export const CONTEXT_EXPANSIONS = ['neighbours', 'page'] as const;
export type ContextExpansion = (typeof CONTEXT_EXPANSIONS)[number];
