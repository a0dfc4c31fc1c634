import { crc32 } from 'node:zlib';
import { type EncodedPayload, PAYLOAD_FIELDS } from '../../../spans/payload.js';
import type { TextBlock } from '../text-block.js';

/** @param first the number of the first field's parameter */
export function payloadTexts(first: number): string {
  return PAYLOAD_FIELDS.map((_, index) => `CAST(?${first + index} AS TEXT)`).join(', ');
}

/** Fields to bind: a text, or its UTF-8 bytes. */
export type BoundPayload = Partial<Record<(typeof PAYLOAD_FIELDS)[number], string | Uint8Array>>;

export function bindPayload(payload: EncodedPayload, block: TextBlock): BoundPayload {
  const bound: BoundPayload = {};
  for (const field of PAYLOAD_FIELDS) {
    const json = payload[field];
    if (json !== undefined) bound[field] = block.add(json);
  }
  return bound;
}

/** Maximum length of a text that is concatenated with others for a checksum. */
const SHORT_TEXT = 256;

/** CRC-32 of all fields, before large parts are removed. */
export function computeChecksum(
  payload: Readonly<Partial<Record<(typeof PAYLOAD_FIELDS)[number], string | Uint8Array | null>>>,
): number {
  let checksum = 0;
  // Short texts are concatenated, because a call for each would cost more.
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
