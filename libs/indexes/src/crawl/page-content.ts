import { DOCUMENT_TYPES, type DocumentType } from '@dacapo/protocol';
import { Parser } from 'htmlparser2';
import { pageAddress } from './address.js';
import { documentType } from './document-type.js';
import type { Fetched } from './fetcher.js';
import { PageError } from './page-error.js';

const OTHER_NAMES = new Map<string, DocumentType>([
  ['application/xhtml+xml', 'text/html'],
  ['text/x-markdown', 'text/markdown'],
  ['text/mdx', 'text/markdown'],
  ['application/vnd.oai.openapi+json', 'application/json'],
  ['application/openapi+json', 'application/json'],
  ['text/json', 'application/json'],
  ['application/vnd.oai.openapi', 'application/yaml'],
  ['application/vnd.oai.openapi+yaml', 'application/yaml'],
  ['application/openapi+yaml', 'application/yaml'],
  ['application/x-yaml', 'application/yaml'],
  ['text/yaml', 'application/yaml'],
  ['text/x-yaml', 'application/yaml'],
]);

/** For these types the file name decides. */
const UNSPECIFIC = new Set(['', 'text/plain', 'application/octet-stream', 'binary/octet-stream']);

/** Maximum length of the parsed `head`. */
const HEAD_CHARACTERS = 256 * 1024;

export interface PageContent {
  readonly content: string;
  readonly contentType: DocumentType;
}

/** @throws PageError `skipped` when it is not text of a known document type */
export function readContent({ url, headers, body }: Fetched): PageContent {
  const [, mime = ''] = /^\s*([^;\s]*)/.exec(headers['content-type'] ?? '') ?? [];
  const contentType = findContentType(mime.toLowerCase(), url.pathname);
  if (contentType === undefined)
    throw new PageError('skipped', `${mime || 'it'} is not a supported document type`);
  const content = decodeText(body, headers['content-type'], contentType);
  if (content.trim() === '') throw new PageError('skipped', 'empty');
  return { content, contentType };
}

function findContentType(mime: string, path: string): DocumentType | undefined {
  const byName = documentType(path);
  if (UNSPECIFIC.has(mime)) return byName ?? (mime === 'text/plain' ? 'text/plain' : undefined);
  return OTHER_NAMES.get(mime) ?? DOCUMENT_TYPES.find((known) => known === mime);
}

/** A byte order mark overrides the header, which overrides the page's `meta` element. @throws PageError */
export function decodeText(body: Buffer, header: string | undefined, contentType: DocumentType): string {
  const label =
    detectByteOrderMark(body) ??
    parseCharset(header) ??
    (contentType === 'text/html' ? findDeclaredCharset(body) : undefined);
  try {
    return new TextDecoder(label ?? 'utf-8', { fatal: true }).decode(body);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_ENCODING_NOT_SUPPORTED')
      throw new PageError('skipped', `charset ${label ?? ''} is not supported`);
    // Browsers' fallback for old pages without a charset.
    if (label === undefined && contentType === 'text/html')
      return new TextDecoder('windows-1252').decode(body);
    throw new PageError('skipped', `not ${label?.toUpperCase() ?? 'UTF-8'} text`);
  }
}

function detectByteOrderMark(body: Buffer): string | undefined {
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 'utf-8' : undefined;
}

function parseCharset(header = ''): string | undefined {
  return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(header)?.[1];
}

function findDeclaredCharset(body: Buffer): string | undefined {
  const label = /<meta[^>]{1,200}?charset\s*=\s*["']?([\w-]+)/i.exec(body.toString('latin1', 0, 1024))?.[1];
  // The declaration was read as ASCII, so it cannot be UTF-16.
  return label?.toLowerCase().startsWith('utf-16') === true ? 'utf-8' : label;
}

/** What a page says to indexers. */
export interface PageDirectives {
  readonly isNoIndex: boolean;
  /** Its preferred URL. */
  readonly canonical?: URL;
}

export function readDirectives(
  { url, headers }: Pick<Fetched, 'url' | 'headers'>,
  page: PageContent,
): PageDirectives {
  const isHtml = page.contentType === 'text/html';
  const head = isHtml ? parseHead(page.content) : { robots: [] };
  const link = [headers.link ?? []].flat().join(', ');
  const named = head.canonical ?? /<([^>]*)>\s*;[^,]*\brel\s*=\s*"?canonical\b/i.exec(link)?.[1];
  const canonical = named === undefined ? undefined : pageAddress(named, url);
  return {
    isNoIndex:
      head.robots.some(hasNoIndex) || [headers['x-robots-tag'] ?? []].flat().some(headerForbidsIndexing),
    ...(canonical && { canonical }),
  };
}

function parseHead(html: string): { robots: string[]; canonical?: string } {
  const robots: string[] = [];
  let canonical: string | undefined;
  const end = html.search(/<body[\s>]/i);
  const parser = new Parser({
    onopentag(name, { name: about = '', content = '', rel = '', href }) {
      if (name === 'meta' && /^(?:robots|dacapo)$/i.test(about)) robots.push(content);
      if (name === 'link' && /(?:^|\s)canonical(?:\s|$)/i.test(rel)) canonical ??= href;
    },
  });
  parser.end(html.slice(0, end < 0 ? HEAD_CHARACTERS : Math.min(end, HEAD_CHARACTERS)));
  return { robots, ...(canonical !== undefined && { canonical }) };
}

function hasNoIndex(directives: string): boolean {
  return directives.split(',').some((directive) => /^\s*(?:noindex|none)\s*$/i.test(directive));
}

/** Such as `noindex` or `dacapo: noindex`. A name such as `otherbot:` applies until the next name. */
function headerForbidsIndexing(header: string): boolean {
  let isForUs = true;
  for (const directive of header.split(',')) {
    const [, agent, rest] = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(directive) ?? [];
    if (agent !== undefined && !/^(?:unavailable_after|max-.*)$/i.test(agent))
      isForUs = /^dacapo$/i.test(agent);
    if (isForUs && hasNoIndex(rest ?? directive)) return true;
  }
  return false;
}
