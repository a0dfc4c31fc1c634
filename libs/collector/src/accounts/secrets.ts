import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Bytes from here up would make the first letters likelier. */
const FAIR_BYTES = 256 - (256 % BASE62.length);

/** Random letters and digits, log2(62) ≈ 5.95 bits each. */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < FAIR_BYTES && text.length < length) text += BASE62.charAt(byte % BASE62.length);
    }
  }
  return text;
}

/** A number below 62 to the power of `length`, with leading zeros. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / BASE62.length)) {
    text = BASE62.charAt(rest % BASE62.length) + text;
  }
  return text;
}

/** What is stored of a secret that has enough random bits of its own. */
export function sha256(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

export function isSameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
