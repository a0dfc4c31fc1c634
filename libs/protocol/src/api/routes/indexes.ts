import { LIMITS } from '../../limits.js';
import { DOCUMENT_TYPES, INDEX_TYPES, REMOTE_KINDS } from '../../records/indexed-service.js';
import { type Answer, type Input, route } from '../route.js';
import * as kinds from '../schema/kinds.js';
import { about, choice, label, list, maybe, object, string, text, whole } from '../schema/kinds.js';
import { items } from './page.js';

const MOST_HOSTS = 100;

/** An entry of the catalogue of indexed services (SPEC 2.3). */
export const INDEXED_SERVICE = {
  name: label(),
  index_id: about('`scrape_<digits>`, which get-context accepts.', string()),
  type: choice(INDEX_TYPES),
};

const address = kinds.matching(
  (value) => value.length <= LIMITS.sourceLength && /^https?:/.test(value) && URL.canParse(value),
  'an http or https address',
);

const REMOTE_ADDRESS = { url: address, refreshed_at: kinds.time() };

const REMOTE = about(
  'Where the pages of an index come from, with validators of each page: a refresh fetches only changed pages.',
  object({
    ...REMOTE_ADDRESS,
    kind: choice(REMOTE_KINDS),
    also: about('Further hosts whose pages are indexed.', list(text(LIMITS.labelLength), MOST_HOSTS)),
    under: maybe(about("Required prefix of a page's path. Default: any path.", text(LIMITS.sourceLength))),
    max_pages: whole(1, LIMITS.remotePages),
    pages: list(
      object({
        url: address,
        source: about(
          "Source of the indexed document: the redirect target, or the page's canonical address.",
          text(LIMITS.sourceLength),
        ),
        etag: maybe(text(LIMITS.labelLength)),
        last_modified: maybe(text(LIMITS.labelLength)),
      }),
      LIMITS.remotePages,
    ),
  }),
);

const INDEX = object({
  ...INDEXED_SERVICE,
  document_count: whole(),
  created_at: string(),
  remote: maybe(about('Present only if the documents come from a URL.', object(REMOTE_ADDRESS))),
});

const DOCUMENT = object({
  source: kinds.matching(
    (value) => value.trim() !== '' && value.length <= LIMITS.sourceLength,
    `a path or an address of 1 to ${LIMITS.sourceLength} characters`,
  ),
  title: maybe(label()),
  content: string(),
  content_type: choice(DOCUMENT_TYPES),
});

const READ = { method: 'GET', scope: 'read', tag: 'Indexes' } as const;
const WRITE = { method: 'POST', scope: 'manage', tag: 'Indexes' } as const;

export const indexes = {
  list: route({
    ...READ,
    path: '/api/v1/indexes',
    summary: 'Lists indexes with their sizes.',
    answer: items(INDEX),
  }),
  create: route({
    ...WRITE,
    path: '/api/v1/indexes',
    summary: 'Creates an empty index.',
    body: object({ name: label(), type: choice(INDEX_TYPES) }),
    answer: INDEX,
    status: 201,
  }),
  delete: route({
    ...WRITE,
    method: 'DELETE',
    path: '/api/v1/indexes/:index_id',
    summary: 'Removes an index with its documents.',
  }),
  documents: route({
    ...READ,
    path: '/api/v1/indexes/:index_id/documents',
    summary: 'Lists the documents of an index, sorted by source.',
    answer: items(object({ source: string(), title: string() })),
  }),
  addDocuments: route({
    ...WRITE,
    path: '/api/v1/indexes/:index_id/documents',
    summary: 'Adds documents. A document replaces the one with the same source.',
    body: object({ documents: list(DOCUMENT, LIMITS.documentsAtOnce) }),
    answer: object({
      added: whole(),
      unchanged: whole(),
      skipped: about(
        'Documents that could not be read. Their previous content stays, and all other documents are added.',
        list(object({ source: string(), reason: string() })),
      ),
    }),
  }),
  deleteDocuments: route({
    ...WRITE,
    path: '/api/v1/indexes/:index_id/documents/delete',
    summary: 'Removes documents by their sources.',
    body: object({ sources: list(string(), LIMITS.documentsAtOnce) }),
    answer: object({ deleted: about('Number of documents that existed.', whole()) }),
  }),
  remote: route({
    ...READ,
    path: '/api/v1/indexes/:index_id/remote',
    summary: 'The address that an index was created from.',
    answer: REMOTE,
  }),
  setRemote: route({
    ...WRITE,
    path: '/api/v1/indexes/:index_id/remote',
    summary: 'Sets the address that an index is refreshed from.',
    body: REMOTE,
    answer: INDEX,
  }),
};

export type IndexDetail = Answer<typeof indexes.create>;
export type IndexRemote = Answer<typeof indexes.remote>;
export type RemotePage = IndexRemote['pages'][number];
export type CreateIndexRequest = Input<typeof indexes.create>;
export type DocumentUpload = Input<typeof indexes.addDocuments>['documents'][number];
export type AddDocumentsAnswer = Answer<typeof indexes.addDocuments>;
export type SkippedDocument = AddDocumentsAnswer['skipped'][number];
