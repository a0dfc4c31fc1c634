const POOL_BYTES = 4096;
/** Ids are slices of a text of so many, and keep all of it in memory. */
const IDS_A_TEXT = 32;

const pool = new Uint8Array(POOL_BYTES);
let nextByte = POOL_BYTES;
const decoder = new TextDecoder();
const DIGITS = new TextEncoder().encode('0123456789abcdef');

/**
 * A source of ids of one shape: `x` in it stands for a random digit in lower-case hexadecimal, from the platform's
 * cryptographic source. There must be an even number of them.
 *
 * Makes many at once: a call to the source, and a new string, cost more than the digits in it.
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

/** @returns where in the pool so many bytes stand that nobody had */
function takeRandom(bytes: number): number {
  if (nextByte + bytes > POOL_BYTES) {
    crypto.getRandomValues(pool);
    nextByte = 0;
  }
  const start = nextByte;
  nextByte += bytes;
  return start;
}
