import { formatTimestamp, type TraceFunctionKeySummary } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { ClassedCall, SpanNode, SpanRef } from '../../../ports/span-store.js';
import { SPAN_FIELDS, type SpanFilter } from '../../../ports/trace-filter.js';
import type { StoredSpan } from '../../../rules/span-usage.js';
import { PAYLOAD_COLUMNS, type PayloadRow } from '../../../spans/payload.js';
import { SPAN_COLUMNS, type SpanRow } from '../../../spans/rows.js';
import { toStoredSpans } from '../../../spans/stored-spans.js';
import { KEY_COUNTS, OF_TRACES } from './tables.js';

const READ_SPANS = `SELECT ${SPAN_COLUMNS.replace(/\w+/g, 's.$&')}, ${PAYLOAD_COLUMNS}
  FROM (SELECT e.value ->> 0 AS trace_id, e.value ->> 1 AS span_id FROM jsonb_array_elements(:refs::jsonb) e) ref
  JOIN spans s ON s.account_id = :accountId AND s.trace_id = ref.trace_id AND s.span_id = ref.span_id
  JOIN span_payloads p ON p.span_no = s.span_no`;

const NODES = `SELECT trace_id, span_id, parent_id, trace_function_key, status, test_run_id, started_us, duration_ms, payload_bytes
  FROM spans WHERE ${OF_TRACES} ORDER BY started_us, span_no`;

const CLASSED_CALLS = `SELECT trace_id, span_id, class_name FROM spans
  WHERE ${OF_TRACES} AND trace_function_key = :key AND class_name IS NOT NULL`;

/** One index lookup for each key, however many calls it has. */
const KEYS = `SELECT k.trace_function_key, k.span_count, c.last_started_us
  FROM (SELECT trace_function_key, sum(span_count) AS span_count FROM ${KEY_COUNTS.name}
    WHERE account_id = :accountId GROUP BY trace_function_key) k
  CROSS JOIN LATERAL (SELECT max(last_started_us) AS last_started_us FROM trace_calls
    WHERE account_id = :accountId AND trace_function_key = k.trace_function_key) c
  WHERE c.last_started_us IS NOT NULL
  ORDER BY c.last_started_us DESC, k.trace_function_key`;

export async function readSpans(
  db: MetaTransaction,
  accountId: string,
  spans: readonly SpanRef[],
): Promise<StoredSpan[]> {
  const refs = JSON.stringify(spans.map(({ trace_id, span_id }) => [trace_id, span_id]));
  const rows = await db.all<SpanRow & PayloadRow>(READ_SPANS, { accountId, refs });
  return toStoredSpans(rows, (row) => row);
}

export async function listNodes(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
): Promise<SpanNode[]> {
  const rows = await db.all<Omit<SpanNode, 'started_at'> & { started_us: number }>(NODES, {
    accountId,
    traceIds: JSON.stringify(traceIds),
  });
  return rows.map(({ started_us, ...row }) => ({ ...row, started_at: formatTimestamp(started_us) }));
}

export function listClassedCalls(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
  key: string,
): Promise<ClassedCall[]> {
  return db.all<ClassedCall>(CLASSED_CALLS, { accountId, traceIds: JSON.stringify(traceIds), key });
}

export function matchCalls(
  db: MetaTransaction,
  accountId: string,
  traceIds: readonly string[],
  key: string,
  fields: Omit<SpanFilter, 'text'>,
): Promise<SpanRef[]> {
  const asked = SPAN_FIELDS.filter((name) => fields[name] !== undefined);
  return db.all<SpanRef>(
    `SELECT trace_id, span_id FROM spans WHERE ${OF_TRACES} AND trace_function_key = :key
      ${asked.map((name) => `AND ${name} = :${name}`).join(' ')}`,
    { accountId, traceIds: JSON.stringify(traceIds), key, ...fields },
  );
}

export async function listTraceFunctionKeys(
  db: MetaTransaction,
  accountId: string,
): Promise<TraceFunctionKeySummary[]> {
  const rows = await db.all<{ trace_function_key: string; span_count: number; last_started_us: number }>(
    KEYS,
    {
      accountId,
    },
  );
  return rows.map(({ last_started_us, ...row }) => ({
    ...row,
    last_started_at: formatTimestamp(last_started_us),
  }));
}
