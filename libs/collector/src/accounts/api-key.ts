import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './secrets.js';

const PREFIX = 'dcp_';
/** 28 characters of base62: 166 random bits. */
const RANDOM_LENGTH = 28;
/** CRC32 in base62. */
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key: the prefix, random characters, and a checksum of both, so that a mistyped key is known without a look-up. */
export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksumOf(body);
}

/** Whether `text` has the shape and the checksum of a key; says nothing of whether it was ever created. */
export function isWellFormedApiKey(text: string): boolean {
  return SHAPE.test(text) && checksumOf(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The key's first and last characters, for lists. */
export function hintOf(apiKey: string): string {
  return `${apiKey.slice(0, PREFIX.length + 3)}…${apiKey.slice(-4)}`;
}

function checksumOf(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
