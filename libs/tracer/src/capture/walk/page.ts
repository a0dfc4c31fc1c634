import { ESCAPED, ESCAPES, fillPairs, PAIRS } from './byte-classes.js';

/** Characters of a long string that are encoded at a time. */
export const CHUNK = 4 * 1024;
/** Bytes that one character may become: a control character is the longest escape. */
export const MOST_BYTES = 6;
const BYTES_PER_CHARACTER = 3;
const PAGE_BYTES = 128 * 1024;

/**
 * What is being written stands here first. It is one page for all, and constant, because the engine then knows where
 * it is: a loop over it takes little more than half the time.
 */
const pageBuffer = Buffer.from(new ArrayBuffer(PAGE_BYTES));
const page = new Uint8Array(pageBuffer.buffer);
const fourBytes = new Uint32Array(pageBuffer.buffer);

/** What of a chunk must be escaped, before it is. */
const rawBuffer = Buffer.from(new ArrayBuffer(CHUNK * BYTES_PER_CHARACTER));
const raw = new Uint8Array(rawBuffer.buffer);
/** Bindings of another module are looked up at each use; these are not. */
const IS_ESCAPED = ESCAPED;
const LETTERS = ESCAPES;
/** Whether one of two bytes is escaped. Made when the first chunk comes: it takes longer than an import should. */
const pairs = new Uint8Array(PAIRS);
let arePairsKnown = false;

/** The page. Ask once, and keep it in a constant that is not exported: an exported one is looked up at each use. */
export function sharedPage(): { readonly page: Uint8Array; readonly pageBuffer: Buffer } {
  return { page, pageBuffer };
}

/** Puts a chunk on the page as UTF-8. @returns its length in bytes */
export function encodeChunk(text: string, start: number): number {
  return pageBuffer.write(text, start);
}

/** Escapes the chunk that stands at the end of the page, where it must be. @returns the position after it */
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

/** From the first byte on that must be escaped. */
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
