import { formatTimestamp, isTimeSort, parseTimestamp, type TraceSort } from '@dacapo/protocol';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { CallTraceFilter, Range, TraceList, TracePosition } from '../../../ports/span-store.js';
import type { TraceFilter } from '../../../ports/trace-filter.js';
import { AMOUNT_COLUMNS, toTraceSummary, TRACE_COLUMNS, type TraceRow } from '../../../spans/rows.js';
import { Conditions } from './conditions.js';
import { LIST_TABLES, ListConditions } from './list-conditions.js';
import { LIST_BOUNDS, type ListBounds, lookAhead } from './look-ahead.js';
import { JOIN_ROOT } from './read-traces.js';

const CALLS = 'trace_calls c JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id';

/** Reads a bounded number of traces, whatever the filter; see {@link lookAhead}. */
export async function listTraces(
  db: MetaTransaction,
  accountId: string,
  filter: TraceFilter,
  { limit, after }: Range<TracePosition>,
  sort: TraceSort,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<TraceList> {
  const isByTime = isTimeSort(sort);
  const [direction, isBehind] = sort === 'oldest' ? ['ASC', '>'] : ['DESC', '<'];
  const { walk, tested, table } = new ListConditions(accountId, filter, sort);
  const sortedBy = isTimeSort(sort) ? `${table}.started_us` : `t.${AMOUNT_COLUMNS[sort]}`;
  const toPosition = (by: number, id: string): TracePosition => [isByTime ? formatTimestamp(by) : by, id];
  if (after !== undefined) {
    const [by, id] = after;
    const place = isByTime ? parseTimestamp(String(by)) : Number(by);
    walk.add(`(${sortedBy}, ${table}.trace_id) ${isBehind} (${walk.bind(place)}, ${walk.bind(id)})`);
  }
  const from = `${LIST_TABLES[table]} ${table}`;
  const inOrder = `ORDER BY ${sortedBy} ${direction}, ${table}.trace_id ${direction}`;
  const join = joinOther(walk, table, filter);
  const place = [sortedBy, `${table}.trace_id`] as const;
  const walked = { from, where: walk.sql, inOrder, place, tested: [table, join] as const };
  const { few, end } = await lookAhead(db, walked, tested, walk.parameters, bounds);
  const tests = tested.map(({ test }) => test);
  const [source, where] =
    few === undefined
      ? [
          `(SELECT ${table}.* FROM ${from} WHERE ${walk.sql} ${inOrder}
            ${tests.length === 0 ? '' : `LIMIT ${walk.bind(bounds.lookedThrough)}`}) ${table}`,
          tests,
        ]
      : [
          `(SELECT DISTINCT trace_id FROM (${few}) q OFFSET 0) f JOIN ${from} ON ${table}.trace_id = f.trace_id`,
          [walk.sql, ...tests],
        ];
  const rows = await db.all<TraceRow & { sorted_by: number }>(
    `SELECT ${TRACE_COLUMNS}, page.sorted_by FROM (
        SELECT ${table}.account_id, ${table}.trace_id, ${sortedBy} AS sorted_by FROM ${source} ${join}
        ${where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`} ${inOrder} LIMIT ${walk.bind(limit)}) page
      JOIN traces t ON t.account_id = page.account_id AND t.trace_id = page.trace_id ${JOIN_ROOT}
      ORDER BY page.sorted_by ${direction}, page.trace_id ${direction}`,
    walk.parameters,
  );
  return {
    traces: rows.map((row) => ({
      trace: toTraceSummary(row),
      ...(row.root_span_id !== null && { rootSpanId: row.root_span_id }),
      position: toPosition(row.sorted_by, row.trace_id),
    })),
    ...(end && rows.length < limit && { lookedUntil: toPosition(...end) }),
  };
}

/** Conditions may test traces `t` next to the calls `c` of a key, and vice versa. */
function joinOther(walk: Conditions, table: 't' | 'c', { traceFunctionKey: key }: TraceFilter): string {
  if (table === 'c') return 'JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id';
  if (key === undefined) return '';
  return `JOIN trace_calls c ON c.account_id = t.account_id AND c.trace_id = t.trace_id
    AND c.trace_function_key = ${walk.bind(key)}`;
}

export async function listCallTraces(
  db: MetaTransaction,
  accountId: string,
  filter: CallTraceFilter,
  { limit, after }: Range,
): Promise<{ trace_id: string; started_at: string }[]> {
  const conditions = callConditions(accountId, filter);
  conditions.add('c.is_recording = 1');
  if (after !== undefined) {
    const place = [conditions.bind(parseTimestamp(after[0])), conditions.bind(after[1])];
    conditions.add(`(c.started_us, c.trace_id) < (${place.join(', ')})`);
  }
  const rows = await db.all<{ trace_id: string; started_us: number }>(
    `SELECT c.trace_id, c.started_us FROM ${joinTables(filter)} WHERE ${conditions.sql}
      ORDER BY c.started_us DESC, c.trace_id DESC LIMIT ${conditions.bind(limit)}`,
    conditions.parameters,
  );
  return rows.map(({ trace_id, started_us }) => ({ trace_id, started_at: formatTimestamp(started_us) }));
}

export async function countCallTraces(
  db: MetaTransaction,
  accountId: string,
  filter: CallTraceFilter,
): Promise<{ listed: number; others: number }> {
  const conditions = callConditions(accountId, filter);
  const row = await db.get<{ listed: number; others: number }>(
    `SELECT count(*) FILTER (WHERE c.is_recording = 1) AS listed, count(*) FILTER (WHERE c.is_recording = 0) AS others
      FROM ${joinTables(filter)} WHERE ${conditions.sql}`,
    conditions.parameters,
  );
  return row ?? { listed: 0, others: 0 };
}

function joinTables({ session_id }: CallTraceFilter): string {
  return session_id === undefined ? 'trace_calls c' : CALLS;
}

function callConditions(
  accountId: string,
  { traceFunctionKey, since, until, session_id, status }: CallTraceFilter,
): Conditions {
  const conditions = new Conditions();
  conditions.equal('c.account_id', accountId);
  conditions.equal('c.trace_function_key', traceFunctionKey);
  if (since !== undefined) conditions.compare('c.started_us', '>=', parseTimestamp(since));
  if (until !== undefined) conditions.compare('c.started_us', '<', parseTimestamp(until));
  if (session_id !== undefined) conditions.equal('t.session_id', session_id);
  if (status !== undefined) conditions.add(`c.outcome <> 'ok' AND c.${status}_count > 0`);
  return conditions;
}
