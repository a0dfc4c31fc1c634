import { LIMITS, parseTimestamp, TRACE_LABELS, type TraceRecord } from '@dacapo/protocol';
import type { FoundTrace, KnownTrace, Range, SpanPosition } from '../../ports/span-store.js';
import { decodeFacts, selectFacts, toRecord } from '../../spans/derive-trace.js';
import { SPAN_COLUMNS, type SpanSummaryRow, type TraceRow } from '../../spans/rows.js';
import { toFoundTrace, type TraceRows } from '../../spans/summaries.js';
import type { ClickHouseConnection } from './connection.js';
import { selectSpans } from './read-spans.js';
import { OF_TRACES, currentSpans, currentTraces } from './tables.js';

/** Columns of a trace `t`. {@link withRoots} reads those of its root. */
export const VERSION_COLUMNS = [
  'trace_id',
  'root_span_id',
  ...TRACE_LABELS,
  'tags',
  'test_run_id',
  'started_us',
  'status',
  'span_count',
  'error_count',
  'usage',
]
  .map((column) => `t.${column} AS ${column}`)
  .concat(['nullIf(t.tokens_order, -1) AS tokens', 'nullIf(t.cost_order, -1) AS cost_usd'])
  .join(', ');

type RootColumn =
  | 'trace_function_key'
  | 'name'
  | 'type'
  | 'ended_us'
  | 'duration_ms'
  | 'input_preview'
  | 'output_preview'
  | 'error_preview';

export type VersionRow = Omit<TraceRow, RootColumn>;

interface RootRow extends Pick<TraceRow, RootColumn | 'trace_id'> {
  meta?: string | null;
}

const NO_ROOT: Pick<TraceRow, RootColumn> = {
  trace_function_key: null,
  name: null,
  type: null,
  ended_us: null,
  duration_ms: null,
  input_preview: null,
  output_preview: null,
  error_preview: null,
};

/** @param more further columns of the roots, such as `meta` */
export async function withRoots<R extends VersionRow>(
  connection: ClickHouseConnection,
  accountId: string,
  rows: readonly R[],
  ...more: readonly string[]
): Promise<(R & RootRow)[]> {
  const refs = rows.flatMap(({ trace_id, root_span_id }) =>
    root_span_id === null ? [] : [{ trace_id, span_id: root_span_id }],
  );
  const columns = ['trace_id', ...Object.keys(NO_ROOT), ...more].join(', ');
  const roots = refs.length === 0 ? [] : await selectSpans<RootRow>(connection, accountId, refs, columns);
  const byTrace = new Map(roots.map((root) => [root.trace_id, root]));
  return rows.map((row) => ({ ...row, ...NO_ROOT, ...byTrace.get(row.trace_id) }));
}

export async function findTrace(
  connection: ClickHouseConnection,
  accountId: string,
  traceId: string,
  { limit, after }: Range<SpanPosition> = { limit: LIMITS.spansOfTrace },
): Promise<FoundTrace | undefined> {
  const [afterAt, afterNo = 0] = after ?? [];
  const traceIds = [traceId];
  const [[trace], [record], spans] = await Promise.all([
    connection
      .all<VersionRow>(`SELECT ${VERSION_COLUMNS} FROM ${currentTraces(OF_TRACES)} AS t`, {
        accountId,
        traceIds,
      })
      .then((versions) => withRoots(connection, accountId, versions, 'meta')),
    readTraces(connection, accountId, traceIds),
    connection.all<SpanSummaryRow>(
      `SELECT ${SPAN_COLUMNS}, mocked FROM ${currentSpans()}
        ${afterAt === undefined ? '' : 'WHERE (started_us, span_no) > ({afterUs:Int64}, {afterNo:UInt64})'}
        ORDER BY started_us, span_no LIMIT ${limit + 1}`,
      { accountId, traceIds, afterUs: parseTimestamp(afterAt ?? '') ?? 0, afterNo },
    ),
  ]);
  if (trace === undefined) return undefined;
  const origin = JSON.parse(trace.meta ?? '{}') as TraceRows['origin'];
  return toFoundTrace(accountId, { trace, origin, record, spans }, limit);
}

export async function readFacts(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
): Promise<KnownTrace[]> {
  const rows = await connection.all<{ trace_id: string; said: string[] }>(
    `SELECT trace_id, groupArrayIf(facts, facts != '') AS said FROM span_records
      WHERE account_id = {accountId:String} AND ${OF_TRACES} GROUP BY trace_id`,
    { accountId, traceIds },
  );
  return rows.map(({ trace_id: id, said }) => ({
    id,
    facts: selectFacts(
      id,
      said.flatMap((json) => decodeFacts(id, json)),
    ),
  }));
}

export async function readTraces(
  connection: ClickHouseConnection,
  accountId: string,
  traceIds: readonly string[],
): Promise<TraceRecord[]> {
  return (await readFacts(connection, accountId, traceIds)).map(({ id, facts }) => toRecord(id, facts));
}
