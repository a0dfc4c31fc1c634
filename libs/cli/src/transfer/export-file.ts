import { type FileHandle, open } from 'node:fs/promises';
import { errorCode, FileUnwritableError, UsageError } from '../errors.js';

export interface ExportFile {
  /** Where to resume; absent: from the start. */
  readonly cursor?: string;
  write(bytes: Uint8Array): Promise<void>;
  /** Flushes to disk. */
  close(): Promise<void>;
}

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Creates the file, readable by its owner only. `resume` keeps its content up to the last line with a cursor.
 *
 * @throws UsageError when it exists, and neither `resume` nor `force` is set
 * @throws FileUnwritableError
 */
export async function openExportFile(
  path: string,
  { resume, force }: { resume?: true; force?: true },
): Promise<ExportFile> {
  try {
    const handle = await openFor(path, resume === true, force === true);
    try {
      const kept = resume ? await findLastCursor(handle) : undefined;
      await handle.truncate(kept?.end ?? 0);
      return writing(path, handle, kept);
    } catch (error) {
      await handle.close();
      throw error;
    }
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') {
      throw new UsageError(`${path} exists. Continue it with --resume, or overwrite it with --force.`);
    }
    throw new FileUnwritableError(path, { cause });
  }
}

async function openFor(path: string, isResumed: boolean, isForced: boolean): Promise<FileHandle> {
  if (!isResumed) return open(path, isForced ? 'w' : 'wx', 0o600);
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return open(path, 'wx+', 0o600);
  }
}

function writing(path: string, handle: FileHandle, kept: LastCursor | undefined): ExportFile {
  let at = kept?.end ?? 0;
  return {
    ...(kept && { cursor: kept.cursor }),
    async write(bytes) {
      try {
        for (let from = 0; from < bytes.length;) {
          const { bytesWritten } = await handle.write(bytes, from, bytes.length - from, at);
          from += bytesWritten;
          at += bytesWritten;
        }
      } catch (cause) {
        throw new FileUnwritableError(path, { cause });
      }
    },
    async close() {
      await handle.sync();
      await handle.close();
    },
  };
}

interface LastCursor {
  cursor: string;
  /** Byte offset of the next line. */
  end: number;
}

/** Reads backwards from the end: the lines after the last cursor are part of one trace, which may be large. */
async function findLastCursor(handle: FileHandle): Promise<LastCursor | undefined> {
  const { size } = await handle.stat();
  let end = size;
  let later: Buffer[] = [];
  let isWhole = false;
  for (let from = size; from > 0;) {
    const length = Math.min(BLOCK_BYTES, from);
    from -= length;
    const block = Buffer.alloc(length);
    await handle.read(block, 0, length, from);
    let tail = block;
    for (let at = tail.lastIndexOf(NEWLINE); at !== -1; at = tail.lastIndexOf(NEWLINE)) {
      const line = Buffer.concat([tail.subarray(at + 1), ...later]);
      const cursor = isWhole ? parseCursor(line) : undefined;
      if (cursor !== undefined) return { cursor, end };
      [tail, later, isWhole, end] = [tail.subarray(0, at), [], true, from + at + 1];
    }
    later = [tail, ...later];
  }
  const cursor = isWhole ? parseCursor(Buffer.concat(later)) : undefined;
  return cursor === undefined ? undefined : { cursor, end };
}

/** Only the last record of a trace ends like this; the others end with two brackets. */
const ENDS_WITH_CURSOR = /"cursor":"[\w-]+"\}$/;
const LONGEST_END = 20_000;

function parseCursor(line: Buffer): string | undefined {
  if (!ENDS_WITH_CURSOR.test(line.subarray(-LONGEST_END).toString('utf8'))) return undefined;
  try {
    const { trace, cursor } = JSON.parse(line.toString('utf8')) as { trace?: unknown; cursor?: unknown };
    return trace !== undefined && typeof cursor === 'string' ? cursor : undefined;
  } catch {
    return undefined;
  }
}
