import { SHORTEST_TOKEN, TOKEN_HEAD, TOKEN_HEAD_PAIRS } from '@dacapo/protocol';

const HEAD_BYTES = 24;
const BACKSLASH = 0x5c;
/** What follows the backslash of `\u001b`. */
const UNICODE_ESCAPE = 5;

const HEAD_PAIRS = new Uint8Array(256 * 256);
for (const pair of TOKEN_HEAD_PAIRS) HEAD_PAIRS[(pair.charCodeAt(0) << 8) | pair.charCodeAt(1)] = 1;
/** Bindings of another module are looked up at each use; these are not. */
const HEAD = TOKEN_HEAD;
const SHORTEST = SHORTEST_TOKEN;

const WORD = 1;
const JOINT = 2;
/** Letters and digits are words, `-`, `_` and `.` joints, all else stands between runs. */
const KIND = new Uint8Array(256);
for (let byte = 0; byte < 128; byte++) {
  const char = String.fromCharCode(byte);
  KIND[byte] = /[A-Za-z0-9]/.test(char) ? WORD : /[-_.]/.test(char) ? JOINT : 0;
}

/**
 * Whether the UTF-8 text from `start` to `end` holds something that begins like a provider's key.
 *
 * Looks for long runs of token characters from the far end of where one could be: most bytes are never read.
 */
export function holdsKnownToken(bytes: Uint8Array, start: number, end: number): boolean {
  const kinds = KIND;
  const last = end - SHORTEST;
  for (let from = start; from <= last;) {
    let at = from + SHORTEST - 1;
    while (at >= from && kinds[bytes[at] as number] !== 0) at = (at - 1) | 0;
    if (at < from) at = endOfHarmlessRun(bytes, from, end);
    if (at === FOUND) return true;
    from = (at + 1) | 0;
  }
  return false;
}

const FOUND = -1;

/** The end of the run that starts at `from`, or `FOUND`. A token begins where a word does. */
function endOfHarmlessRun(bytes: Uint8Array, from: number, end: number): number {
  const kinds = KIND;
  // The letter of an escape such as `\n` is no word; a letter after a backslash is one. It may be either.
  if (bytes[from - 1] === BACKSLASH) {
    if (isHead(bytes, from + 1) || isHead(bytes, from + UNICODE_ESCAPE)) return FOUND;
  }
  let at = from;
  for (;;) {
    while (at < end && kinds[bytes[at] as number] === JOINT) at = (at + 1) | 0;
    if (at >= end || kinds[bytes[at] as number] !== WORD) return at;
    if (isHead(bytes, at)) return FOUND;
    while (at < end && kinds[bytes[at] as number] === WORD) at = (at + 1) | 0;
  }
}

function isHead(bytes: Uint8Array, at: number): boolean {
  if (HEAD_PAIRS[((bytes[at] as number) << 8) | (bytes[at + 1] as number)] === 0) return false;
  return HEAD.test(String.fromCharCode(...bytes.subarray(at, at + HEAD_BYTES)));
}
