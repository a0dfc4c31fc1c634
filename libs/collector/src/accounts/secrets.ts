import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Larger bytes are skipped: they would make the first characters more likely. */
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

/** 256 random bits. */
export function newSecret(): string {
  return randomBase62(43);
}

/** Writes a number below 62 ** `length`, with leading zeros. */
export function toBase62(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / BASE62.length)) {
    text = BASE62.charAt(rest % BASE62.length) + text;
  }
  return text;
}

/** The stored form of a secret. It needs no salt: a secret has at least 166 random bits. */
export function sha256(secret: string): Uint8Array {
  return createHash('sha256').update(secret).digest();
}

export function isSameHash(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}
