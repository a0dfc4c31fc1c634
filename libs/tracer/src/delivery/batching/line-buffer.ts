import type { ByteString } from '../../byte-string.js';

const NEWLINE = 0x0a;

/** Lines as UTF-8 in one block of memory, each ended by a newline: an NDJSON body as it is sent. */
export class LineBuffer {
  /** Bytes in use. */
  length = 0;
  lines = 0;

  constructor(readonly bytes: Buffer) {}

  /** @returns `false`, and nothing is written, when there is no room for the whole line */
  write(line: ByteString): boolean {
    const start = this.length;
    const end = start + line.length;
    if (end >= this.bytes.length) return false;
    this.bytes.write(line, start, 'latin1');
    this.bytes[end] = NEWLINE;
    this.length = end + 1;
    this.lines++;
    return true;
  }

  /** The written part, not copied. */
  view(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}

/** The lines of a body, each with its newline, not copied. */
export function* linesOf(body: Buffer): Generator<Buffer> {
  for (let start = 0; start < body.length;) {
    const newline = body.indexOf(NEWLINE, start);
    const end = newline === -1 ? body.length : newline + 1;
    yield body.subarray(start, end);
    start = end;
  }
}
