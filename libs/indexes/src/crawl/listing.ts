import type { RemoteKind } from '@dacapo/protocol';
import { pageAddress } from './address.js';
import { BOUNDS, type Fetched, type Fetcher } from './fetcher.js';
import { decodeText } from './page-content.js';
import { PageError } from './page-error.js';
import { readSitemap, type Sitemap, gunzipIfNeeded } from './sitemap.js';

/** A URL that became no document, and why. */
export interface UnreadUrl {
  readonly url: string;
  readonly reason: string;
}

export interface Listing {
  readonly kind: RemoteKind;
  /** The content of the address itself if it is a document: a page or an `llms.txt`. */
  readonly root?: Fetched;
  readonly pages: readonly URL[];
  readonly skipped: readonly UnreadUrl[];
  /** Unread parts of the listing. If there are any, documents of unlisted pages must not be removed. */
  readonly missing: readonly UnreadUrl[];
  /** Hosts whose pages are indexed. */
  readonly hosts: readonly string[];
  readonly isTaken: (host: string) => boolean;
}

export interface ListingOptions {
  /** Hosts in addition to the one of the address. */
  readonly also: readonly string[];
  /** Prefix of page paths. */
  readonly under?: string;
  readonly maxPages: number;
  /** Whether the address may redirect to an unnamed host. Only at first, when a user sees the result. */
  readonly mayMove: boolean;
}

const SITEMAPS = { depth: 3, files: 500 } as const;
/** Bounded repetitions, so that a file of brackets stays fast. */
const MARKDOWN_LINK =
  /\[[^\]\n]{0,500}\]\(\s{0,9}<?([^\s<>()]{1,2100}(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,500})?)/g;

/**
 * Lists the pages of an address: those in a sitemap, those that an `llms.txt` links to, or the page itself.
 *
 * @throws PageError when the address itself cannot be fetched or read
 */
export async function readListing(fetcher: Fetcher, address: URL, options: ListingOptions): Promise<Listing> {
  const hosts = new Set([address.host, ...options.also]);
  const isTaken = (host: string): boolean => hosts.has(host);
  const mostBytes = BOUNDS.listingBytes;
  const root = await fetcher.fetch(address, options.mayMove ? { mostBytes } : { mostBytes, isTaken });
  hosts.add(root.url.host);
  const listing = new ListedPages([...hosts], options);
  const isLlms = /(?:^|\/)llms\.txt$/i.test(address.pathname);
  const sitemap = isLlms ? undefined : parseSitemap(root);
  if (sitemap) {
    await new SitemapReader(fetcher, listing).read(root.url, sitemap, 1);
    return listing.result('sitemap');
  }
  if (root.body.length > BOUNDS.pageBytes)
    throw new PageError('skipped', `larger than ${BOUNDS.pageBytes / 1024 / 1024} MiB`);
  if (isLlms) {
    const text = decodeText(root.body, root.headers['content-type'], 'text/markdown');
    if (/^\s*<(?:!doctype|html)/i.test(text))
      throw new PageError('skipped', 'it returned a page, not an llms.txt');
    for (const [, target = ''] of text.matchAll(MARKDOWN_LINK)) listing.add(target, root.url);
  }
  return listing.result(isLlms ? 'llms.txt' : 'page', root);
}

function parseSitemap({ url, headers, body }: Fetched): Sitemap | undefined {
  const mustBe = /\.(?:xml|gz)$/i.test(url.pathname);
  const mayBe =
    /\.txt$/i.test(url.pathname) || /^[^;]*(?:\/|(?<!xhtml)\+)xml\b/i.test(headers['content-type'] ?? '');
  if (!mustBe && !mayBe) return undefined;
  const read = readSitemap(gunzipIfNeeded(body).toString('utf8'));
  if (read === undefined && mustBe)
    throw new PageError('skipped', 'not a sitemap: neither urlset nor sitemapindex');
  return read;
}

class ListedPages {
  private readonly pages = new Map<string, URL>();
  private readonly skipped = new Map<string, UnreadUrl>();
  private readonly missing: UnreadUrl[] = [];

  constructor(
    private readonly hosts: readonly string[],
    private readonly options: ListingOptions,
  ) {}

  readonly isTaken = (host: string): boolean => this.hosts.includes(host);

  add(text: string, base: URL): void {
    if (text.startsWith('#')) return;
    const url = pageAddress(text, base);
    if (url === undefined) {
      if (!/^(?:mailto|tel|javascript):/i.test(text))
        this.skip(text.slice(0, 200), 'not the address of a page');
      return;
    }
    if (url.href === base.href || this.pages.has(url.href)) return;
    if (!this.isTaken(url.host)) this.skip(url.href, `on ${url.host}; --also ${url.host} takes its pages`);
    else if (!url.pathname.startsWith(this.options.under ?? '/')) return;
    else if (this.pages.size < this.options.maxPages) this.pages.set(url.href, url);
    else if (this.missing.every(({ url: known }) => known !== base.href))
      this.miss(base.href, `more than ${this.options.maxPages} pages; --max-pages takes more`);
  }

  skip(url: string, reason: string): void {
    this.skipped.set(url, { url, reason });
  }

  miss(url: string, reason: string): void {
    this.missing.push({ url, reason });
  }

  result(kind: RemoteKind, root?: Fetched): Listing {
    return {
      kind,
      hosts: this.hosts,
      ...(root && { root }),
      pages: [...this.pages.values()],
      skipped: [...this.skipped.values()],
      missing: this.missing,
      isTaken: this.isTaken,
    };
  }
}

class SitemapReader {
  private readonly seen = new Set<string>();

  constructor(
    private readonly fetcher: Fetcher,
    private readonly listing: ListedPages,
  ) {}

  async read(url: URL, { locations, isIndex }: Sitemap, depth: number): Promise<void> {
    this.seen.add(url.href);
    for (const location of locations) {
      if (isIndex) await this.follow(location, url, depth);
      else this.listing.add(location, url);
    }
  }

  private async follow(location: string, base: URL, depth: number): Promise<void> {
    const url = pageAddress(location, base);
    if (url === undefined || !this.listing.isTaken(url.host)) {
      this.listing.skip(
        location.slice(0, 200),
        url ? `on ${url.host}; --also ${url.host} takes it` : 'not the address of a sitemap',
      );
      return;
    }
    if (this.seen.has(url.href)) return;
    this.seen.add(url.href);
    if (depth >= SITEMAPS.depth || this.seen.size > SITEMAPS.files) {
      const bound =
        depth >= SITEMAPS.depth
          ? `sitemaps nest deeper than ${SITEMAPS.depth}`
          : `more than ${SITEMAPS.files} sitemaps`;
      this.listing.miss(url.href, bound);
      return;
    }
    try {
      const { isTaken } = this.listing;
      const fetched = await this.fetcher.fetch(url, { mostBytes: BOUNDS.listingBytes, isTaken });
      const sitemap = readSitemap(gunzipIfNeeded(fetched.body).toString('utf8'));
      if (sitemap === undefined)
        throw new PageError('failed', 'not a sitemap: neither urlset nor sitemapindex');
      await this.read(fetched.url, sitemap, depth + 1);
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      this.listing.miss(url.href, error.message);
    }
  }
}
