import { formatTimestamp, parseTimestamp, type TraceSort } from '@dacapo/protocol';
import type { Range, TraceList, TracePosition } from '../../../span-store.js';
import type { TraceFilter } from '../../../trace-filter.js';
import type { Reader } from '../connection.js';
import type { SqlParameter } from '../sql-value.js';
import { JOIN_ROOT, toTraceSummary, TRACE_COLUMNS, type TraceRow } from './rows.js';
import { amountColumn, type Condition, type TestedCondition, traceConditions } from './trace-conditions.js';

export interface ListBounds {
  /** Where a condition finds so many traces at most, these are looked up and sorted; else traces are looked through in their order. */
  few: number;
  /** How many are looked through for one page at most. */
  lookedThrough: number;
}

const LIST_BOUNDS: ListBounds = { few: 2_000, lookedThrough: 5_000 };

/** Along which table a list is read: traces `t`, or the calls `c` of a key. */
interface Walk {
  first: 't' | 'c';
  /** The first table. */
  table: string;
  /** The other one, where it is asked. */
  join: string;
  sorted: string;
  toParameter: (by: string | number) => SqlParameter;
  fromColumn: (by: number) => string | number;
}

export async function listTraces(
  database: Reader,
  accountId: string,
  filter: TraceFilter,
  { limit, after }: Range<TracePosition>,
  sort: TraceSort,
  bounds: ListBounds = LIST_BOUNDS,
): Promise<TraceList> {
  const walk = walkOf(filter, sort);
  const { first, sorted, toParameter } = walk;
  const { walked, tested } = traceConditions(accountId, filter, sort);
  if (after !== undefined) {
    walked.push([`(${sorted}, ${first}.trace_id) < (?, ?)`, toParameter(after[0]), after[1]]);
  }
  const few = await fewestOf(database, tested, bounds);
  const end =
    few === undefined && tested.length > 0 ? await endOf(database, walk, walked, bounds) : undefined;
  const conditions = [
    ...walked,
    ...(end ? [[`(${sorted}, ${first}.trace_id) >= (?, ?)`, end.by, end.trace_id] satisfies Condition] : []),
    ...tested.map(({ test }) => test),
  ];
  const [found, ...foundParameters] = few ?? [''];
  const rows = await database.all<TraceRow & { sorted_by: number }>(
    `SELECT ${TRACE_COLUMNS}, ${sorted} AS sorted_by
      FROM ${few ? `(SELECT DISTINCT trace_id FROM (${found})) f CROSS JOIN ` : ''}${walk.table} ${walk.join} ${JOIN_ROOT}
      WHERE ${few ? `${first}.trace_id = f.trace_id AND ` : ''}${conditions.map(([sql]) => sql).join(' AND ')}
      ORDER BY ${sorted} DESC, ${first}.trace_id DESC LIMIT ?`,
    [...foundParameters, ...conditions.flatMap(([, ...parameters]) => parameters), limit],
  );
  return {
    traces: rows.map((row) => ({
      trace: toTraceSummary(row),
      ...(row.root_span_id !== null && { rootSpanId: row.root_span_id }),
      position: [walk.fromColumn(row.sorted_by), row.trace_id],
    })),
    ...(end && rows.length < limit && { lookedUntil: [walk.fromColumn(end.by), end.trace_id] }),
  };
}

function walkOf({ traceFunctionKey }: TraceFilter, sort: TraceSort): Walk {
  const [traces, calls] = ['traces t', 'trace_calls c'];
  const joined = (other: string): string =>
    `CROSS JOIN ${other} ON t.account_id = c.account_id AND t.trace_id = c.trace_id`;
  const byKey = traceFunctionKey !== undefined;
  if (sort !== 'time') {
    const join = byKey ? joined(calls) : '';
    const same = (by: number): number => by;
    return {
      ...{ first: 't', table: traces, join, sorted: amountColumn(sort) },
      ...{ toParameter: (by) => by, fromColumn: same },
    };
  }
  const time = {
    toParameter: (by: string | number) => parseTimestamp(String(by)),
    fromColumn: formatTimestamp,
  };
  return byKey
    ? { first: 'c', table: calls, join: joined(traces), sorted: 'c.started_us', ...time }
    : { first: 't', table: traces, join: '', sorted: 't.started_us', ...time };
}

/** What finds the fewest traces, where these are few. */
async function fewestOf(
  database: Reader,
  tested: readonly TestedCondition[],
  { few }: ListBounds,
): Promise<Condition | undefined> {
  const all = tested.flatMap(({ candidates }) => (candidates ? [candidates] : []));
  if (all.length === 0) return undefined;
  const counts = all.map(([sql]) => `(SELECT count(*) FROM (${sql} LIMIT ${few + 1}))`);
  const [row] = await database.all<{ counts: string }>(
    `SELECT json_array(${counts.join(', ')}) AS counts`,
    all.flatMap(([, ...parameters]) => parameters),
  );
  const found = JSON.parse(row?.counts ?? '[]') as number[];
  const fewest = Math.min(...found);
  return fewest > few ? undefined : all[found.indexOf(fewest)];
}

/** The last trace that is looked at, where there are more. */
async function endOf(
  database: Reader,
  { table, first, sorted }: Walk,
  walked: readonly Condition[],
  { lookedThrough }: ListBounds,
): Promise<{ by: number; trace_id: string } | undefined> {
  const [end] = await database.all<{ by: number; trace_id: string }>(
    `SELECT ${sorted} AS by, ${first}.trace_id FROM ${table} WHERE ${walked.map(([sql]) => sql).join(' AND ')}
      ORDER BY ${sorted} DESC, ${first}.trace_id DESC LIMIT 1 OFFSET ${lookedThrough - 1}`,
    walked.flatMap(([, ...parameters]) => parameters),
  );
  return end;
}
