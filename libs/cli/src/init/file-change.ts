import { lstat, mkdir, readFile, realpath, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, posix } from 'node:path';
import { errorCode } from '../errors.js';
import { FilesChangedError, FilesNotRestoredError, NotUtf8Error, OutsideProjectError } from './errors.js';
import { diffLines, formatHunks, splitLines } from './line-diff.js';

export interface FileChange {
  /** Relative to the project, with `/`. */
  readonly path: string;
  /** `undefined` if the file does not exist. */
  readonly before: string | undefined;
  /** `undefined` to delete the file. */
  readonly after: string | undefined;
}

/** Formats changes like `diff -u`. The lines around a change of `.env` may be secrets, so they are left out. */
export function formatChanges(changes: readonly FileChange[]): string {
  return changes
    .map(({ path, before, after }) => {
      const lines = splitLines(before ?? '');
      const verb = before === undefined ? 'new file' : after === undefined ? 'deleted' : 'changed';
      const contextLines = posix.basename(path).startsWith('.env') ? 0 : undefined;
      const hunks = formatHunks(lines, diffLines(lines, splitLines(after ?? '')), contextLines);
      return `--- ${path} (${verb})\n${hunks}\n`;
    })
    .join('\n');
}

/**
 * Writes all changes, or none of them.
 *
 * @throws OutsideProjectError for a path outside of the folder, or behind a symbolic link
 * @throws FilesChangedError if a file is not as it was when the change was planned
 * @throws FilesNotRestoredError if a change failed, and so did the restoration of earlier ones
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
    const failed = await restore(folder, written.reverse());
    throw failed.length > 0 ? new FilesNotRestoredError(failed, { cause: error }) : error;
  }
}

/** @throws NotUtf8Error */
export async function readIfThere(path: string): Promise<string | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new NotUtf8Error(path, { cause });
  }
}

/** Returns the paths of files that are not as they were. */
async function restore(folder: string, changes: readonly FileChange[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { path, before } of changes) {
    try {
      await writeOrDelete(folder, path, before).catch(() => undefined);
      if ((await readIfThere(join(folder, path))) !== before) failed.push(path);
    } catch {
      failed.push(path);
    }
  }
  return failed;
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

/** @throws OutsideProjectError */
export async function checkInside(folder: string, path: string): Promise<void> {
  if (isAbsolute(path) || path.split(/[\\/]/).includes('..')) throw new OutsideProjectError(path);
  const root = await realpath(folder);
  for (let at = path; at !== '.'; at = dirname(at)) {
    const entry = await lstat(join(root, at)).catch(() => undefined);
    if (entry?.isSymbolicLink()) throw new OutsideProjectError(at);
  }
}
