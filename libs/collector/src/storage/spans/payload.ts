import { type JsonValue, type SpanData, withPrompt } from '@dacapo/protocol';
import { isSmall, stringifyInTurns } from '../../memory/json-in-turns.js';
import type { Turns } from '../../memory/turns.js';

/** The fields of a payload. Each is JSON in its own column. */
export const PAYLOAD_FIELDS = ['input', 'output', 'error', 'prompt', 'contexts', 'usage', 'meta'] as const;

export const PAYLOAD_COLUMNS = PAYLOAD_FIELDS.join(', ');

/** The columns of `span_payloads`: JSON texts. */
export type PayloadRow = Record<(typeof PAYLOAD_FIELDS)[number], string | null>;

export type EncodedPayload = Partial<Record<(typeof PAYLOAD_FIELDS)[number], string>>;

/** Large fields keep the received JSON. SQL reads the others, so they are encoded in one form. */
const KEPT: ReadonlySet<string> = new Set(['input', 'output', 'prompt']);

/** @param texts the received JSON of fields */
export function encodePayload(data: SpanData, texts?: ReadonlyMap<string, string>): EncodedPayload {
  const payload: EncodedPayload = {};
  for (const field of PAYLOAD_FIELDS) {
    if (data[field] === undefined) continue;
    payload[field] = (KEPT.has(field) ? texts?.get(field) : undefined) ?? JSON.stringify(data[field]);
  }
  return payload;
}

/** Like {@link encodePayload}, but encodes a large payload in pieces to keep the event loop responsive. */
export async function encodeFairly(
  data: SpanData,
  texts: ReadonlyMap<string, string> | undefined,
  turns: Pick<Turns, 'next'>,
): Promise<EncodedPayload> {
  const { error, contexts, meta } = data;
  const isQuick = isSmall(texts === undefined ? data : [error, contexts, meta]);
  return isQuick ? encodePayload(data, texts) : encodeInTurns(data, turns);
}

async function encodeInTurns(data: SpanData, turns: Pick<Turns, 'next'>): Promise<EncodedPayload> {
  const payload: EncodedPayload = {};
  for (const field of PAYLOAD_FIELDS) {
    const value = data[field];
    if (value === undefined) continue;
    const pieces: string[] = [];
    await stringifyInTurns(value, turns, (piece) => pieces.push(piece));
    payload[field] = pieces.join('');
  }
  return payload;
}

export function payloadBytes(payload: EncodedPayload): number {
  return Object.values(payload).reduce((bytes, json) => bytes + Buffer.byteLength(json), 0);
}

export function decodePayload(row: PayloadRow): SpanData {
  const data: SpanData = Object.fromEntries(
    PAYLOAD_FIELDS.flatMap((field) => {
      const json = row[field];
      return json === null ? [] : [[field, JSON.parse(json) as JsonValue]];
    }),
  );
  return withPrompt(data);
}
