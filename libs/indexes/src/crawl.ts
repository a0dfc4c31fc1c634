/** The entry `@dacapo/indexes/crawl`: fetches the pages of an address for an index. */
export { pageAddress } from './crawl/address.js';
export { documentType } from './crawl/document-type.js';
export { Fetcher, type FetcherOptions } from './crawl/fetcher.js';
export { type Listing, readListing, type UnreadUrl } from './crawl/listing.js';
export { PageError } from './crawl/page-error.js';
export { PageSync, type SyncOptions } from './crawl/page-sync.js';
