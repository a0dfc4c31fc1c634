import { crc32 } from 'node:zlib';
import { randomBase62, toBase62 } from './secrets.js';

const PREFIX = 'dcp_';
/** 166 random bits. */
const RANDOM_LENGTH = 28;
/** CRC32 in base62. */
const CHECKSUM_LENGTH = 6;
const SHAPE = new RegExp(`^${PREFIX}[0-9A-Za-z]{${RANDOM_LENGTH + CHECKSUM_LENGTH}}$`);

/** The checksum rejects a mistyped key without a look-up. */
export function newApiKey(): string {
  const body = PREFIX + randomBase62(RANDOM_LENGTH);
  return body + checksum(body);
}

/** Whether `text` has the shape and the checksum of a key. The key need not exist. */
export function isWellFormedApiKey(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, -CHECKSUM_LENGTH)) === text.slice(-CHECKSUM_LENGTH);
}

/** The key's first and last characters, for lists. */
export function keyHint(apiKey: string): string {
  return `${apiKey.slice(0, PREFIX.length + 3)}…${apiKey.slice(-4)}`;
}

function checksum(body: string): string {
  return toBase62(crc32(body), CHECKSUM_LENGTH);
}
