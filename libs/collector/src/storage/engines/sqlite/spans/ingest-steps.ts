import { parseTimestamp, type SpanRecord } from '@dacapo/protocol';
import type { Turns } from '../../../../memory/turns.js';
import type { IngestBatch } from '../../../ports/span-store.js';
import type { Step } from '../connection.js';
import type { SqlParameter } from '../../../meta/transaction.js';
import { TextBlock } from '../text-block.js';
import { AWAITS_BEGINNING, joinedFields, lateBeginningSteps, type EncodedSpan } from './continued-spans.js';
import { facetSteps } from './facet-steps.js';
import { encodeFairly, encodePayload, PAYLOAD_COLUMNS, payloadBytes } from '../../../spans/payload.js';
import { bindPayload, computeChecksum, payloadTexts } from './payload.js';
import { cutPayload, selectParts, partSteps } from './payload-parts.js';
import { tallied } from './tally-steps.js';
import { traceFactSteps } from './trace-fact-steps.js';
import { previewError, previewJson } from '../../../rules/preview.js';
import { summarizeSpanUsage } from '../../../rules/span-usage.js';

const NOTE_BATCH = `INSERT INTO ingest_batches(account_id, batch_id, received_us) VALUES (?, ?, ?)
  ON CONFLICT DO NOTHING`;

/** Queues traces for `MetricsRollup`. */
const NOTE_CHANGES = 'INSERT INTO changed_traces(account_id, trace_ids) VALUES (?, ?)';

const putSpan = (
  preview: string,
  bytes: string,
) => `INSERT INTO spans(account_id, trace_id, span_id, parent_id,
    trace_function_key, name, type, kind, level, status, started_us, ended_us, duration_ms, test_run_id, source_span_id,
    input_preview, output_preview, error_preview, payload_bytes, received_us,
    model, input_tokens, output_tokens, cost_usd, price_version)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT(account_id, trace_id, span_id) DO UPDATE SET
    parent_id = excluded.parent_id, trace_function_key = excluded.trace_function_key, name = excluded.name,
    type = excluded.type, kind = excluded.kind, level = excluded.level, status = excluded.status, started_us = excluded.started_us, ended_us = excluded.ended_us,
    duration_ms = excluded.duration_ms, test_run_id = excluded.test_run_id, source_span_id = excluded.source_span_id,
    input_preview = ${preview}, output_preview = excluded.output_preview, error_preview = excluded.error_preview,
    payload_bytes = ${bytes}, received_us = excluded.received_us, model = excluded.model,
    input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, cost_usd = excluded.cost_usd,
    price_version = excluded.price_version
  WHERE status = 'unfinished'`;

const putPayload = (
  fields: string,
) => `INSERT INTO span_payloads(span_no, is_final, ${PAYLOAD_COLUMNS}, checksum, parts)
  SELECT span_no, ?4, ${payloadTexts(6)}, ?13, ${selectParts('?1', '?5')}
  FROM spans WHERE account_id = ?1 AND trace_id = ?2 AND span_id = ?3
  ON CONFLICT(span_no) DO UPDATE SET is_final = excluded.is_final, output = excluded.output,
    error = excluded.error, usage = excluded.usage, parts = excluded.parts, ${fields}
  WHERE is_final = 0 AND NOT (excluded.is_final = 0 AND ${AWAITS_BEGINNING})`;

const PUT_SPAN = putSpan('excluded.input_preview', 'excluded.payload_bytes');

const PUT_PAYLOAD = putPayload(
  'input = excluded.input, prompt = excluded.prompt, contexts = excluded.contexts, meta = excluded.meta, checksum = excluded.checksum',
);

const CONTINUE_SPAN = putSpan(
  'coalesce(excluded.input_preview, input_preview)',
  'payload_bytes + excluded.payload_bytes',
);

const CONTINUE_PAYLOAD = putPayload(`${joinedFields('span_payloads', 'excluded')}, checksum = NULL`);

/** Bytes of payloads to encode before other requests get their turn. */
const BYTES_IN_A_TURN = 256 * 1024;

/** A payload, and what is stored instead of it if it has large parts. */
export type StoredPayload = Pick<EncodedSpan, 'payload' | 'payloadBytes' | 'cut'>;

/** Encodes the payloads of a batch for the tables. */
export async function encodePayloads(
  { spans, texts }: Pick<IngestBatch, 'spans' | 'texts'>,
  turns: Pick<Turns, 'next'>,
): Promise<Map<SpanRecord, StoredPayload>> {
  const payloads = new Map<SpanRecord, StoredPayload>();
  let bytes = 0;
  for (const span of spans) {
    const stored = storedPayload(span, await encodeFairly(span.span_data, texts?.get(span), turns));
    payloads.set(span, stored);
    bytes += stored.payloadBytes;
    if (bytes < BYTES_IN_A_TURN) continue;
    bytes = 0;
    await turns.next();
  }
  return payloads;
}

/** Bytes of payloads in one write of an account while other accounts write. */
const PIECE_BYTES = 96 * 1024;

