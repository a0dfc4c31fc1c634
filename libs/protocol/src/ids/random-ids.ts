const POOL_BYTES = 4096;
/** Ids are slices of a text of so many, and keep all of it in memory. */
const IDS_A_TEXT = 32;

const DIGIT = 'x'.charCodeAt(0);
const VARIANT = 'v'.charCodeAt(0);
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const DIGITS = encoder.encode('0123456789abcdef');
/** Two fixed bits and two random ones (RFC 9562 §4.1). */
const VARIANTS = encoder.encode('89ab');
const pool = new Uint8Array(POOL_BYTES);
let nextByte = POOL_BYTES;

/**
 * A source of ids from the platform's cryptographic one. In their `shape`, `x` stands for a random digit in lower-case
 * hexadecimal and `v` for the variant of a UUID.
 *
 * Makes many at once: a call to the source, and a new string, cost more than the digits in it.
 */
export function randomIds(shape: string): () => string {
  const { length } = shape;
  const template = encoder.encode(shape.repeat(IDS_A_TEXT));
  const digits = template.slice();
  let text = '';
  let next = 0;
  return () => {
    if (next === text.length) {
      for (let i = 0; i < digits.length; i++) {
        const kind = template[i];
        if (kind === DIGIT) digits[i] = DIGITS[randomByte() & 15] as number;
        else if (kind === VARIANT) digits[i] = VARIANTS[randomByte() & 3] as number;
      }
      text = decoder.decode(digits);
      next = 0;
    }
    return text.slice(next, (next += length));
  };
}

function randomByte(): number {
  if (nextByte === POOL_BYTES) {
    crypto.getRandomValues(pool);
    nextByte = 0;
  }
  return pool[nextByte++] as number;
}
