/** Kind of the source: one page, or a list of pages. */
export const REMOTE_KINDS = ['page', 'sitemap', 'llms.txt'] as const;
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/**
 * Where the pages of an index come from, with validators of each page so that a refresh fetches only changed pages.
 * `GET` and `POST` of `ROUTES.indexRemote`.
 */
export interface IndexRemote {
  url: string;
  kind: RemoteKind;
  /** Further hosts whose pages are indexed. */
  also: string[];
  /** Required prefix of a page's path. Default: any path. */
  under?: string;
  max_pages: number;
  refreshed_at: string;
  pages: RemotePage[];
}

export interface RemotePage {
  url: string;
  /** Source of the indexed document: the redirect target, or the page's canonical address. */
  source: string;
  etag?: string;
  last_modified?: string;
}
