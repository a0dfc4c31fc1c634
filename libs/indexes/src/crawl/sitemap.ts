import { gunzipSync } from 'node:zlib';
import { Parser } from 'htmlparser2';
import { BOUNDS } from './fetcher.js';
import { PageError } from './page-error.js';

export interface Sitemap {
  /** URLs of pages, or of sitemaps if it is an index. */
  readonly locations: readonly string[];
  readonly isIndex: boolean;
}

/** Checks the magic bytes: some servers send gzip without saying so. @throws PageError */
export function gunzipIfNeeded(body: Buffer): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return gunzipSync(body, { maxOutputLength: BOUNDS.listingBytes });
  } catch (cause) {
    throw new PageError('failed', 'a sitemap that is broken gzip, or larger than 50 MiB', { cause });
  }
}

/**
 * Reads an XML sitemap (sitemaps.org) or a list of URLs, one per line.
 *
 * @returns `undefined` when it is neither
 * @throws PageError `failed` when it is truncated, because unlisted pages may still exist
 */
export function readSitemap(text: string): Sitemap | undefined {
  const start = text.replace(/^\uFEFF/, '').trimStart();
  if (start.startsWith('<')) return readXml(start);
  const lines = start.split(/\r?\n/).flatMap((line) => line.trim() || []);
  const isList = lines.length > 0 && lines.every((line) => /^https?:\/\/\S+$/i.test(line));
  return isList ? { locations: lines, isIndex: false } : undefined;
}

function readXml(xml: string): Sitemap | undefined {
  const locations: string[] = [];
  const path: string[] = [];
  let rootName: string | undefined;
  let isClosed = false as boolean;
  let location: string | undefined;
  const parser = new Parser(
    {
      onopentag(name) {
        rootName ??= name;
        path.push(localName(name, rootName));
        if (isLocation(path)) location = '';
      },
      ontext(data) {
        if (location !== undefined) location += data;
      },
      onclosetag(_, isImplied) {
        if (location !== undefined && isLocation(path)) {
          locations.push(location.trim());
          location = undefined;
        }
        path.pop();
        if (path.length === 0) isClosed = !isImplied;
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  const root = localName(rootName ?? '', rootName ?? '');
  if (root !== 'urlset' && root !== 'sitemapindex') return undefined;
  if (!isClosed) throw new PageError('failed', 'a sitemap that ends early');
  return { locations, isIndex: root === 'sitemapindex' };
}

/** Removes the root's own prefix only, so that `image:loc` is not a `loc`. */
function localName(name: string, root: string): string {
  const prefix = /^[^:]+:/.exec(root)?.[0] ?? '';
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

function isLocation(path: readonly string[]): boolean {
  return path.length === 3 && path[2] === 'loc' && (path[1] === 'url' || path[1] === 'sitemap');
}
