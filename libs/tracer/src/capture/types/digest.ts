import type { JsonObject } from '@dacapo/protocol';
import { sha256 } from '../../hashing.js';

const WHOLE_UP_TO = 256 * 1024;
const SAMPLE = 64 * 1024;

/** A hash at bounded cost: of all bytes, or of the length and three samples when there are many. */
export function digest(bytes: Uint8Array): JsonObject {
  if (bytes.length <= WHOLE_UP_TO) return { sha256: sha256(bytes) };
  const middle = bytes.length >>> 1;
  return {
    sampled_sha256: sha256(
      Buffer.from(`${bytes.length}:`),
      bytes.subarray(0, SAMPLE),
      bytes.subarray(middle, middle + SAMPLE),
      bytes.subarray(bytes.length - SAMPLE),
    ),
  };
}

/** The same for a text, whose samples are counted in UTF-16 units. */
export function digestText(text: string): JsonObject {
  if (text.length <= WHOLE_UP_TO) return { sha256: sha256(text) };
  const middle = text.length >>> 1;
  const samples = [text.slice(0, SAMPLE), text.slice(middle, middle + SAMPLE), text.slice(-SAMPLE)];
  return { sampled_sha256: sha256(Buffer.from(`${text.length}:${samples.join('')}`)) };
}
