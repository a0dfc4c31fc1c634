import { LIMITS, parseTimestamp } from '@dacapo/protocol';
import { MAIN_THREAD } from '../../../../memory/turns.js';
import type { Parameters } from '../../../meta/transaction.js';
import type { IngestBatch } from '../../../ports/span-store.js';
import { errorPreviewOf, previewOf } from '../../../rules/preview.js';
import {
  isCut,
  type SearchedSpan,
  type SEARCHED_FIELDS,
  searchedWords,
} from '../../../rules/searched-words.js';
import { spanUsageOf, type StoredSpan } from '../../../rules/span-usage.js';
import { encodeFairly, type EncodedPayload, encodePayload, payloadBytes } from '../../../spans/payload.js';
import type { SpanRow } from '../../../spans/rows.js';
import { accountPrefix } from '../../../spans/account-prefix.js';

/** A span on its way into the tables. */
export interface EncodedSpan {
  span: StoredSpan;
  payload: EncodedPayload;
  text: Parameters;
}

/** Payloads encoded, and words made, in one go; other requests have their turn in between. */
const BYTES_IN_A_TURN = 128 * 1024;

/** Before the transaction: it may take long. */
export async function encodeSpans(accountId: string, batch: IngestBatch): Promise<EncodedSpan[]> {
  const turns = MAIN_THREAD.of(accountId);
  const prefix = accountPrefix(accountId);
  const encoded: EncodedSpan[] = [];
  let bytes = 0;
  for (const record of batch.spans) {
    const cost = batch.costs?.get(record);
    const span = cost === undefined ? record : { ...record, cost };
    const payload = await encodeFairly(record.span_data, batch.texts?.get(record), turns);
    encoded.push({ span, payload, text: toText(prefix, span, payload) });
    bytes += payloadBytes(payload);
    if (bytes < BYTES_IN_A_TURN) continue;
    bytes = 0;
    await turns.next();
  }
  return encoded;
}

export function encodeSpan(accountId: string, span: StoredSpan): EncodedSpan {
  const payload = encodePayload(span.span_data);
  return { span, payload, text: toText(accountPrefix(accountId), span, payload) };
}

/** Characters of a field that are read: files in base64, which do not count, may come first. */
const READ_CHARACTERS = 1024 * 1024;

function toText(prefix: string, { name }: StoredSpan, payload: EncodedPayload): Parameters {
  const head = (field: (typeof SEARCHED_FIELDS)[number]): string | null =>
    payload[field]?.slice(0, READ_CHARACTERS) ?? null;
  const searched: SearchedSpan = {
    name,
    input: head('input'),
    output: head('output'),
    error: head('error'),
    prompt: head('prompt'),
  };
  const words = searchedWords(searched, LIMITS.searchedCharacters);
  return {
    words: ` ${words} `,
    lexemes: toLexemes(prefix, words.split(' ')).join(' '),
    is_cut: isCut(searched, LIMITS.searchedCharacters),
  };
}

/** Words as the index has them, each once. @param prefix see {@link accountPrefix} */
export function toLexemes(prefix: string, words: readonly string[]): string[] {
  return [...new Set(words)].filter((word) => word !== '').map((word) => prefix + word);
}

/** The row of `spans`. */
export function toSpanRow({ span, payload }: EncodedSpan, span_no: number): SpanRow & Parameters {
  const usage = spanUsageOf(span);
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
    is_open: isOpen(span),
    started_us: parseTimestamp(span.started_at) ?? 0,
    ended_us: span.ended_at === undefined ? null : (parseTimestamp(span.ended_at) ?? null),
    duration_ms: span.duration_ms ?? null,
    test_run_id: span.test_run_id ?? null,
    source_span_id: span.source_span_id ?? null,
    mocked: span.source_span_id !== undefined && meta?.mocked === true,
    class_name: meta?.class,
    input_preview: previewOf(payload.input),
    output_preview: previewOf(payload.output),
    error_preview: errorPreviewOf(error) ?? null,
    payload_bytes: payloadBytes(payload),
    model: usage?.model ?? null,
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
    cost_usd: usage?.cost_usd ?? null,
    price_version: usage?.price_version ?? null,
  };
}

/** Whether a record that comes later may change the span: see `joinRecords`. */
function isOpen({ status, span_data: { meta } }: StoredSpan): boolean {
  return status === 'unfinished' || meta?.continues === true;
}
