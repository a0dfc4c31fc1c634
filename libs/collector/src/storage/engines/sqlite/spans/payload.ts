import { crc32 } from 'node:zlib';
import { type EncodedPayload, PAYLOAD_FIELDS } from '../../../spans/payload.js';
import type { TextBlock } from '../text-block.js';

/** @param first number of the parameter of the first field */
export function payloadTexts(first: number): string {
  return PAYLOAD_FIELDS.map((_, index) => `CAST(?${first + index} AS TEXT)`).join(', ');
}

/** Fields as they are bound: a text, or its UTF-8 bytes. */
export type BoundPayload = Partial<Record<(typeof PAYLOAD_FIELDS)[number], string | Uint8Array>>;

export function bindPayload(payload: EncodedPayload, block: TextBlock): BoundPayload {
  const bound: BoundPayload = {};
  for (const field of PAYLOAD_FIELDS) {
    const json = payload[field];
    if (json !== undefined) bound[field] = block.add(json);
  }
  return bound;
}

/** Characters of a text that is put together with others for a checksum. */
const SHORT_TEXT = 256;

/** CRC-32 of all fields, as they are before large parts are taken out. */
export function computeChecksum(
  payload: Readonly<Partial<Record<(typeof PAYLOAD_FIELDS)[number], string | Uint8Array | null>>>,
): number {
  let checksum = 0;
  // Short texts are put together, because a call costs more than they do.
  let text = '';
  for (const [index, field] of PAYLOAD_FIELDS.entries()) {
    const json = payload[field];
    if (json == null) continue;
    text += String(index);
    if (typeof json === 'string' && json.length < SHORT_TEXT) {
      text += json;
      continue;
    }
    checksum = crc32(json, crc32(text, checksum));
    text = '';
  }
  return text === '' ? checksum : crc32(text, checksum);
}
