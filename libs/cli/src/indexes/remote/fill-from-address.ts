import {
  Fetcher,
  type FetcherOptions,
  type Listing,
  PageError,
  PageSync,
  readListing,
  type SyncOptions,
  type UnreadUrl,
} from '@dacapo/indexes/crawl';
import {
  type DocumentUpload,
  formatTimestamp,
  type IndexDetail,
  type IndexRemote,
  LIMITS,
  type RemotePage,
} from '@dacapo/protocol';
import { AddressUnreadableError, NoPagesError } from '../errors.js';
import type { ServiceClient } from '../../service/service-client.js';
import { removeDocuments, sourcesIn } from '../add-command.js';
import { VERSION } from '../../version.js';
import { DocumentBatch } from '../document-batch.js';

export type RemoteSettings = Pick<IndexRemote, 'url' | 'also' | 'under' | 'max_pages'>;

export interface FillReport {
  readonly index?: IndexDetail;
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
  readonly skipped: readonly UnreadUrl[];
  /** URLs that could not be fetched. Their documents stay. */
  readonly failed: readonly UnreadUrl[];
}

export type FillOptions = Omit<FetcherOptions, 'signal' | 'version'> & SyncOptions;

/**
 * Updates an index to the pages that an address lists. Documents of pages that cannot be fetched stay. Documents of unlisted pages are
 * removed only when the whole listing was read.
 *
 * @param found the index, if it exists
 * @param open creates the index if needed; called with the first document
 * @throws AddressUnreadableError when the address itself cannot be fetched
 * @throws NoPagesError when no page can become a document; the index is unchanged
 */
export async function fillFromAddress(
  client: ServiceClient,
  settings: RemoteSettings,
  found: IndexDetail | undefined,
  open: () => Promise<IndexDetail>,
  options: FillOptions,
): Promise<FillReport> {
  const fetcher = new Fetcher({ ...options, version: VERSION });
  try {
    const address = new URL(settings.url);
    const remote = await readRemote(client, found);
    const before = remote?.url === settings.url ? remote : undefined;
    const listing = await readListingOnce(fetcher, address, settings, before);
    const known = found ? await sourcesIn(client, found.index_id) : [];
    const index = new IndexPages(client, settings, remote?.pages ?? [], new Set(known), open, listing);
    const sync = new PageSync(fetcher, listing, index, options);
    await sync.run(address);
    return await index.finish(sync, options.signal.aborted);
  } finally {
    fetcher.close();
  }
}

async function readRemote(
  client: ServiceClient,
  index: IndexDetail | undefined,
): Promise<IndexRemote | undefined> {
  if (index?.remote === undefined) return undefined;
  return client.api.indexes.remote(index);
}

/** @param before the last refresh: an error page served in place of the sitemap must not empty the index */
async function readListingOnce(
  fetcher: Fetcher,
  address: URL,
  settings: RemoteSettings,
  before: IndexRemote | undefined,
): Promise<Listing> {
  try {
    const listing = await readListing(fetcher, address, {
      also: settings.also,
      ...(settings.under !== undefined && { under: settings.under }),
      maxPages: settings.max_pages,
      mayMove: before === undefined,
    });
    if (before && before.kind !== listing.kind)
      throw new PageError('failed', `it was a ${before.kind} and is now a ${listing.kind}`);
    return listing;
  } catch (error) {
    if (error instanceof PageError) throw new AddressUnreadableError(address.href, error.message);
    throw error;
  }
}

/** The stored pages of one index. */
class IndexPages {
  readonly pages: ReadonlyMap<string, RemotePage>;
  private opened: Promise<{ index: IndexDetail; fresh: DocumentBatch; known: DocumentBatch }> | undefined;

  constructor(
    private readonly client: ServiceClient,
    private readonly settings: RemoteSettings,
    private readonly before: readonly RemotePage[],
    readonly known: ReadonlySet<string>,
    private readonly open: () => Promise<IndexDetail>,
    private readonly listing: Listing,
  ) {
    this.pages = new Map(before.map((page) => [page.url, page]));
  }

  async put(upload: DocumentUpload): Promise<void> {
    const { fresh, known } = await this.opening();
    await (this.known.has(upload.source) ? known : fresh).add(upload);
  }

  async finish(sync: PageSync, isStopped: boolean): Promise<FillReport> {
    if (sync.kept.size === 0 && this.opened === undefined) {
      if (!isStopped)
        throw new NoPagesError(this.settings.url, [...this.listing.missing, ...sync.failed, ...sync.skipped]);
      return { added: 0, changed: 0, removed: 0, unchanged: 0, skipped: sync.skipped, failed: sync.failed };
    }
    const { index, fresh, known } = await this.opening();
    await Promise.all([fresh.send(), known.send()]);
    const unread = [...fresh.skipped, ...known.skipped];
    for (const { source } of unread) this.forget(sync.kept, source);
    // An address without a single page is probably broken, so nothing is removed.
    const isComplete = this.listing.missing.length === 0 && !isStopped && sync.kept.size > 0;
    const left = this.before.filter(({ source }) => !sync.kept.has(source));
    const removed = isComplete ? await removeDocuments(this.client, index.index_id, this.indexed(left)) : 0;
    await this.save(index, [...sync.kept.values(), ...(isComplete ? [] : left)]);
    return {
      index,
      added: fresh.added,
      changed: known.added,
      removed,
      unchanged: sync.unchanged + fresh.unchanged + known.unchanged,
      skipped: [...sync.skipped, ...unread.map(({ source, reason }) => ({ url: source, reason }))],
      failed: [...this.listing.missing, ...sync.failed],
    };
  }

  private opening(): NonNullable<IndexPages['opened']> {
    this.opened ??= this.open().then(async (index) => {
      const listed = this.listing.pages
        .filter(({ href }) => !this.pages.has(href))
        .map(({ href }) => ({ url: href, source: href }));
      // Saved before the first document, so that the next run knows the documents of an interrupted one.
      await this.save(index, [...this.before, ...listed]);
      const batch = (): DocumentBatch => new DocumentBatch(this.client, index.index_id);
      return { index, fresh: batch(), known: batch() };
    });
    return this.opened;
  }

  /** Makes the next run fetch a document again that the service could not read. */
  private forget(kept: Map<string, RemotePage>, source: string): void {
    const page = kept.get(source);
    kept.delete(source);
    if (page && this.known.has(source)) kept.set(source, { url: page.url, source });
  }

  private indexed(pages: readonly RemotePage[]): string[] {
    return [...new Set(pages.map(({ source }) => source))].filter((source) => this.known.has(source));
  }

  private async save({ index_id }: IndexDetail, pages: readonly RemotePage[]): Promise<void> {
    await this.client.api.indexes.setRemote({
      index_id,
      ...this.settings,
      kind: this.listing.kind,
      // Includes the host that the address redirected to at first.
      also: this.listing.hosts.filter((host) => host !== new URL(this.settings.url).host),
      refreshed_at: formatTimestamp(Date.now() * 1000),
      pages: pages.slice(0, LIMITS.remotePages),
    });
  }
}
