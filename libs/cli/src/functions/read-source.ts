import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { NoBamlSourceError, PathUnreadableError } from '../errors.js';

/**
 * The BAML source under a path: a file, or all `.baml` files of a folder and its folders, joined by path.
 *
 * @throws PathUnreadableError, NoBamlSourceError
 */
export async function readSource(path: string): Promise<string> {
  let sources: string[];
  try {
    const files = (await stat(path)).isDirectory() ? await bamlFilesOf(path) : [path];
    sources = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  } catch (cause) {
    throw new PathUnreadableError(path, { cause });
  }
  const source = sources.join('\n');
  if (source.trim() === '') throw new NoBamlSourceError(path);
  return source;
}

async function bamlFilesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.baml'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}
