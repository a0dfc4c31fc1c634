import {
  formatTimestamp,
  pickLabels,
  type SpanKind,
  type SpanLevel,
  type SpanStatus,
  type SpanSummary,
  type SpanUsage,
  type SpanType,
  TRACE_LABELS,
  type TraceAmount,
  type TraceLabel,
  type TraceSummary,
  type TraceUsage,
} from '@dacapo/protocol';
import type { MatchingSpan } from '../ports/span-store.js';
import type { StoredSpan } from '../rules/span-usage.js';
import { decodePayload, type PayloadRow } from './payload.js';

/** The columns of a span, without its payload. */
export interface SpanRow {
  span_no: number;
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  trace_function_key: string;
  name: string;
  type: SpanType;
  kind: SpanKind | null;
  level: SpanLevel | null;
  status: SpanStatus;
  started_us: number;
  ended_us: number | null;
  duration_ms: number | null;
  test_run_id: string | null;
  source_span_id: string | null;
  error_preview: string | null;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cost_usd: number | null;
  price_version: string | null;
}

export const SPAN_COLUMNS = `span_no, trace_id, span_id, parent_id, trace_function_key, name, type, kind, level, status, started_us,
  ended_us, duration_ms, test_run_id, source_span_id, error_preview, model, input_tokens, output_tokens, cost_usd,
  price_version`;

/** A span for its summary. Of its payload, only replayed spans read more. */
export interface SpanSummaryRow extends SpanRow {
  mocked: number | null;
}

export function toSpanSummary(row: SpanSummaryRow): SpanSummary {
  const usage = toSpanUsage(row);
  return {
    ...toCall(row),
    ...(row.error_preview !== null && { error_preview: row.error_preview }),
    ...(row.mocked === 1 && { mocked: true }),
    ...(usage !== undefined && { usage }),
  };
}

/** The fields that a span and its summary share. */
function toCall(row: SpanRow) {
  return {
    id: row.span_id,
    ...(row.parent_id !== null && { parent_id: row.parent_id }),
    trace_function_key: row.trace_function_key,
    name: row.name,
    type: row.type,
    ...(row.kind !== null && { kind: row.kind }),
    ...(row.level !== null && { level: row.level }),
    status: row.status,
    ...toTiming(row),
  };
}

export function toSpanUsage({
  model,
  input_tokens,
  output_tokens,
  cost_usd,
  price_version,
}: SpanRow): SpanUsage | undefined {
  const usage: SpanUsage = {
    ...(model !== null && { model }),
    ...(input_tokens !== null && { input_tokens }),
    ...(output_tokens !== null && { output_tokens }),
    ...(cost_usd !== null && { cost_usd }),
    ...(price_version !== null && { price_version }),
  };
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** Columns for the labels of traces and their times. */
export const LABEL_COLUMNS = [
  { label: 'session_id', saidUs: 'session_us' },
  { label: 'user_id', saidUs: 'user_us' },
  { label: 'environment', saidUs: 'environment_us' },
  { label: 'release', saidUs: 'release_us' },
] as const satisfies readonly { label: TraceLabel; saidUs: string }[];

export type SaidColumn = (typeof LABEL_COLUMNS)[number]['saidUs'];

export interface TraceRow extends Record<TraceLabel, string | null> {
  trace_id: string;
  root_span_id: string | null;
  tags: string | null;
  test_run_id: string | null;
  started_us: number;
  status: SpanStatus;
  span_count: number;
  error_count: number;
  tokens: number | null;
  cost_usd: number | null;
  trace_function_key: string | null;
  name: string | null;
  type: SpanType | null;
  ended_us: number | null;
  duration_ms: number | null;
  input_preview: string | null;
  output_preview: string | null;
  error_preview: string | null;
  usage: string | null;
}

/** The columns of amounts: -1 if unknown. */
export const AMOUNT_COLUMNS: Record<TraceAmount, string> = {
  duration_ms: 'duration_order',
  tokens: 'tokens_order',
  cost_usd: 'cost_order',
  span_count: 'span_count',
};

/** Columns of a trace `t` and its root span `r`. */
export const TRACE_COLUMNS = `t.trace_id, t.root_span_id, ${TRACE_LABELS.map((label) => `t.${label}`).join(', ')}, t.tags, t.test_run_id, t.started_us, t.status, t.span_count,
  t.error_count, nullif(t.tokens_order, -1) AS tokens, nullif(t.cost_order, -1) AS cost_usd, r.trace_function_key, r.name, r.type, r.ended_us, r.duration_ms, r.input_preview,
  r.output_preview, r.error_preview, t.usage`;

/** A trace without spans has no name and no key, and counts as unfinished. */
export function toTraceSummary(row: TraceRow): TraceSummary {
  return {
    id: row.trace_id,
    ...toTraceLabels(row),
    ...(row.tags !== null && { tags: JSON.parse(row.tags) as string[] }),
    trace_function_key: row.trace_function_key ?? '',
    name: row.name ?? '',
    type: row.type ?? 'custom',
    status: row.status,
    ...toTiming(row),
    span_count: row.span_count,
    error_count: row.error_count,
    ...(row.tokens !== null && { tokens: row.tokens }),
    ...(row.cost_usd !== null && { cost_usd: row.cost_usd }),
    ...(row.input_preview !== null && { input_preview: row.input_preview }),
    ...(row.output_preview !== null && { output_preview: row.output_preview }),
    ...(row.error_preview !== null && { error_preview: row.error_preview }),
    ...(row.test_run_id !== null && { test_run_id: row.test_run_id }),
    ...(row.usage !== null && { usage: JSON.parse(row.usage) as TraceUsage }),
  };
}

function toTraceLabels(row: TraceRow): Partial<Record<TraceLabel, string>> {
  return pickLabels(Object.fromEntries(TRACE_LABELS.map((label) => [label, row[label] ?? undefined])));
}

function toTiming(row: { started_us: number; ended_us: number | null; duration_ms: number | null }): {
  started_at: string;
  ended_at?: string;
  duration_ms?: number;
} {
  return {
    started_at: formatTimestamp(row.started_us),
    ...(row.ended_us !== null && { ended_at: formatTimestamp(row.ended_us) }),
    ...(row.duration_ms !== null && { duration_ms: row.duration_ms }),
  };
}

export function toStoredSpan(row: SpanRow, payload: PayloadRow): StoredSpan {
  return {
    ...toCall(row),
    trace_id: row.trace_id,
    span_data: decodePayload(payload),
    ...(row.test_run_id !== null && { test_run_id: row.test_run_id }),
    ...(row.source_span_id !== null && { source_span_id: row.source_span_id }),
    ...(row.cost_usd !== null && {
      cost: { usd: row.cost_usd, priceVersion: row.price_version ?? '' },
    }),
  };
}

/** A matching call, as lists show it. */
export interface MatchingSpanRow {
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  trace_function_key: string;
  name: string;
  type: SpanType;
  status: SpanStatus;
  input_preview: string | null;
  output_preview: string | null;
  error_preview: string | null;
  payload_bytes: number;
}

export const MATCHING_SPAN_COLUMNS =
  'trace_id, span_id, parent_id, trace_function_key, name, type, status, input_preview, output_preview, error_preview, payload_bytes';

export function toMatchingSpan({
  input_preview: input,
  output_preview: output,
  error_preview: error,
  ...row
}: MatchingSpanRow): MatchingSpan {
  return {
    ...row,
    ...(input !== null && { input_preview: input }),
    ...(output !== null && { output_preview: output }),
    ...(error !== null && { error_preview: error }),
  };
}
