import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CassetteFileError } from '../errors.js';
import { type Cassette, type CassetteHeader, FORMAT } from './cassette.js';
import { toBlobFile, toBlobFolder } from './cassette-file.js';
import { type CassetteText, writeLines } from './cassette-lines.js';
import { hashRedactionRules, maskCalls } from './mask-calls.js';
import { readCassette } from './read-cassette.js';
import { type PlacedCall, toCassetteCalls } from './to-cassette-calls.js';
import { VERSION } from './version.js';

export interface NewCassette {
  readonly calls: readonly PlacedCall[];
  /** The trace that they come from, if a service stored it. */
  readonly traceId?: string | undefined;
}

/**
 * Masks recorded calls and writes them. A file with the same calls stays as it is, even if concurrent calls ended in another order.
 *
 * @returns whether the file changed
 * @throws CassetteFileError when another process keeps writing it
 */
export function writeCassette(file: string, { calls, traceId }: NewCassette): boolean {
  const masked = maskCalls(toCassetteCalls(calls));
  const header: CassetteHeader = {
    cassette: FORMAT,
    keys: [
      ...new Set(masked.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? '')),
    ].sort(),
    recorded_with: VERSION,
    redaction: hashRedactionRules(),
    ...(traceId !== undefined && { trace_id: traceId }),
  };
  const cassette = { header, calls: masked };
  mkdirSync(dirname(file), { recursive: true });
  const unlock = lock(file);
  try {
    const old = readOld(file);
    if (old !== undefined && isSame(old, cassette)) return false;
    writeFiles(file, writeLines(cassette));
    return true;
  } finally {
    unlock();
  }
}

/** `undefined` if there is none, or it cannot be read: then it is replaced. */
function readOld(file: string): Cassette | undefined {
  try {
    return readCassette(file);
  } catch (error) {
    if (error instanceof CassetteFileError) return undefined;
    throw error;
  }
}

function isSame(old: Cassette, cassette: Cassette): boolean {
  const { header } = old;
  const { keys, redaction, trace_id: traceId } = cassette.header;
  return (
    header.redaction === redaction &&
    header.trace_id === traceId &&
    JSON.stringify(header.keys) === JSON.stringify(keys) &&
    withoutOrder(old) === withoutOrder(cassette)
  );
}

/** Calls that run at the same time may end in any order. */
function withoutOrder({ calls }: Cassette): string {
  const unordered = calls.map((call) => {
    const meta = { ...call.meta };
    delete meta.after;
    return { ...call, meta, start: 1, ...(call.end !== undefined && { end: 1 }) };
  });
  return JSON.stringify(unordered.map((call) => Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1))));
}

/** Values come first, so that no reader finds a line without its value. */
function writeFiles(file: string, { lines, blobs }: CassetteText): void {
  const folder = toBlobFolder(file);
  if (blobs.size > 0) mkdirSync(folder, { recursive: true });
  for (const [hash, text] of blobs)
    if (!existsSync(toBlobFile(file, hash))) replace(toBlobFile(file, hash), text);
  replace(file, lines);
  if (!existsSync(folder)) return;
  if (blobs.size === 0) rmSync(folder, { recursive: true });
  else for (const name of readdirSync(folder)) if (!blobs.has(name)) rmSync(join(folder, name));
}

function replace(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, file);
}

const LONGEST_WAIT_MS = 5_000;
const WAIT_MS = 5;

/** One writer at a time. Waits without timers, because a test may have replaced them. */
function lock(file: string): () => void {
  const path = `${file}.lock`;
  for (let waitedMs = 0; waitedMs <= LONGEST_WAIT_MS; waitedMs += WAIT_MS) {
    try {
      closeSync(openSync(path, 'wx'));
      return () => {
        rmSync(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isAbandoned(path)) rmSync(path, { force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
  throw new CassetteFileError(
    file,
    'is being written by another process',
    `Give each test a cassette of its own. If no test runs, delete ${path}.`,
  );
}

/** Writing takes milliseconds, so an old lock belongs to a process that was killed. */
function isAbandoned(path: string): boolean {
  try {
    return fileAgeMs(path) > LONGEST_WAIT_MS * 2;
  } catch {
    return false;
  }
}

function fileAgeMs(path: string): number {
  writeFileSync(`${path}.now`, '');
  const now = statSync(`${path}.now`).mtimeMs;
  rmSync(`${path}.now`, { force: true });
  return now - statSync(path).mtimeMs;
}
