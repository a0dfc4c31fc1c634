import type { SpanRecord, SpanUsage } from '@dacapo/protocol';
import { previewJson } from '../../../rules/preview.js';
import type { Step } from '../connection.js';
import type { EncodedPayload } from '../../../spans/payload.js';
import type { CutPayload } from './payload-parts.js';

/** A span, encoded for the tables. */
export interface EncodedSpan {
  readonly span: SpanRecord;
  readonly payload: EncodedPayload;
  /** Size in UTF-8. */
  readonly payloadBytes: number;
  /** Stored instead of the payload, if it has large parts. */
  readonly cut: CutPayload | undefined;
  readonly usage: SpanUsage | undefined;
}

/**
 * SQL for the payload of a span that was sent in two parts: `begun`, its unfinished record, and `rest`, the record with `continues` (see
 * `CaptureMeta`). Both are names of rows.
 */
export function joinedFields(begun: string, rest: string): string {
  const [first, next] = [`nullif(${begun}.contexts, '[]')`, `nullif(${rest}.contexts, '[]')`];
  return `input = coalesce(${rest}.input, ${begun}.input), prompt = coalesce(${rest}.prompt, ${begun}.prompt),
    contexts = coalesce(rtrim(${first}, ']') || ',' || ltrim(${next}, '['), ${first}, ${next}),
    meta = nullif(json_patch(
      json_remove(coalesce(${begun}.meta, '{}'), '$.output', '$.stream', '$.sync', '$.mocked'),
      json_remove(${rest}.meta, '$.continues', '$.replayable')), '{}')`;
}

const THE_SPAN = 'account_id = ? AND trace_id = ? AND span_id = ?';

/** Whether the second part of such a span arrived first. */
export const AWAITS_BEGINNING = `coalesce(span_payloads.meta ->> '$.continues', 0) = 1`;

const ADD_PREVIEW = `UPDATE spans SET input_preview = ?, payload_bytes = payload_bytes + ?
  WHERE ${THE_SPAN} AND span_no IN (
    SELECT span_no FROM span_payloads WHERE span_no = spans.span_no AND ${AWAITS_BEGINNING})`;

const ADD_BEGINNING = `UPDATE span_payloads SET ${joinedFields('begun', 'span_payloads')}, checksum = NULL
  FROM (SELECT ? AS input, ? AS prompt, ? AS contexts, ? AS meta) AS begun
  WHERE span_no = (SELECT span_no FROM spans WHERE ${THE_SPAN}) AND ${AWAITS_BEGINNING}`;

/** Steps for unfinished records that arrive after the records that continue them, because batches overtake each other. */
export function lateBeginningSteps(accountId: string, spans: readonly EncodedSpan[]): Step[] {
  const begun = spans.filter(({ span }) => span.status === 'unfinished');
  const toKey = ({ trace_id, id }: SpanRecord): string[] => [accountId, trace_id, id];
  return [
    {
      sql: ADD_PREVIEW,
      rows: begun.map(({ span, payload: { input, prompt, contexts } }) => [
        previewJson(input),
        [input, prompt, contexts].reduce((bytes, json) => bytes + Buffer.byteLength(json ?? ''), 0),
        ...toKey(span),
      ]),
    },
    {
      sql: ADD_BEGINNING,
      rows: begun.map(({ span, payload: { input, prompt, contexts, meta } }) => [
        input,
        prompt,
        contexts,
        meta,
        ...toKey(span),
      ]),
    },
  ];
}
