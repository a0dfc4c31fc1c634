const POOL_BYTES = 4096;
/** Ids are slices of one string of this many ids, and each keeps the whole string in memory. */
const IDS_A_TEXT = 32;

const pool = new Uint8Array(POOL_BYTES);
let nextByte = POOL_BYTES;
const decoder = new TextDecoder();
const DIGITS = new TextEncoder().encode('0123456789abcdef');

/**
 * Returns a generator of ids. Each `x` in `shape` becomes a random lower-case hex digit from the platform's cryptographic
 * source; their number must be even.
 *
 * Generates ids in batches, because a call to the source and a new string cost more than the digits.
 */
export function randomIds(shape: string): () => string {
  const all = shape.repeat(IDS_A_TEXT);
  const characters = new TextEncoder().encode(all);
  const places = Uint16Array.from(all.matchAll(/x/g), ({ index }) => index);
  const { length } = shape;
  let text = '';
  let next = 0;
  return () => {
    if (next === text.length) {
      let byte = takeRandom(places.length / 2);
      for (let i = 0; i < places.length; i += 2) {
        const random = pool[byte++] as number;
        characters[places[i] as number] = DIGITS[random >> 4] as number;
        characters[places[i + 1] as number] = DIGITS[random & 0x0f] as number;
      }
      text = decoder.decode(characters);
      next = 0;
    }
    return text.slice(next, (next += length));
  };
}

/** @returns offset in the pool of this many unused random bytes */
function takeRandom(bytes: number): number {
  if (nextByte + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool);
    nextByte = 0;
  }
  const start = nextByte;
  nextByte += bytes;
  return start;
}
