/** Documents of an index: reads them in sections, ranks sections for a query, and chooses passages. */
export { READER_VERSION, readDocument } from './documents/read-document.js';
export { UnreadableDocumentError } from './documents/unreadable-document-error.js';
export { choosePassages, type Passage } from './search/choose-passages.js';
export type { RankedSection, SearchedSection } from './search/ranked-index.js';
export { SearchIndex, type SearchOptions } from './search/search-index.js';
export type { IndexedDocument, Section, SectionVector, StoredSection } from './sections.js';
