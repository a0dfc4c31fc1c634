import type { JsonValue, SpanData } from '@dacapo/protocol';
import { crc32 } from 'node:zlib';
import { stringifyInTurns } from '../../../../memory/json-in-turns.js';
import type { Turns } from '../../../../memory/turns.js';

const FIELDS = ['input', 'output', 'error', 'prompt', 'contexts', 'usage', 'meta'] as const;

export const PAYLOAD_COLUMNS = FIELDS.join(', ');

/** The columns of `span_payloads`: JSON texts. */
export type PayloadRow = Record<(typeof FIELDS)[number], string | null>;

export type EncodedPayload = Partial<Record<(typeof FIELDS)[number], string>>;

/** The large ones: SQL takes the others apart, so they are in one form whoever sent them. */
const KEPT: ReadonlySet<string> = new Set(['input', 'output', 'prompt']);

/** @param texts JSON of fields, as it came */
export function encodePayload(data: SpanData, texts?: ReadonlyMap<string, string>): EncodedPayload {
  const payload: EncodedPayload = {};
  for (const field of FIELDS) {
    if (data[field] === undefined) continue;
    payload[field] = (KEPT.has(field) ? texts?.get(field) : undefined) ?? JSON.stringify(data[field]);
  }
  return payload;
}

/** As {@link encodePayload}, of a large one, without holding up the event loop for long. */
export async function encodeInTurns(data: SpanData, turns: Pick<Turns, 'next'>): Promise<EncodedPayload> {
  const payload: EncodedPayload = {};
  for (const field of FIELDS) {
    const value = data[field];
    if (value === undefined) continue;
    const pieces: string[] = [];
    await stringifyInTurns(value, turns, (piece) => pieces.push(piece));
    payload[field] = pieces.join('');
  }
  return payload;
}

export function payloadColumns(payload: EncodedPayload): (string | undefined)[] {
  return FIELDS.map((field) => payload[field]);
}

/** CRC-32 of all fields, as they are before large parts are taken out. */
export function checksumOf(
  payload: Readonly<Partial<Record<(typeof FIELDS)[number], string | null>>>,
): number {
  let checksum = 0;
  for (const [index, field] of FIELDS.entries()) {
    const json = payload[field];
    if (json != null) checksum = crc32(json, crc32(String(index), checksum));
  }
  return checksum;
}

export function payloadBytes(payload: EncodedPayload): number {
  return Object.values(payload).reduce((bytes, json) => bytes + Buffer.byteLength(json), 0);
}

export function decodePayload(row: PayloadRow): SpanData {
  return Object.fromEntries(
    FIELDS.flatMap((field) => {
      const json = row[field];
      return json === null ? [] : [[field, JSON.parse(json) as JsonValue]];
    }),
  );
}
