import { type FileHandle, open } from 'node:fs/promises';
import { codeOf, FileUnwritableError, UsageError } from '../errors.js';

/** A file that an export is written to. */
export interface ExportFile {
  /** Where to go on; absent: from the beginning. */
  readonly cursor?: string;
  write(bytes: Uint8Array): Promise<void>;
  /** What was written is on the disk then. */
  close(): Promise<void>;
}

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 10;

/**
 * Makes the file, which others must not read. `resume` keeps what is in it, up to its last line with a cursor.
 *
 * @throws UsageError when it is there, and is neither to be overwritten nor gone on with
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
    if (codeOf(cause) === 'EEXIST') {
      throw new UsageError(
        `${path} is there already. Go on with it by --resume, or overwrite it by --force.`,
      );
    }
    throw new FileUnwritableError(path, { cause });
  }
}

async function openFor(path: string, isResumed: boolean, isForced: boolean): Promise<FileHandle> {
  if (!isResumed) return open(path, isForced ? 'w' : 'wx', 0o600);
  try {
    return await open(path, 'r+');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
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
  /** Where the line behind it begins. */
  end: number;
}

/** From the end of the file backwards: what comes behind is a part of one trace, which may be long. */
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
      const cursor = isWhole ? cursorOf(line) : undefined;
      if (cursor !== undefined) return { cursor, end };
      [tail, later, isWhole, end] = [tail.subarray(0, at), [], true, from + at + 1];
    }
    later = [tail, ...later];
  }
  const cursor = isWhole ? cursorOf(Buffer.concat(later)) : undefined;
  return cursor === undefined ? undefined : { cursor, end };
}

/** Only the last record of a trace ends so: of the others two brackets are the end. */
const ENDS_WITH_CURSOR = /"cursor":"[\w-]+"\}$/;
const LONGEST_END = 20_000;

function cursorOf(line: Buffer): string | undefined {
  if (!ENDS_WITH_CURSOR.test(line.subarray(-LONGEST_END).toString('utf8'))) return undefined;
  try {
    const { trace, cursor } = JSON.parse(line.toString('utf8')) as { trace?: unknown; cursor?: unknown };
    return trace !== undefined && typeof cursor === 'string' ? cursor : undefined;
  } catch {
    return undefined;
  }
}
