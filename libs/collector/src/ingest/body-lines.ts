import { isAscii } from 'node:buffer';

const NEWLINE = 0x0a;

export interface BodyLine {
  /** From 1. */
  readonly number: number;
  readonly byteLength: number;
  /** Decodes the line, without white space at its ends. Bytes that are not UTF-8 become U+FFFD. */
  text(): string;
}

/** Splits chunks into lines. Lines are decoded one by one, because most of them are ASCII and then take one byte a character. */
export function* readLines(chunks: Iterable<Buffer>): Generator<BodyLine> {
  let number = 1;
  let parts: Buffer[] = [];
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield toLine(number++, [...parts, chunk.subarray(start, end)]);
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
  }
  yield toLine(number, parts);
}

function toLine(number: number, parts: readonly Buffer[]): BodyLine {
  const [only] = parts;
  return {
    number,
    byteLength: parts.reduce((bytes, part) => bytes + part.length, 0),
    text: () => decode(parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).trim(),
  };
}

/** For ASCII, latin1 is several times as fast as UTF-8, and V8 stores one byte a character. */
function decode(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
