import { readdir, stat } from 'node:fs/promises';
import { basename, join, posix, sep } from 'node:path';
import { documentType } from '@dacapo/indexes/crawl';
import type { DocumentType } from '@dacapo/protocol';
import { PathUnreadableError, describeCause } from '../errors.js';

export interface DocumentFile {
  readonly path: string;
  /** Path relative to the named folder, with `/`. The index shows it as the source. */
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
 * Finds files that can become documents, in a stable order. Dot files, dot folders and `node_modules` are silently skipped;
 * symbolic links are not followed.
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
    found.skipped.push({ path: toSource(below), reason: `cannot be read (${describeCause(error)})` });
  }
}

function take(path: string, below: string, { files, skipped }: FoundFiles): void {
  const contentType = documentType(below);
  const source = toSource(below);
  if (contentType) files.push({ path, source, contentType });
  else skipped.push({ path: source, reason: 'not a supported document type' });
}

function toSource(path: string): string {
  return path.split(sep).join(posix.sep);
}
