import { DOCUMENT_TYPES, type DocumentType } from '@dacapo/protocol';
import { Parser } from 'htmlparser2';
import { codeOf } from '../../errors.js';
import { documentTypeOf } from '../find-documents.js';
import { pageAddress } from './address.js';
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

/** What says nothing of the kind: the name of the page decides. */
const UNSPECIFIC = new Set(['', 'text/plain', 'application/octet-stream', 'binary/octet-stream']);

/** Where `head` ends, at the latest. */
const HEAD_CHARACTERS = 256 * 1024;

export interface PageContent {
  readonly content: string;
  readonly contentType: DocumentType;
}

/** @throws PageError `skipped` when it is no kind of document, or no text */
export function contentOf({ url, headers, body }: Fetched): PageContent {
  const [, mime = ''] = /^\s*([^;\s]*)/.exec(headers['content-type'] ?? '') ?? [];
  const contentType = typeOf(mime.toLowerCase(), url.pathname);
  if (contentType === undefined)
    throw new PageError('skipped', `${mime || 'it'} is no kind of document that is known`);
  const content = textOf(body, headers['content-type'], contentType);
  if (content.trim() === '') throw new PageError('skipped', 'empty');
  return { content, contentType };
}

function typeOf(mime: string, path: string): DocumentType | undefined {
  const byName = documentTypeOf(path);
  if (UNSPECIFIC.has(mime)) return byName ?? (mime === 'text/plain' ? 'text/plain' : undefined);
  return OTHER_NAMES.get(mime) ?? DOCUMENT_TYPES.find((known) => known === mime);
}

/** A byte order mark wins over the header, the header over what the page says itself. @throws PageError */
export function textOf(body: Buffer, header: string | undefined, contentType: DocumentType): string {
  const label =
    markOf(body) ?? charsetIn(header) ?? (contentType === 'text/html' ? declaredIn(body) : undefined);
  try {
    return new TextDecoder(label ?? 'utf-8', { fatal: true }).decode(body);
  } catch (error) {
    if (codeOf(error) === 'ERR_ENCODING_NOT_SUPPORTED')
      throw new PageError('skipped', `charset ${label ?? ''} is not known`);
    // What browsers do with old pages that do not say.
    if (label === undefined && contentType === 'text/html')
      return new TextDecoder('windows-1252').decode(body);
    throw new PageError('skipped', `not ${label?.toUpperCase() ?? 'UTF-8'} text`);
  }
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 'utf-8' : undefined;
}

function charsetIn(header = ''): string | undefined {
  return /;\s*charset\s*=\s*["']?([^"';\s]+)/i.exec(header)?.[1];
}

function declaredIn(body: Buffer): string | undefined {
  const label = /<meta[^>]{1,200}?charset\s*=\s*["']?([\w-]+)/i.exec(body.toString('latin1', 0, 1024))?.[1];
  // It was read as ASCII, so it cannot be that.
  return label?.toLowerCase().startsWith('utf-16') === true ? 'utf-8' : label;
}

/** What a page says of itself for those who index it. */
export interface PageDirectives {
  readonly isNoIndex: boolean;
  /** The address it would be known by. */
  readonly canonical?: URL;
}

export function directivesOf(
  { url, headers }: Pick<Fetched, 'url' | 'headers'>,
  page: PageContent,
): PageDirectives {
  const isHtml = page.contentType === 'text/html';
  const head = isHtml ? headOf(page.content) : { robots: [] };
  const link = [headers.link ?? []].flat().join(', ');
  const named = head.canonical ?? /<([^>]*)>\s*;[^,]*\brel\s*=\s*"?canonical\b/i.exec(link)?.[1];
  const canonical = named === undefined ? undefined : pageAddress(named, url);
  return {
    isNoIndex: head.robots.some(saysNoIndex) || [headers['x-robots-tag'] ?? []].flat().some(isForUsNoIndex),
    ...(canonical && { canonical }),
  };
}

function headOf(html: string): { robots: string[]; canonical?: string } {
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

function saysNoIndex(directives: string): boolean {
  return directives.split(',').some((directive) => /^\s*(?:noindex|none)\s*$/i.test(directive));
}

/** `noindex`, `dacapo: noindex`; `otherbot: noindex, nofollow` is for another until the next name. */
function isForUsNoIndex(header: string): boolean {
  let isForUs = true;
  for (const directive of header.split(',')) {
    const [, agent, rest] = /^\s*([\w-]+)\s*:\s*(.*)$/.exec(directive) ?? [];
    if (agent !== undefined && !/^(?:unavailable_after|max-.*)$/i.test(agent))
      isForUs = /^dacapo$/i.test(agent);
    if (isForUs && saysNoIndex(rest ?? directive)) return true;
  }
  return false;
}
