import type { Page, TraceSummary } from '@dacapo/protocol';
import { decodeCursor, encodeCursor, type PageRequest } from '../../../pages.js';
import type { TraceFilter } from '../../../span-store.js';
import type { Connection } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';
import { firstCalls } from './first-calls.js';
import { JOIN_ROOT, toTraceSummary, TRACE_COLUMNS, type TraceRow } from './rows.js';

/** Under a key, traces sort by the first call of the key; otherwise by their start. */
export async function listTraces(
  database: Connection,
  accountId: string,
  filter: TraceFilter,
  page: PageRequest,
): Promise<Page<TraceSummary>> {
  const byKey = filter.traceFunctionKey !== undefined;
  const sorted = byKey ? 'c' : 't';
  const conditions: [string, SqlParameter[]][] = [
    [`${sorted}.account_id = ?`, [accountId]],
    ...(byKey ? [equals('c.trace_function_key', filter.traceFunctionKey)] : []),
    ...(filter.sessionId === undefined ? [] : [equals('t.session_id', filter.sessionId)]),
    ...(filter.status === undefined ? [] : [equals('t.status', filter.status)]),
    ...(filter.testRunId === undefined ? [] : [equals('t.test_run_id', filter.testRunId)]),
    ...(filter.withoutReplays === undefined
      ? []
      : [['t.test_run_id IS NULL', []] as [string, SqlParameter[]]]),
    ...(page.cursor === undefined ? [] : [after(sorted, page.cursor)]),
  ];
  const rows = await database.all<TraceRow & { sorted_us: number }>(
    `SELECT ${TRACE_COLUMNS}, ${sorted}.started_us AS sorted_us
      FROM ${byKey ? 'trace_calls c CROSS JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id' : 'traces t'}
      ${JOIN_ROOT}
      WHERE ${conditions.map(([sql]) => sql).join(' AND ')}
      ORDER BY ${sorted}.started_us DESC, ${sorted}.trace_id DESC LIMIT ?`,
    [...conditions.flatMap(([, parameters]) => parameters), page.limit + 1],
  );
  const kept = rows.slice(0, page.limit);
  const last = kept.at(-1);
  const calls = await firstCalls(database, accountId, kept, filter.traceFunctionKey);
  return {
    items: kept.map((row) => {
      const call = calls.get(row.trace_id);
      return { ...toTraceSummary(row), ...(call !== undefined && { first_call: call }) };
    }),
    ...(rows.length > kept.length && last && { next_cursor: encodeCursor([last.sorted_us, last.trace_id]) }),
  };
}

function equals(column: string, value: SqlParameter): [string, SqlParameter[]] {
  return [`${column} = ?`, [value]];
}

function after(table: string, cursor: string): [string, SqlParameter[]] {
  return [`(${table}.started_us, ${table}.trace_id) < (?, ?)`, decodeCursor(cursor, [0, ''])];
}
