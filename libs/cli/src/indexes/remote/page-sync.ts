import type { DocumentUpload, RemotePage } from '@dacapo/protocol';
import type { Fetched, Fetcher } from './fetcher.js';
import type { LeftOut, Listing } from './listing.js';
import { contentOf, directivesOf } from './page-content.js';
import { PageError } from './page-error.js';

/** The index as it is, and what takes documents into it. */
export interface SyncTarget {
  /** Sources of all documents that it has. */
  readonly known: ReadonlySet<string>;
  /** What earlier refreshes kept of each page, by its address. */
  readonly pages: ReadonlyMap<string, RemotePage>;
  put(upload: DocumentUpload): Promise<void>;
}

export interface SyncOptions {
  /** Pages that are fetched at a time. */
  readonly concurrency: number;
  /** Whether pages are fetched again that have not changed. */
  readonly isFull: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** Fetches the pages of a listing and puts into the index what changed. Nothing is removed here. */
export class PageSync {
  /** Pages that have a document now, by its source. */
  readonly kept = new Map<string, RemotePage>();
  /** Pages that have not changed, by what the server says. */
  unchanged = 0;
  readonly skipped: LeftOut[];
  /** What may do better next time. */
  readonly failed: LeftOut[] = [];
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

  /** Ends early when the signal says so. */
  async run(address: URL): Promise<void> {
    const { root, pages } = this.listing;
    if (root) await this.telling(address, () => this.take(address, root));
    const waiting = [...pages].reverse();
    const work = async (): Promise<void> => {
      for (let url = waiting.pop(); url && !this.options.signal.aborted; url = waiting.pop()) {
        const page = url;
        await this.telling(page, () => this.visit(page));
        this.options.onProgress?.(pages.length - waiting.length, pages.length);
      }
    };
    const guarded = (): Promise<void> =>
      work().catch((error: unknown) => {
        waiting.length = 0;
        throw error;
      });
    // An error is told once no page is under way any more.
    const ends = await Promise.allSettled(Array.from({ length: this.options.concurrency }, guarded));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  private async telling(url: URL, visit: () => Promise<void>): Promise<void> {
    try {
      await visit();
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      const leftOut = { url: url.href, reason: error.message };
      (error.outcome === 'failed' ? this.failed : this.skipped).push(leftOut);
      const before = this.before(url);
      if (before && error.outcome !== 'gone' && !this.kept.has(before.source))
        this.kept.set(before.source, before);
    }
  }

  private async visit(url: URL): Promise<void> {
    const before = this.before(url);
    const headers = before && !this.options.isFull ? validatorsOf(before) : {};
    const fetched = await this.fetcher.fetch(url, { headers, isTaken: this.listing.isTaken });
    if (fetched.status !== 304) return this.take(url, fetched);
    if (before === undefined) throw new PageError('failed', 'the server answered 304 to a first request');
    this.keep(before);
    this.unchanged++;
  }

  private async take(url: URL, fetched: Fetched): Promise<void> {
    const page = contentOf(fetched);
    const { isNoIndex, canonical } = directivesOf(fetched, page);
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

function validatorsOf({ etag, last_modified }: RemotePage): Record<string, string> {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(last_modified !== undefined && { 'if-modified-since': last_modified }),
  };
}

function isValidator(header: string | undefined): header is string {
  return header !== undefined && header !== '' && header.length <= 512;
}
