import { type FirstCall, formatTimestamp } from '@dacapo/protocol';
import type { ClassedCall, FirstSpanQuery, SpanNode, SpanRef } from '../../ports/span-store.js';
import { SPAN_FIELDS, type SpanFilter } from '../../ports/trace-filter.js';
import type { StoredSpan } from '../../rules/span-usage.js';
import { PAYLOAD_COLUMNS, type PayloadRow } from '../../spans/payload.js';
import { type FirstSpanRow, SPAN_COLUMNS, type SpanRow, toFirstCall } from '../../spans/rows.js';
import { toStoredSpans } from '../../spans/stored-spans.js';
import { Conditions } from './conditions.js';
import type { ClickHouseConnection } from './connection.js';
import { OF_TRACES, spansOf } from './tables.js';

const IN_ORDER = 'ORDER BY started_us, span_no';

const NODES = `SELECT trace_id, span_id, parent_id, trace_function_key, status, test_run_id, started_us, duration_ms, payload_bytes
  FROM ${spansOf()} ${IN_ORDER}`;

const CLASSED_CALLS = `SELECT trace_id, span_id, class_name FROM ${spansOf()}
  WHERE trace_function_key = {key:String} AND class_name IS NOT NULL`;

const FIRST_SPANS = `SELECT trace_id, name, input_preview, output_preview, error_preview, trace_function_key, parent_id, status
  FROM ${spansOf()}`;

/** These columns of these spans. */
export function selectSpans<R extends object>(
  connection: ClickHouseConnection,
  accountId: string,
  spans: readonly SpanRef[],
  columns: string,
): Promise<R[]> {
  const where = `${OF_TRACES} AND concat(trace_id, '/', span_id) IN {refs:Array(String)}`;
  return connection.all<R>(`SELECT ${columns} FROM ${spansOf(where)}`, {
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

interface FirstSpan extends FirstSpanRow {
  trace_function_key: string;
  parent_id: string | null;
  status: string;
}

export async function findFirstSpans(
  connection: ClickHouseConnection,
  accountId: string,
  queries: readonly FirstSpanQuery[],
): Promise<(FirstCall & { trace_id: string })[]> {
  const conditions = new Conditions(accountId);
  const asked = {
    trace_function_key: queries.map(({ traceFunctionKey }) => traceFunctionKey),
    parent_id: queries.map(({ parentId }) => parentId),
    status: queries.map(({ status }) => status),
  };
  // What all of them ask for leaves fewer rows to choose from.
  for (const [column, values] of Object.entries(asked)) {
    const known = values.flatMap((value) => value ?? []);
    if (known.length === values.length) conditions.add(`${column} IN ${conditions.bind(known)}`);
  }
  const rows = await connection.all<FirstSpan>(`${FIRST_SPANS} WHERE ${conditions.sql} ${IN_ORDER}`, {
    ...conditions.parameters,
    traceIds: [...new Set(queries.map(({ traceId }) => traceId))],
  });
  return queries.flatMap(({ traceId, traceFunctionKey, parentId, status }) => {
    const first = rows.find(
      (row) =>
        row.trace_id === traceId &&
        row.trace_function_key === (traceFunctionKey ?? row.trace_function_key) &&
        row.parent_id === (parentId ?? row.parent_id) &&
        row.status === (status ?? row.status),
    );
    if (first === undefined) return [];
    const { trace_id, name, input_preview, output_preview, error_preview } = first;
    return [toFirstCall({ trace_id, name, input_preview, output_preview, error_preview })];
  });
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
  return connection.all<SpanRef>(`SELECT trace_id, span_id FROM ${spansOf()} WHERE ${conditions.sql}`, {
    ...conditions.parameters,
    traceIds,
  });
}
