import type { DocumentUpload, RemotePage } from '@dacapo/protocol';
import type { Fetched, Fetcher } from './fetcher.js';
import type { UnreadUrl, Listing } from './listing.js';
import { readContent, readDirectives } from './page-content.js';
import { PageError } from './page-error.js';

/** The index that is filled. */
export interface SyncTarget {
  /** Sources of all its documents. */
  readonly known: ReadonlySet<string>;
  /** Pages of earlier refreshes, by URL. */
  readonly pages: ReadonlyMap<string, RemotePage>;
  put(upload: DocumentUpload): Promise<void>;
}

export interface SyncOptions {
  /** Pages fetched at the same time. */
  readonly concurrency: number;
  /** Whether unchanged pages are fetched again. */
  readonly isFull: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Fetches the pages of a listing and adds changed ones to the index. Removes nothing. */
export class PageSync {
  /** Pages with a document, by source. */
  readonly kept = new Map<string, RemotePage>();
  /** Pages that the server reports as unchanged. */
  unchanged = 0;
  readonly skipped: UnreadUrl[];
  /** Pages that the next refresh may fetch. */
  readonly failed: UnreadUrl[] = [];
  private readonly listed: ReadonlySet<string>;

  constructor(
    private readonly fetcher: Fetcher,
    private readonly listing: Listing,
    private readonly target: SyncTarget,
    private readonly options: SyncOptions,
  ) {
    this.skipped = [...listing.skipped];
    this.listed = new Set(listing.pages.map(({ href }) => href));
  }

  /** Ends early when the signal aborts. */
  async run(address: URL): Promise<void> {
    const { root, pages } = this.listing;
    if (root) await this.recordFailure(address, () => this.take(address, root));
    const waiting = [...pages].reverse();
    const work = async (): Promise<void> => {
      for (let url = waiting.pop(); url && !this.options.signal.aborted; url = waiting.pop()) {
        const page = url;
        await this.recordFailure(page, () => this.visit(page));
        this.options.onProgress?.(pages.length - waiting.length, pages.length);
      }
    };
    const guarded = (): Promise<void> =>
      work().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    // Rethrows an error only after all running fetches have ended.
    const ends = await Promise.allSettled(Array.from({ length: this.options.concurrency }, guarded));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async recordFailure(url: URL, visit: () => Promise<void>): Promise<void> {
    try {
      await visit();
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      const unread = { url: url.href, reason: error.message };
      (error.failure === 'failed' ? this.failed : this.skipped).push(unread);
      const before = this.before(url);
      if (before && error.failure !== 'gone' && !this.kept.has(before.source))
        this.kept.set(before.source, before);
    }
  }

  private async visit(url: URL): Promise<void> {
    const before = this.before(url);
    const headers = before && !this.options.isFull ? conditionalHeaders(before) : {};
    const fetched = await this.fetcher.fetch(url, { headers, isTaken: this.listing.isTaken });
    if (fetched.status !== 304) return this.take(url, fetched);
    if (before === undefined) throw new PageError('failed', 'the server answered 304 to a first request');
    this.keep(before);
    this.unchanged++;
  }

  private async take(url: URL, fetched: Fetched): Promise<void> {
    const page = readContent(fetched);
    const { isNoIndex, canonical } = readDirectives(fetched, page);
    if (isNoIndex) throw new PageError('gone', 'it says noindex');
    const isNamed = canonical !== undefined && this.listing.isTaken(canonical.host);
    const source = (isNamed ? canonical : fetched.url).href;
    if (source !== url.href && this.listed.has(source))
      throw new PageError('gone', `the same page as ${source}`);
    const { etag, 'last-modified': lastModified } = fetched.headers;
    this.keep({
      url: url.href,
      source,
      ...(isValidator(etag) && { etag }),
      ...(isValidator(lastModified) && { last_modified: lastModified }),
    });
    await this.target.put({ source, content: page.content, content_type: page.contentType });
  }

  private keep(page: RemotePage): void {
    const other = this.kept.get(page.source);
    if (other && other.url !== page.url) throw new PageError('gone', `the same page as ${other.url}`);
    this.kept.set(page.source, page);
  }

  private before(url: URL): RemotePage | undefined {
    const page = this.target.pages.get(url.href);
    return page && this.target.known.has(page.source) ? page : undefined;
  }
}

function conditionalHeaders({ etag, last_modified }: RemotePage): Record<string, string> {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(last_modified !== undefined && { 'if-modified-since': last_modified }),
  };
}

function isValidator(header: string | undefined): header is string {
  return header !== undefined && header !== '' && header.length <= 512;
}
