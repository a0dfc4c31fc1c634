import type { Parameters } from '../../../meta/transaction.js';
import { SPAN_COLUMNS, type SpanRow } from '../../../spans/rows.js';
import type { SpanRef } from '../../../ports/span-store.js';
import type { PostgresTransaction } from '../meta-transaction.js';
import { OF_TRACES } from './tables.js';

/** The stored state of a trace. */
export interface StoredTrace {
  trace_id: string;
  session_id: string | null;
  test_run_id: string | null;
  started_us: number;
  span_count: number;
  facts: string;
}

export type KnownSpan = SpanRow & { is_open: 0 | 1 };

/** A separate statement, because rows of other tables would be as old as the start of the wait for a lock. */
const LOCK_TRACES = `SELECT trace_id, session_id, test_run_id, started_us, span_count, facts FROM traces
  WHERE ${OF_TRACES} ORDER BY trace_id FOR UPDATE`;

const CONTRIBUTIONS = `SELECT trace_id, contribution FROM trace_metrics WHERE ${OF_TRACES}`;

const SPANS_OF_TRACES = `SELECT ${SPAN_COLUMNS}, is_open FROM spans WHERE ${OF_TRACES} ORDER BY started_us, span_no`;

const THESE_SPANS = `SELECT ${SPAN_COLUMNS.replace(/\w+/g, 's.$&')}, s.is_open
  FROM (SELECT e.value ->> 0 AS trace_id, e.value ->> 1 AS span_id FROM jsonb_array_elements(:refs::jsonb) e) ref
  JOIN spans s ON s.account_id = :accountId AND s.trace_id = ref.trace_id AND s.span_id = ref.span_id`;

/**
 * Deletes spans with their payloads and texts.
 *
 * @param numbers a query of their numbers
 */
export async function removeSpans(
  db: PostgresTransaction,
  numbers: string,
  parameters: Parameters,
): Promise<number> {
  const row = await db.get<{ spans: number }>(
    `WITH removed AS (DELETE FROM spans WHERE span_no = ANY(ARRAY(${numbers})) RETURNING span_no),
      payloads AS (DELETE FROM span_payloads WHERE span_no IN (SELECT span_no FROM removed)),
      texts AS (DELETE FROM span_texts WHERE span_no IN (SELECT span_no FROM removed))
      SELECT count(*) AS spans FROM removed`,
    parameters,
  );
  return row?.spans ?? 0;
}

/** Locks the existing traces among these until the transaction ends. */
export async function lockTraces(
  db: PostgresTransaction,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, StoredTrace>> {
  const locked = await db.all<StoredTrace>(LOCK_TRACES, { accountId, traceIds: JSON.stringify(ids) });
  return new Map(locked.map((trace) => [trace.trace_id, trace]));
}

/** The stored contributions of traces to sums. */
export async function readContributions(
  db: PostgresTransaction,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db.all<{ trace_id: string; contribution: string }>(CONTRIBUTIONS, {
    accountId,
    traceIds: JSON.stringify(ids),
  });
  return new Map(rows.map(({ trace_id, contribution }) => [trace_id, contribution]));
}

/** All spans of traces, sorted by start. */
export async function readSpansOfTraces(
  db: PostgresTransaction,
  accountId: string,
  ids: readonly string[],
): Promise<KnownSpan[]> {
  if (ids.length === 0) return [];
  return db.all<KnownSpan>(SPANS_OF_TRACES, { accountId, traceIds: JSON.stringify(ids) });
}

/** The existing spans among these. */
export async function readTheseSpans(
  db: PostgresTransaction,
  accountId: string,
  refs: readonly SpanRef[],
): Promise<KnownSpan[]> {
  if (refs.length === 0) return [];
  const named = refs.map(({ trace_id, span_id }) => [trace_id, span_id]);
  return db.all<KnownSpan>(THESE_SPANS, { accountId, refs: JSON.stringify(named) });
}
