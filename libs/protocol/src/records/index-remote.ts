/** What an address gives: one page, or a list of pages. */
export const REMOTE_KINDS = ['page', 'sitemap', 'llms.txt'] as const;
export type RemoteKind = (typeof REMOTE_KINDS)[number];

/**
 * Where the pages of an index are fetched from, and what is known of each, so that only what changed is fetched again.
 * `GET` and `POST` of `ROUTES.indexRemote`.
 */
export interface IndexRemote {
  url: string;
  kind: RemoteKind;
  /** Hosts beside that of `url` whose pages are taken. */
  also: string[];
  /** What the path of a page begins with; absent for any. */
  under?: string;
  max_pages: number;
  refreshed_at: string;
  pages: RemotePage[];
}

export interface RemotePage {
  url: string;
  /** Of the document that it became: where it was redirected to, or what it says is its address. */
  source: string;
  etag?: string;
  last_modified?: string;
}
