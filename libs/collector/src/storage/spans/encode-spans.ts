import { LIMITS, parseTimestamp } from '@dacapo/protocol';
import { MAIN_THREAD } from '../../memory/turns.js';
import type { Parameters } from '../meta/transaction.js';
import type { IngestBatch } from '../ports/span-store.js';
import { previewError, previewJson } from '../rules/preview.js';
import { isCut, type SearchedSpan, type SEARCHED_FIELDS, searchedWords } from '../rules/searched-words.js';
import { summarizeSpanUsage, type StoredSpan } from '../rules/span-usage.js';
import { encodeFairly, type EncodedPayload, encodePayload, payloadBytes } from './payload.js';
import type { SpanRow } from './rows.js';

/** A span, encoded for the tables. */
export interface EncodedSpan {
  span: StoredSpan;
  payload: EncodedPayload;
  /** Its searched words, in the order of each text. */
  words: string;
  /** A long text has words that are not indexed. */
  isCut: boolean;
}

/** Bytes of payloads to encode before other requests get their turn. */
const BYTES_IN_A_TURN = 128 * 1024;

/** Runs before the transaction, because it may take long. */
export async function encodeSpans(accountId: string, batch: IngestBatch): Promise<EncodedSpan[]> {
  const turns = MAIN_THREAD.of(accountId);
  const encoded: EncodedSpan[] = [];
  let bytes = 0;
  for (const record of batch.spans) {
    const cost = batch.costs?.get(record);
    const span = cost === undefined ? record : { ...record, cost };
    const payload = await encodeFairly(record.span_data, batch.texts?.get(record), turns);
    encoded.push(withWords(span, payload));
    bytes += payloadBytes(payload);
    if (bytes < BYTES_IN_A_TURN) continue;
    bytes = 0;
    await turns.next();
  }
  return encoded;
}

export function encodeSpan(span: StoredSpan): EncodedSpan {
  return withWords(span, encodePayload(span.span_data));
}

/** Characters of a field that are read. More than are indexed, because files in base64 do not count. */
const READ_CHARACTERS = 1024 * 1024;

function withWords(span: StoredSpan, payload: EncodedPayload): EncodedSpan {
  const head = (field: (typeof SEARCHED_FIELDS)[number]): string | null =>
    payload[field]?.slice(0, READ_CHARACTERS) ?? null;
  const searched: SearchedSpan = {
    name: span.name,
    input: head('input'),
    output: head('output'),
    error: head('error'),
    prompt: head('prompt'),
  };
  return {
    span,
    payload,
    words: searchedWords(searched, LIMITS.searchedCharacters),
    isCut: isCut(searched, LIMITS.searchedCharacters),
  };
}

/** The row of `spans`. */
export function toSpanRow({ span, payload }: EncodedSpan, span_no: number): SpanRow & Parameters {
  const usage = summarizeSpanUsage(span);
  const { meta, error } = span.span_data;
  return {
    span_no,
    trace_id: span.trace_id,
    span_id: span.id,
    parent_id: span.parent_id ?? null,
    trace_function_key: span.trace_function_key,
    name: span.name,
    type: span.type,
    kind: span.kind ?? null,
    level: span.level ?? null,
    status: span.status,
    started_us: parseTimestamp(span.started_at) ?? 0,
    ended_us: span.ended_at === undefined ? null : (parseTimestamp(span.ended_at) ?? null),
    duration_ms: span.duration_ms ?? null,
    test_run_id: span.test_run_id ?? null,
    source_span_id: span.source_span_id ?? null,
    mocked: span.source_span_id !== undefined && meta?.mocked === true,
    class_name: meta?.class,
    input_preview: previewJson(payload.input),
    output_preview: previewJson(payload.output),
    error_preview: previewError(error) ?? null,
    payload_bytes: payloadBytes(payload),
    model: usage?.model ?? null,
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    cost_usd: usage?.cost_usd ?? null,
    price_version: usage?.price_version ?? null,
  };
}
