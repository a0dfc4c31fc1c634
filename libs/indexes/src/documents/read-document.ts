import type { DocumentUpload } from '@dacapo/protocol';
import { createHash } from 'node:crypto';
import { parse } from 'yaml';
import type { IndexedDocument, Section } from '../sections.js';
import type { Part, ReadText } from './part.js';
import { readAsciiDoc } from './read-asciidoc.js';
import { readDeclarations } from './read-declarations.js';
import { readHtml } from './read-html.js';
import { readMarkdown } from './read-markdown.js';
import { isOpenApi, readOpenApi } from './read-openapi.js';
import { readRst, readText } from './read-text.js';
import { splitContent } from './split-content.js';
import { UnreadableDocumentError } from './unreadable-document-error.js';

/** Increased with each change of the result, so that documents that are sent again are read again. */
export const READER_VERSION = 4;
const MAX_SECTIONS = 20_000;
const MAX_TITLE_LENGTH = 300;

/**
 * Splits an upload into sections by headings, operations or symbols, and splits long ones again.
 *
 * @throws UnreadableDocumentError
 */
export async function readDocument(upload: DocumentUpload): Promise<IndexedDocument> {
  const read = await readUpload(upload);
  const title = (upload.title ?? read.title ?? upload.source).slice(0, MAX_TITLE_LENGTH);
  const sections = read.parts.flatMap((part) => toSections(title, part));
  if (sections.length === 0) throw new UnreadableDocumentError('it has no text');
  if (sections.length > MAX_SECTIONS) {
    throw new UnreadableDocumentError(`more than ${MAX_SECTIONS} sections`);
  }
  return { source: upload.source, title, hash: hashUpload(upload), sections };
}

function readUpload({ content, content_type: type, source }: DocumentUpload): ReadText | Promise<ReadText> {
  switch (type) {
    case 'text/markdown':
      return readMarkdown(content);
    case 'text/html':
      return readHtml(content);
    case 'text/plain':
      return readText(content, source);
    case 'text/x-rst':
      return readRst(content);
    case 'text/asciidoc':
      return readAsciiDoc(content);
    case 'text/typescript':
      return readDeclarations(content);
    case 'application/json':
    case 'application/yaml': {
      const description = parseDescription(content, type);
      if (!isOpenApi(description)) throw new UnreadableDocumentError('not an OpenAPI 3 description');
      return readOpenApi(description);
    }
  }
}

function parseDescription(content: string, type: 'application/json' | 'application/yaml'): unknown {
  try {
    if (type === 'application/json') return JSON.parse(content);
    return parse(content, { logLevel: 'error', maxAliasCount: 100 });
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    throw new UnreadableDocumentError(`not ${type === 'application/json' ? 'JSON' : 'YAML'}: ${problem}`);
  }
}

function toSections(title: string, { headings, content, anchor, line }: Part): Section[] {
  return splitContent(content).map(({ text, linesBefore }) => ({
    title: titlePath(title, headings),
    content: text,
    ...(anchor !== undefined && { anchor }),
    ...(line !== undefined && { line: line + linesBefore }),
  }));
}

/** `Guide › Install › On Linux`. Does not repeat the document's title. */
function titlePath(title: string, headings: readonly string[]): string {
  return [title, ...(headings[0] === title ? headings.slice(1) : headings)].join(' › ');
}

function hashUpload({ title, content, content_type: type }: DocumentUpload): Uint8Array {
  return createHash('sha256')
    .update(JSON.stringify([READER_VERSION, type, title ?? null, content]))
    .digest();
}
