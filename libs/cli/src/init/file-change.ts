import { lstat, mkdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { errorCode } from '../errors.js';
import { FilesChangedError, OutsideProjectError } from './errors.js';
import { diffLines, formatHunks, splitLines } from './line-diff.js';

export interface FileChange {
  /** Relative to the project, with `/`. */
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly before: string | undefined;
  /** `undefined` to delete the file. */
  readonly after: string | undefined;
}

/** Formats changes like `diff -u`. */
export function formatChanges(changes: readonly FileChange[]): string {
  return changes
    .map(({ path, before, after }) => {
      const lines = splitLines(before ?? '');
      const verb = before === undefined ? 'new file' : after === undefined ? 'deleted' : 'changed';
      return `--- ${path} (${verb})\n${formatHunks(lines, diffLines(lines, splitLines(after ?? '')))}\n`;
    })
    .join('\n');
}

/**
 * Writes all changes, or none of them.
 *
 * @throws OutsideProjectError for a path behind a symbolic link
 * @throws FilesChangedError if a file is not as it was when the change was planned
 */
export async function writeChanges(folder: string, changes: readonly FileChange[]): Promise<void> {
  for (const { path } of changes) await checkInside(folder, path);
  const stale: string[] = [];
  for (const { path, before } of changes)
    if ((await readIfThere(join(folder, path))) !== before) stale.push(path);
  if (stale.length > 0) throw new FilesChangedError(stale, 'the command read them');
  const written: FileChange[] = [];
  try {
    for (const change of changes) {
      written.push(change);
      await writeOrDelete(folder, change.path, change.after);
    }
  } catch (error) {
    for (const { path, before } of written.reverse()) await writeOrDelete(folder, path, before);
    throw error;
  }
}

export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeOrDelete(folder: string, path: string, text: string | undefined): Promise<void> {
  const target = join(folder, path);
  if (text !== undefined) {
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
    return;
  }
  await rm(target, { force: true });
  for (let above = dirname(path); above !== '.'; above = dirname(above))
    if (!(await removeEmpty(join(folder, above)))) return;
}

async function removeEmpty(folder: string): Promise<boolean> {
  try {
    await rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

async function checkInside(folder: string, path: string): Promise<void> {
  const root = await realpath(folder);
  for (let at = path; at !== '.'; at = dirname(at)) {
    const entry = await lstat(join(root, at)).catch(() => undefined);
    if (entry?.isSymbolicLink()) throw new OutsideProjectError(at);
  }
  if (!join(root, path).startsWith(root.endsWith(sep) ? root : root + sep))
    throw new OutsideProjectError(path);
}
