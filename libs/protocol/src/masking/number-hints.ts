import { BACKSLASH, toByteTable, DASH, IN_DIGITS, SPACE } from './ascii.js';
import { isCardNumber } from './card-number.js';
import { HINTS } from './hint-kinds.js';
import { STOP } from './hint-scan.js';

const TWO = 0x32;
const SIX = 0x36;
const IN_NUMBER = toByteTable(/[a-z\d.+]/i);
/** Longer runs are not card numbers; shorter ones are article numbers. */
const SHORTEST_CARD = 14;
const LONGEST_CARD = 19;
/** Longer runs are left to the pattern. */
const LONGEST_ROW = 1024;

/**
 * Whether the run of digits, spaces and dashes around a position may contain a card number or the number of a key.
 *
 * @returns where to continue: its last byte, which may begin a word
 */
export function lookAtDigits(
  bytes: Uint8Array,
  at: number,
  from: number,
  to: number,
  found: (at: number, hint: number) => boolean,
): number {
  let start = at;
  while (start > from && isInRow(bytes, start - 1)) start--;
  let end = at + 1;
  while (end < to && isInRow(bytes, end)) end++;
  if (end - start < SHORTEST_CARD) return end - 1;
  if (end - start <= LONGEST_ROW && !holdsCard(bytes, start, end)) return end - 1;
  return found(start, HINTS.number) ? STOP : end - 1;
}

/** A digit, or one space or dash between two. */
function isInRow(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at] as number;
  if (IN_DIGITS[byte] === 1) return true;
  return (
    (byte === SPACE || byte === DASH) &&
    IN_DIGITS[bytes[at - 1] ?? 0] === 1 &&
    IN_DIGITS[bytes[at + 1] ?? 0] === 1
  );
}

/** Whether a card number begins at one of the numbers of a run. */
function holdsCard(bytes: Uint8Array, start: number, end: number): boolean {
  for (let from = start; end - from >= SHORTEST_CARD; from++) {
    const first = bytes[from] as number;
    if (first < TWO || first > SIX || isPart(bytes, from)) continue;
    let digits = '';
    for (let at = from; at < end && digits.length < LONGEST_CARD; at++) {
      if (IN_DIGITS[bytes[at] as number] !== 1) continue;
      digits += String.fromCharCode(bytes[at] as number);
      const isLast = at + 1 === end || IN_DIGITS[bytes[at + 1] as number] !== 1;
      if (isLast && digits.length >= SHORTEST_CARD && isCardNumber(digits)) return true;
    }
  }
  return false;
}

/** After a letter, a digit, a dot or a plus there is no card number, except after an escape. */
function isPart(bytes: Uint8Array, start: number): boolean {
  return (
    IN_NUMBER[bytes[start - 1] ?? 0] === 1 && bytes[start - 2] !== BACKSLASH && bytes[start - 6] !== BACKSLASH
  );
}
