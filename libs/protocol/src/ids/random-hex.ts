const POOL_BYTES = 4096;
/** Ids are slices of a text this long, and keep all of it in memory. */
const TEXT_BYTES = 256;

const DIGITS = new TextEncoder().encode('0123456789abcdef');
const decoder = new TextDecoder();
const pool = new Uint8Array(POOL_BYTES);
const digits = new Uint8Array(2 * TEXT_BYTES);
let nextByte = POOL_BYTES;
let text = '';
let nextDigit = 0;

/** `length` random lower-case hex digits, from the platform's cryptographic source; at most 512. */
export function randomHex(length: number): string {
  if (nextDigit + length > text.length) refill();
  return text.slice(nextDigit, (nextDigit += length));
}

/** Many at once: a call to the source, and a new string, cost more than the digits in it. */
function refill(): void {
  if (nextByte === POOL_BYTES) {
    crypto.getRandomValues(pool);
    nextByte = 0;
  }
  for (let i = 0; i < TEXT_BYTES; i++) {
    const byte = pool[nextByte++] as number;
    digits[2 * i] = DIGITS[byte >> 4] as number;
    digits[2 * i + 1] = DIGITS[byte & 0x0f] as number;
  }
  text = decoder.decode(digits);
  nextDigit = 0;
}
