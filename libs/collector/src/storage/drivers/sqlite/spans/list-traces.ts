import { type FirstCall, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { FirstSpanQuery, ListedTrace, Range, TraceFilter } from '../../../span-store.js';
import type { Reader } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';
import { isScored, scoredBy } from './scores.js';
import { JOIN_ROOT, toTraceSummary, TRACE_COLUMNS, type TraceRow } from './rows.js';

type Condition = [sql: string, ...parameters: SqlParameter[]];

export async function listTraces(
  database: Reader,
  accountId: string,
  filter: TraceFilter,
  { limit, after }: Range,
): Promise<ListedTrace[]> {
  const byKey = filter.traceFunctionKey !== undefined;
  const sorted = byKey ? 'c' : 't';
  const equals = (column: string, value: string | undefined): Condition[] =>
    value === undefined ? [] : [[`${column} = ?`, value]];
  const sortedAt = (comparison: string, time: string | undefined): Condition[] =>
    time === undefined ? [] : [[`${sorted}.started_us ${comparison} ?`, parseTimestamp(time)]];
  const conditions: Condition[] = [
    [`${sorted}.account_id = ?`, accountId],
    ...equals('c.trace_function_key', filter.traceFunctionKey),
    ...equals('t.session_id', filter.sessionId),
    ...equals(`${sorted}.outcome`, filter.status),
    // Said so that the index of those is taken.
    ...(filter.status === undefined || filter.status === 'ok'
      ? []
      : [[`${sorted}.outcome <> 'ok'`] satisfies Condition]),
    ...equals('t.test_run_id', filter.testRunId),
    ...(filter.withoutReplays ? recorded(byKey) : []),
    ...sortedAt('>=', filter.since),
    ...sortedAt('<', filter.until),
    ...(await scoreConditions(database, accountId, filter)),
    ...(after === undefined
      ? []
      : ([
          [`(${sorted}.started_us, ${sorted}.trace_id) < (?, ?)`, parseTimestamp(after[0]), after[1]],
        ] satisfies Condition[])),
  ];
  const rows = await database.all<TraceRow & { sorted_us: number }>(
    `SELECT ${TRACE_COLUMNS}, ${sorted}.started_us AS sorted_us
      FROM ${byKey ? 'trace_calls c CROSS JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id' : 'traces t'}
      ${JOIN_ROOT}
      WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
      ORDER BY ${sorted}.started_us DESC, ${sorted}.trace_id DESC LIMIT ?`,
    [...conditions.flatMap(([, ...parameters]) => parameters), limit],
  );
  return rows.map((row) => ({
    trace: toTraceSummary(row),
    ...(row.root_span_id !== null && { rootSpanId: row.root_span_id }),
    sortedAt: formatTimestamp(row.sorted_us),
  }));
}

/** A call of the key may be none of a replay in a trace that has one elsewhere. */
function recorded(byKey: boolean): Condition[] {
  return [['t.test_run_id IS NULL'], ...(byKey ? [['c.is_replay = 0'] satisfies Condition] : [])];
}

/** Of a score that few traces have, these are looked up; else traces are looked through, and a page is soon full. */
const FEW_SCORES = 1000;

async function scoreConditions(
  database: Reader,
  accountId: string,
  { score }: TraceFilter,
): Promise<Condition[]> {
  if (score === undefined) return [];
  const [scored, ...parameters] = scoredBy('target_id', accountId, 'trace', score);
  const more = await database.all(`${scored} LIMIT 1 OFFSET ?`, [...parameters, FEW_SCORES]);
  return more.length === 0
    ? [[`t.trace_id IN (${scored})`, ...parameters]]
    : [isScored('t.trace_id', accountId, 'trace', score)];
}

interface FirstSpanRow {
  trace_id: string;
  name: string;
  input_preview: string | null;
  output_preview: string | null;
  error_preview: string | null;
}

const FIRST_SPANS = `SELECT f.trace_id, f.name, f.input_preview, f.output_preview, f.error_preview
  FROM json_each(?) w CROSS JOIN spans f
  ON f.span_no = (SELECT s.span_no FROM spans s
    WHERE s.account_id = ? AND s.trace_id = w.value ->> 0
      AND s.trace_function_key = coalesce(w.value ->> 1, s.trace_function_key)
      AND (w.value ->> 2 IS NULL OR s.parent_id = w.value ->> 2) AND s.status = coalesce(w.value ->> 3, s.status)
    ORDER BY s.started_us, s.span_no LIMIT 1)`;

export async function findFirstSpans(
  database: Reader,
  accountId: string,
  queries: FirstSpanQuery[],
): Promise<(FirstCall & { trace_id: string })[]> {
  const wanted = queries.map(({ traceId, traceFunctionKey = null, parentId = null, status = null }) => [
    traceId,
    traceFunctionKey,
    parentId,
    status,
  ]);
  const rows = await database.all<FirstSpanRow>(FIRST_SPANS, [JSON.stringify(wanted), accountId]);
  return rows.map(
    ({ trace_id, name, input_preview: input, output_preview: output, error_preview: error }) => ({
      trace_id,
      name,
      ...(input !== null && { input_preview: input }),
      ...(output !== null && { output_preview: output }),
      ...(error !== null && { error_preview: error }),
    }),
  );
}
