import { ESCAPED, ESCAPES, fillPairs, PAIRS } from './byte-classes.js';

/** Number of characters of a long string that are encoded at once. */
export const CHUNK = 4 * 1024;
/** Maximum bytes per character: a control character has the longest escape. */
export const MOST_BYTES = 6;
const BYTES_PER_CHARACTER = 3;
const PAGE_BYTES = 128 * 1024;

/**
 * The buffer for new text. It is one constant buffer for all writers, because the engine then knows its address, which almost halves the
 * time of a loop over it.
 */
const pageBuffer = Buffer.from(new ArrayBuffer(PAGE_BYTES));
const page = new Uint8Array(pageBuffer.buffer);
const fourBytes = new Uint32Array(pageBuffer.buffer);

/** Holds the part of a chunk that must be escaped. */
const rawBuffer = Buffer.from(new ArrayBuffer(CHUNK * BYTES_PER_CHARACTER));
const raw = new Uint8Array(rawBuffer.buffer);
/** A local constant, because imported bindings are looked up at each use. */
const IS_ESCAPED = ESCAPED;
const LETTERS = ESCAPES;
/** Whether one of two bytes is escaped. Filled with the first chunk, because it would slow the import. */
const pairs = new Uint8Array(PAIRS);
let arePairsKnown = false;

/** Returns the page. Call it once and store the result in a local constant: an exported one is looked up at each use. */
export function sharedPage(): { readonly page: Uint8Array; readonly pageBuffer: Buffer } {
  return { page, pageBuffer };
}

/** Encodes a chunk to the page as UTF-8. @returns its length in bytes */
export function encodeChunk(text: string, start: number): number {
  return pageBuffer.write(text, start);
}

/** Escapes the chunk at the end of the page, if needed. @returns the position after it */
export function escapeChunk(start: number, length: number): number {
  if (!arePairsKnown) arePairsKnown = fillPairs(pairs);
  const end = (start + length) | 0;
  const lastFour = (end - 4) | 0;
  let at = start | 0;
  for (;;) {
    if ((at & 3) === 0) {
      while (at <= lastFour) {
        const four = fourBytes[at >> 2] as number;
        if (((pairs[four & 0xffff] as number) | (pairs[four >>> 16] as number)) !== 0) break;
        at = (at + 4) | 0;
      }
    }
    if (at >= end) return end;
    if (IS_ESCAPED[page[at] as number] === 1) return escapeRest(at, end);
    at = (at + 1) | 0;
  }
}

/** Escapes the chunk from the first byte that needs it. */
function escapeRest(start: number, end: number): number {
  const length = pageBuffer.copy(rawBuffer, 0, start, end);
  let at = start | 0;
  for (let i = 0; i < length; i++) {
    const code = raw[i] as number;
    if (IS_ESCAPED[code] === 0) {
      page[at] = code;
      at = (at + 1) | 0;
    } else {
      at = escape(at, code) | 0;
    }
  }
  return at;
}

function escape(start: number, code: number): number {
  const escaped = LETTERS[code] as Uint8Array;
  const { length } = escaped;
  for (let i = 0; i < length; i++) page[start + i] = escaped[i] as number;
  return start + length;
}