/** Splits a batch into smaller ones. Only the last has the id, so that a client repeats a batch that is not completely stored. */
export function splitBatch(
  batch: IngestBatch,
  payloads: ReadonlyMap<SpanRecord, StoredPayload>,
): IngestBatch[] {
  const { costs, texts, receivedAt } = batch;
  const pieces: IngestBatch[] = [];
  let spans: SpanRecord[] = [];
  let bytes = 0;
  for (const span of batch.spans) {
    const { payloadBytes: more } = payloads.get(span) ?? storedPayload(span);
    if (spans.length > 0 && bytes + more > PIECE_BYTES) {
      pieces.push({ spans, traces: [], receivedAt, ...(costs && { costs }), ...(texts && { texts }) });
      spans = [];
      bytes = 0;
    }
    spans.push(span);
    bytes += more;
  }
  return [...pieces, { ...batch, spans }];
}

/**
 * The steps that store a batch. If the batch is already stored, the first step ends the write.
 *
 * @param payloads the result of {@link encodePayloads}. Default: encodes them here
 */
export function ingestSteps(
  accountId: string,
  batch: IngestBatch,
  payloads?: ReadonlyMap<SpanRecord, StoredPayload>,
): { steps: Step[]; transfer: ArrayBuffer[] } {
  const receivedUs = parseTimestamp(batch.receivedAt);
  const whole: EncodedSpan[] = [];
  const continuing: EncodedSpan[] = [];
  for (const span of batch.spans) {
    const { payload, payloadBytes: bytes, cut } = payloads?.get(span) ?? storedPayload(span);
    const usage = summarizeSpanUsage(span, batch.costs?.get(span));
    const encoded = { span, payload, payloadBytes: bytes, cut, usage };
    (span.span_data.meta?.continues === true ? continuing : whole).push(encoded);
  }
  const noteBatch: Step = {
    sql: NOTE_BATCH,
    rows: [[accountId, batch.batchId, receivedUs]],
    mustChange: true,
  };
  const block = new TextBlock(blockBytes([...whole, ...continuing]));
  const parts = partSteps(accountId, whole, block);
  const spanRows = (spans: EncodedSpan[]) => spans.map((one) => spanRow(accountId, one, receivedUs));
  const payloadRows = (spans: EncodedSpan[]) => spans.map((one) => payloadRow(accountId, one, block));
  const steps = [
    ...(batch.batchId === undefined ? [] : [noteBatch]),
    ...parts.putting,
    ...tallied([
      { sql: PUT_SPAN, rows: spanRows(whole) },
      { sql: PUT_PAYLOAD, rows: payloadRows(whole) },
      { sql: CONTINUE_SPAN, rows: spanRows(continuing) },
      { sql: CONTINUE_PAYLOAD, rows: payloadRows(continuing) },
      ...lateBeginningSteps(accountId, whole),
      ...parts.counting,
    ]),
    ...parts.settling,
    { sql: NOTE_CHANGES, rows: changedTraces(accountId, batch) },
    ...facetSteps(accountId, [...whole, ...continuing]),
    ...traceFactSteps(accountId, batch),
  ];
  return { steps, transfer: block.transfer };
}

/** The bytes of texts to bind. A removed part leaves a mark of one byte. */
function blockBytes(spans: readonly EncodedSpan[]): number {
  return spans.reduce((sum, { payloadBytes, cut }) => sum + payloadBytes + (cut?.digests.length ?? 0), 0);
}

function changedTraces(accountId: string, { spans }: IngestBatch): SqlParameter[][] {
  const changed = new Set(spans.map(({ trace_id: id }) => id));
  return changed.size === 0 ? [] : [[accountId, JSON.stringify([...changed])]];
}

function storedPayload(span: SpanRecord, payload = encodePayload(span.span_data)): StoredPayload {
  return { payload, payloadBytes: payloadBytes(payload), cut: cutPayload(span, payload) };
}

function payloadRow(
  accountId: string,
  { span, payload, cut }: EncodedSpan,
  block: TextBlock,
): SqlParameter[] {
  const bound = bindPayload(cut?.payload ?? payload, block);
  return [
    accountId,
    span.trace_id,
    span.id,
    span.status !== 'unfinished',
    cut && JSON.stringify(cut.digests),
    bound.input,
    bound.output,
    bound.error,
    bound.prompt,
    bound.contexts,
    bound.usage,
    bound.meta,
    computeChecksum(cut === undefined ? bound : payload),
  ];
}

function spanRow(
  accountId: string,
  { span, payload, payloadBytes: bytes, usage }: EncodedSpan,
  receivedUs: SqlParameter,
): SqlParameter[] {
  return [
    accountId,
    span.trace_id,
    span.id,
    span.parent_id,
    span.trace_function_key,
    span.name,
    span.type,
    span.kind,
    span.level,
    span.status,
    parseTimestamp(span.started_at),
    span.ended_at === undefined ? undefined : parseTimestamp(span.ended_at),
    span.duration_ms,
    span.test_run_id,
    span.source_span_id,
    previewJson(payload.input),
    previewJson(payload.output),
    previewError(span.span_data.error),
    bytes,
    receivedUs,
    usage?.model,
    usage?.input_tokens,
    usage?.output_tokens,
    usage?.cost_usd,
    usage?.price_version,
  ];
}
