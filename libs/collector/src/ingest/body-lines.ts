import { isAscii } from 'node:buffer';

const NEWLINE = 0x0a;

/** A line of a body, counted from 1. */
export interface BodyLine {
  readonly number: number;
  readonly byteLength: number;
  /** Without blanks at its ends, `\r` among them. Bytes that are no UTF-8 become U+FFFD. */
  text(): string;
}

/** The lines of a body that came in chunks: one at a time becomes text, and few bodies are of one alphabet throughout. */
export function* linesOf(chunks: Iterable<Buffer>): Generator<BodyLine> {
  let number = 1;
  let begun: Buffer[] = [];
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      yield lineOf(number++, [...begun, chunk.subarray(start, end)]);
      begun = [];
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
  }
  yield lineOf(number, begun);
}

function lineOf(number: number, parts: readonly Buffer[]): BodyLine {
  const [only] = parts;
  return {
    number,
    byteLength: parts.reduce((bytes, part) => bytes + part.length, 0),
    text: () => decode(parts.length === 1 && only !== undefined ? only : Buffer.concat(parts)).trim(),
  };
}

/** Copying is several times as fast as decoding UTF-8, and makes a text of one byte a character. */
function decode(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? 'latin1' : 'utf8');
}
