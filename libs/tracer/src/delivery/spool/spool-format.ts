/** The 1 is the version of the format. */
export const SPOOL_SUFFIX = '.1.spool';

const FILE_NAME = /^([\w.-]{16,120})\.1\.spool$/;

/** The batch id in a file's name; `undefined` if it is not a spool file of this version. */
export function parseBatchId(fileName: string): string | undefined {
  return FILE_NAME.exec(fileName)?.[1];
}

/** An earlier time is wrong: no file is that old. */
const EARLIEST_MS = Date.UTC(2024, 0);

/**
 * The age of a file's records in milliseconds, by the batch id or the file's time, whichever is less:
 * one of their clocks may have been wrong.
 */
export function fileAge(batchId: string, mtimeMs: number, epochMs: number): number {
  return Math.min(batchAge(batchId, epochMs), Math.max(0, epochMs - mtimeMs));
}

/** The age of a batch in milliseconds, from its UUIDv7; 0 if the id has no time. */
function batchAge(batchId: string, epochMs: number): number {
  const begunMs = parseInt(batchId.slice(0, 8) + batchId.slice(9, 13), 16);
  return begunMs >= EARLIEST_MS && begunMs < epochMs ? epochMs - begunMs : 0;
}

/**
 * The text of a spool file: each record is its line of JSON, then a tab, its length in bytes and its CRC-32, each as
 * eight hex digits, then a newline.
 *
 * `cut -f1` converts it to NDJSON. Because length and checksum follow the record, a reader finds the next complete record
 * after any damage: a changed byte costs only its record.
 */
const TAB = 0x09;
const NEWLINE = 0x0a;
/** Tab, length, sum, newline. */
const TRAILER_BYTES = 18;

/** Size in a file of `lines` lines with `length` bytes, newlines included. */
export function framedLength(length: number, lines: number): number {
  return length + lines * (TRAILER_BYTES - 1);
}

/** Writes the lines of `body`, each ended by a newline, with their trailers. `target` must have room for them. */
export function frameLines(body: Buffer, target: Buffer): number {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  let to = 0;
  for (let start = 0; start < body.length;) {
    const end = body.indexOf(NEWLINE, start);
    const line = body.subarray(start, end);
    to += line.copy(target, to);
    to += target.write(`\t${hex(line.length)}${hex(crc32(line))}\n`, to, 'latin1');
    start = end + 1;
  }
  return to;
}

export interface ParsedFile {
  /** The complete records, as NDJSON. Shares its memory with the parsed text. */
  readonly body: Buffer;
  readonly records: number;
  /** Copies of the damaged parts between them, each at least one record. */
  readonly damaged: readonly Buffer[];
}

/** Finds the complete records in the text of a file, and overwrites the text. */
export function parseFrames(text: Buffer): ParsedFile {
  const { crc32 } = process.getBuiltinModule('node:zlib');
  const damaged: Buffer[] = [];
  let records = 0;
  let bodyLength = 0;
  let start = 0;
  for (let newline = text.indexOf(NEWLINE); newline !== -1; newline = text.indexOf(NEWLINE, newline + 1)) {
    const tab = newline - TRAILER_BYTES + 1;
    const trailer = tab > start && text[tab] === TAB ? text.toString('latin1', tab + 1, newline) : '';
    if (!/^[0-9a-f]{16}$/.test(trailer)) continue;
    const recordStart = tab - parseInt(trailer.slice(0, 8), 16);
    const isWhole =
      recordStart >= start && crc32(text.subarray(recordStart, tab)) === parseInt(trailer.slice(8), 16);
    if (isWhole) {
      if (recordStart > start) damaged.push(Buffer.from(text.subarray(start, recordStart)));
      text.copyWithin(bodyLength, recordStart, tab);
      bodyLength += tab - recordStart;
      text[bodyLength++] = NEWLINE;
      records++;
    } else {
      damaged.push(Buffer.from(text.subarray(start, newline + 1)));
    }
    start = newline + 1;
  }
  if (start < text.length) damaged.push(Buffer.from(text.subarray(start)));
  return { body: text.subarray(0, bodyLength), records, damaged };
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}
