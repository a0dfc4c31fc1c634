import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join, posix, sep } from 'node:path';
import type { DocumentType } from '@dacapo/protocol';
import { PathUnreadableError, reasonOf } from '../errors.js';

const DOCUMENT_TYPE_BY_EXTENSION = new Map<string, DocumentType>([
  ['.md', 'text/markdown'],
  ['.mdx', 'text/markdown'],
  ['.html', 'text/html'],
  ['.htm', 'text/html'],
  ['.txt', 'text/plain'],
  ['.rst', 'text/x-rst'],
  ['.adoc', 'text/asciidoc'],
  ['.asciidoc', 'text/asciidoc'],
  ['.json', 'application/json'],
  ['.yaml', 'application/yaml'],
  ['.yml', 'application/yaml'],
]);

/** `.d.mts` and `.d.cts` say the same again. */
const DECLARATIONS = /\.d\.ts$/;

export interface DocumentFile {
  readonly path: string;
  /** Its path below the folder that was named, with `/`: what the index shows as its source. */
  readonly source: string;
  readonly contentType: DocumentType;
}

export interface SkippedFile {
  readonly path: string;
  readonly reason: string;
}

export interface FoundFiles {
  readonly files: DocumentFile[];
  readonly skipped: SkippedFile[];
}

/**
 * The files that can become documents, in a stable order. Dot files, dot folders and `node_modules` are passed over
 * without a word; symbolic links are not followed.
 *
 * @throws PathUnreadableError when the path itself cannot be read
 */
export async function findDocuments(path: string): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], skipped: [] };
  try {
    if ((await stat(path)).isDirectory()) await walk(path, '', found);
    else take(path, basename(path), found);
  } catch (cause) {
    throw new PathUnreadableError(path, { cause });
  }
  return found;
}

async function walk(root: string, below: string, found: FoundFiles): Promise<void> {
  const entries = await readdir(join(root, below), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
    const inner = join(below, entry.name);
    if (entry.isDirectory()) await walkOrSkip(root, inner, found);
    else if (entry.isFile()) take(join(root, inner), inner, found);
    else found.skipped.push({ path: toSource(inner), reason: 'not a regular file' });
  }
}

async function walkOrSkip(root: string, below: string, found: FoundFiles): Promise<void> {
  try {
    await walk(root, below, found);
  } catch (error) {
    found.skipped.push({ path: toSource(below), reason: `cannot be read (${reasonOf(error)})` });
  }
}

function take(path: string, below: string, { files, skipped }: FoundFiles): void {
  const contentType = documentTypeOf(below);
  const source = toSource(below);
  if (contentType) files.push({ path, source, contentType });
  else skipped.push({ path: source, reason: 'no kind of document that is known' });
}

/** What a name says of the document; `undefined` when it can become none. */
export function documentTypeOf(path: string): DocumentType | undefined {
  if (DECLARATIONS.test(path)) return 'text/typescript';
  return DOCUMENT_TYPE_BY_EXTENSION.get(extname(path).toLowerCase());
}

function toSource(path: string): string {
  return path.split(sep).join(posix.sep);
}
