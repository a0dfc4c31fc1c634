import type { RemoteKind } from '@dacapo/protocol';
import { pageAddress } from './address.js';
import { BOUNDS, type Fetched, type Fetcher } from './fetcher.js';
import { textOf } from './page-content.js';
import { PageError } from './page-error.js';
import { readSitemap, type Sitemap, unpacked } from './sitemap.js';

/** An address that gives no document, and why. */
export interface LeftOut {
  readonly url: string;
  readonly reason: string;
}

export interface Listing {
  readonly kind: RemoteKind;
  /** What the address itself gave, where that is a document: a page, an `llms.txt`. */
  readonly root?: Fetched;
  readonly pages: readonly URL[];
  readonly skipped: readonly LeftOut[];
  /** What was not seen of the listing: nothing may be removed because it is not in it. */
  readonly missing: readonly LeftOut[];
  /** Whose pages are taken. */
  readonly hosts: readonly string[];
  readonly isTaken: (host: string) => boolean;
}

export interface ListingOptions {
  /** Hosts beside that of the address. */
  readonly also: readonly string[];
  /** What the path of a page begins with. */
  readonly under?: string;
  readonly maxPages: number;
  /** Whether the address may redirect to a host that nobody has named: the first time, when someone looks. */
  readonly mayMove: boolean;
}

const SITEMAPS = { depth: 3, files: 500 } as const;
/** Bounded, so that a file of brackets does not take long. */
const MARKDOWN_LINK =
  /\[[^\]\n]{0,500}\]\(\s{0,9}<?([^\s<>()]{1,2100}(?:\([^\s<>()]{0,500}\)[^\s<>()]{0,500})?)/g;

/**
 * The pages that an address stands for: those of a sitemap, those that an `llms.txt` links to, or the one page that it is.
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
  const sitemap = isLlms ? undefined : sitemapOf(root);
  if (sitemap) {
    await new SitemapReader(fetcher, listing).read(root.url, sitemap, 1);
    return listing.result('sitemap');
  }
  if (root.body.length > BOUNDS.pageBytes)
    throw new PageError('skipped', `larger than ${BOUNDS.pageBytes / 1024 / 1024} MiB`);
  if (isLlms) {
    const text = textOf(root.body, root.headers['content-type'], 'text/markdown');
    if (/^\s*<(?:!doctype|html)/i.test(text))
      throw new PageError('skipped', 'it answered with a page, not with an llms.txt');
    for (const [, target = ''] of text.matchAll(MARKDOWN_LINK)) listing.add(target, root.url);
  }
  return listing.result(isLlms ? 'llms.txt' : 'page', root);
}

function sitemapOf({ url, headers, body }: Fetched): Sitemap | undefined {
  const mustBe = /\.(?:xml|gz)$/i.test(url.pathname);
  const mayBe =
    /\.txt$/i.test(url.pathname) || /^[^;]*(?:\/|(?<!xhtml)\+)xml\b/i.test(headers['content-type'] ?? '');
  if (!mustBe && !mayBe) return undefined;
  const read = readSitemap(unpacked(body).toString('utf8'));
  if (read === undefined && mustBe)
    throw new PageError('skipped', 'no sitemap: neither urlset nor sitemapindex');
  return read;
}

class ListedPages {
  private readonly pages = new Map<string, URL>();
  private readonly skipped = new Map<string, LeftOut>();
  private readonly missing: LeftOut[] = [];

  constructor(
    private readonly hosts: readonly string[],
    private readonly options: ListingOptions,
  ) {}

  readonly isTaken = (host: string): boolean => this.hosts.includes(host);

  add(text: string, base: URL): void {
    if (text.startsWith('#')) return;
    const url = pageAddress(text, base);
    if (url === undefined) {
      if (!/^(?:mailto|tel|javascript):/i.test(text)) this.skip(text.slice(0, 200), 'no address of a page');
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
        url ? `on ${url.host}; --also ${url.host} takes it` : 'no address of a sitemap',
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
      const sitemap = readSitemap(unpacked(fetched.body).toString('utf8'));
      if (sitemap === undefined) throw new PageError('failed', 'no sitemap: neither urlset nor sitemapindex');
      await this.read(fetched.url, sitemap, depth + 1);
    } catch (error) {
      if (!(error instanceof PageError)) throw error;
      this.listing.miss(url.href, error.message);
    }
  }
}
