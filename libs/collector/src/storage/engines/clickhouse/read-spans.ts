import { formatTimestamp } from '@dacapo/protocol';
import {
  type ClassedCall,
  MATCHES_OF_TRACE,
  type MatchingSpan,
  type SpanCondition,
  type SpanNode,
  type SpanRef,
} from '../../ports/span-store.js';
import { SPAN_FIELDS, type SpanFilter } from '../../ports/trace-filter.js';
import type { StoredSpan } from '../../rules/span-usage.js';
import { PAYLOAD_COLUMNS, type PayloadRow } from '../../spans/payload.js';
import {
  MATCHING_SPAN_COLUMNS,
  type MatchingSpanRow,
  SPAN_COLUMNS,
  type SpanRow,
  toMatchingSpan,
} from '../../spans/rows.js';
import { toStoredSpans } from '../../spans/stored-spans.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { OF_TRACES, currentSpans } from './tables.js';
import { spanConditions } from './trace-conditions.js';

const IN_ORDER = 'ORDER BY started_us, span_no';

const NODES = `SELECT trace_id, span_id, parent_id, trace_function_key, status, test_run_id, started_us, duration_ms, payload_bytes
  FROM ${currentSpans()} ${IN_ORDER}`;

const CLASSED_CALLS = `SELECT trace_id, span_id, class_name FROM ${currentSpans()}
  WHERE trace_function_key = {key:String} AND class_name IS NOT NULL`;

/** Selects columns of these spans. */
export function selectSpans<R extends object>(
  connection: ClickHouseConnection,
  accountId: string,
  spans: readonly SpanRef[],
  columns: string,
): Promise<R[]> {
  const where = `${OF_TRACES} AND concat(trace_id, '/', span_id) IN {refs:Array(String)}`;
  return connection.all<R>(`SELECT ${columns} FROM ${currentSpans(where)}`, {
    accountId,
    traceIds: [...new Set(spans.map(({ trace_id }) => trace_id))],
    refs: spans.map(({ trace_id, span_id }) => `${trace_id}/${span_id}`),
  });
}

export async function readSpans(
  connection: ClickHouseConnection,
  accountId: string,
  spans: readonly SpanRef[],
): Promise<StoredSpan[]> {
  const columns = `${SPAN_COLUMNS}, ${PAYLOAD_COLUMNS}`;
  const rows = await selectSpans<SpanRow & PayloadRow>(connection, accountId, spans, columns);
  return toStoredSpans(rows, (row) => row);
}

export async function findMatchingSpans(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
  { traceFunctionKey, span, parentIds, preferredStatus }: SpanCondition,
): Promise<MatchingSpan[]> {
  const conditions = new Conditions(accountId);
  for (const condition of spanConditions(conditions, traceFunctionKey, span)) conditions.add(condition);
  if (parentIds !== undefined) conditions.add(`parent_id IN ${conditions.bind(parentIds)}`);
  const isPreferred = preferredStatus === undefined ? 'true' : `status = ${conditions.bind(preferredStatus)}`;
  const rows = await connection.all<MatchingSpanRow>(
    `SELECT ${MATCHING_SPAN_COLUMNS} FROM (
      SELECT *, ${isPreferred} AS is_preferred,
        row_number() OVER (PARTITION BY trace_id ORDER BY is_preferred DESC, started_us, span_no) AS place
      FROM ${currentSpans()} WHERE ${conditions.sql})
      WHERE place = 1 OR (is_preferred AND place <= ${MATCHES_OF_TRACE}) ${IN_ORDER}`,
    { ...conditions.parameters, traceIds },
  );
  return rows.map(toMatchingSpan);
}

export async function listNodes(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
): Promise<SpanNode[]> {
  const rows = await connection.all<Omit<SpanNode, 'started_at'> & { started_us: number }>(NODES, {
    accountId,
    traceIds,
  });
  return rows.map(({ started_us, ...row }) => ({ ...row, started_at: formatTimestamp(started_us) }));
}

export function listClassedCalls(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
  key: string,
): Promise<ClassedCall[]> {
  return connection.all<ClassedCall>(CLASSED_CALLS, { accountId, traceIds, key });
}

export function matchCalls(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
  key: string,
  fields: Omit<SpanFilter, 'text'>,
): Promise<SpanRef[]> {
  const conditions = new Conditions(accountId);
  conditions.equal('trace_function_key', key);
  for (const field of SPAN_FIELDS) {
    if (fields[field] !== undefined) conditions.equal(field, fields[field]);
  }
  return connection.all<SpanRef>(`SELECT trace_id, span_id FROM ${currentSpans()} WHERE ${conditions.sql}`, {
    ...conditions.parameters,
    traceIds,
  });
}
