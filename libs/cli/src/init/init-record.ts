import { isJsonObject } from '@dacapo/protocol';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { FilesChangedError, NothingToUndoError } from './errors.js';
import { checkInside, type FileChange, readIfThere } from './file-change.js';
import { diffLines, type Hunk, revertHunks, splitLines } from './line-diff.js';

/** Where `init` notes what it did, so that it can undo it. The folder is in .gitignore. */
const RECORD_PATH = '.dacapo/init.json';

/** One change that was made. Only lines that it removed are stored, so no copy of a secret remains. */
interface RecordedChange {
  readonly path: string;
  readonly hash: string;
  /** `undefined`: the file was created. */
  readonly hunks?: readonly Hunk[];
}

interface InitRecord {
  readonly format: 1;
  /** Oldest first. */
  readonly changes: readonly RecordedChange[];
}

const hashText = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The change of the record that goes with these changes. */
export async function recordChanges(folder: string, changes: readonly FileChange[]): Promise<FileChange> {
  const before = await readIfThere(join(folder, RECORD_PATH));
  const earlier = before === undefined ? [] : parseRecord(before).changes;
  const made = changes.map(({ path, before: old, after = '' }): RecordedChange => {
    const hash = hashText(after);
    return old === undefined
      ? { path, hash }
      : { path, hash, hunks: diffLines(splitLines(old), splitLines(after)) };
  });
  const record: InitRecord = { format: 1, changes: [...earlier, ...made] };
  return { path: RECORD_PATH, before, after: `${JSON.stringify(record)}\n` };
}

/** The reverse of everything that `init` did in a folder. */
interface UndoPlan {
  readonly changes: readonly FileChange[];
  /** Deletes the record. */
  readonly record: FileChange;
  /** Paths of files that stay, because `.env` was edited since: it may have a key, and .gitignore keeps that out of git. */
  readonly kept: readonly string[];
}

/**
 * @throws NothingToUndoError without a record
 * @throws OutsideProjectError for a path outside of the folder, or behind a symbolic link
 * @throws FilesChangedError if a file other than `.env` was edited since
 */
export async function planUndo(folder: string): Promise<UndoPlan> {
  const text = await readIfThere(join(folder, RECORD_PATH));
  if (text === undefined) throw new NothingToUndoError(RECORD_PATH);
  const paths = new Map<string, { before: string | undefined; after: string | undefined }>();
  const changed = new Set<string>();
  for (const { path, hash, hunks } of parseRecord(text).changes.toReversed()) {
    await checkInside(folder, path);
    const before = paths.has(path) ? paths.get(path)?.before : await readIfThere(join(folder, path));
    const now = paths.has(path) ? paths.get(path)?.after : before;
    if (now === undefined && path === '.env') continue;
    if (now === undefined || hashText(now) !== hash) changed.add(path);
    else paths.set(path, { before, after: hunks && revertHunks(now, hunks) });
  }
  const kept = changed.has('.env')
    ? ['.env', '.gitignore'].filter((path) => [changed.delete(path), paths.delete(path)].includes(true))
    : [];
  if (changed.size > 0) throw new FilesChangedError([...changed], '`dacapo init` edited them');
  const changes = [...paths].map(([path, { before, after }]): FileChange => ({ path, before, after }));
  return { changes, record: { path: RECORD_PATH, before: text, after: undefined }, kept };
}

function parseRecord(text: string): InitRecord {
  try {
    const json: unknown = JSON.parse(text);
    if (!isJsonObject(json) || json['format'] !== 1 || !Array.isArray(json['changes']))
      throw new Error('not a record of this version');
    return { format: 1, changes: json['changes'].map(parseChange) };
  } catch (cause) {
    throw new NothingToUndoError(RECORD_PATH, { cause });
  }
}

function parseChange(json: unknown): RecordedChange {
  if (!isJsonObject(json) || typeof json['path'] !== 'string' || typeof json['hash'] !== 'string')
    throw new Error('a change is incomplete');
  const { path, hash, hunks } = json;
  if (hunks === undefined) return { path, hash };
  if (!Array.isArray(hunks)) throw new Error('a change is incomplete');
  return { path, hash, hunks: hunks.map(parseHunk) };
}

function parseHunk(json: unknown): Hunk {
  const isLines = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((line) => typeof line === 'string');
  if (!isJsonObject(json)) throw new Error('a hunk is incomplete');
  const { beforeAt, removed, afterAt, added } = json;
  if (typeof beforeAt !== 'number' || typeof afterAt !== 'number' || !isLines(removed) || !isLines(added))
    throw new Error('a hunk is incomplete');
  return { beforeAt, removed, afterAt, added };
}
