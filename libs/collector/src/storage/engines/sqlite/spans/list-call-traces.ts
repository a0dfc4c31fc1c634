import { formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { CallTraceFilter, Range } from '../../../ports/span-store.js';
import type { Reader } from '../connection.js';
import { LIST_BOUNDS, type ListBounds } from './list-traces.js';
import { joinConditions, type Condition, selectTraceIds, walkByTime } from './trace-walk.js';

/** An error is the worst outcome. Calls with another status may be in a trace with a worse outcome. */
const CALLS_OF_STATUS = {
  error: `c.outcome <> 'ok' AND c.outcome = 'error'`,
  cancelled: `c.outcome <> 'ok' AND c.cancelled_count > 0`,
  unfinished: `c.outcome <> 'ok' AND c.unfinished_count > 0`,
};

export async function listCallTraces(
  database: Reader,
  accountId: string,
  filter: CallTraceFilter,
  { limit, after }: Range,
  bounds?: ListBounds,
): Promise<{ trace_id: string; started_at: string }[]> {
  const { until, ...open } = filter;
  // SQLite seeks one end of the times in the index and scans entries up to the other.
  const isNearer =
    after !== undefined && until !== undefined && after[0] < formatTimestamp(parseTimestamp(until) ?? 0);
  const [from, ...parameters] = await callTraces(database, accountId, isNearer ? open : filter, bounds);
  const rows = await database.all<{ trace_id: string; started_us: number }>(
    `SELECT c.trace_id, c.started_us ${from} AND c.is_recording = 1
      ${after ? 'AND (c.started_us, c.trace_id) < (?, ?)' : ''}
      ORDER BY c.started_us DESC, c.trace_id DESC LIMIT ?`,
    [...parameters, ...(after ? [parseTimestamp(after[0]), after[1]] : []), limit],
  );
  return rows.map(({ trace_id, started_us }) => ({ trace_id, started_at: formatTimestamp(started_us) }));
}

export async function countCallTraces(
  database: Reader,
  accountId: string,
  filter: CallTraceFilter,
  bounds?: ListBounds,
): Promise<{ listed: number; others: number }> {
  const [from, ...parameters] = await callTraces(database, accountId, filter, bounds);
  const count = async (condition: string): Promise<number> => {
    const [row] = await database.all<{ n: number }>(`SELECT count(*) AS n ${from} ${condition}`, parameters);
    return row?.n ?? 0;
  };
  const [listed, all] = await Promise.all([count('AND c.is_recording = 1'), count('')]);
  return { listed, others: all - listed };
}

/** Starts from the session if it is short. Otherwise starts from the calls with the key, because a long session soon matches. */
async function callTraces(
  database: Reader,
  accountId: string,
  { traceFunctionKey, since, until, session_id, status }: CallTraceFilter,
  { few } = LIST_BOUNDS,
): Promise<Condition> {
  const conditions: Condition[] = [
    ['c.account_id = ?', accountId],
    ['c.trace_function_key = ?', traceFunctionKey],
    ...(since === undefined ? [] : [['c.started_us >= ?', parseTimestamp(since)] as const]),
    ...(until === undefined ? [] : [['c.started_us < ?', parseTimestamp(until)] as const]),
    ...(status === undefined ? [] : [[CALLS_OF_STATUS[status]] as const]),
  ];
  const index = status === undefined ? 'trace_calls_by_time' : 'trace_calls_not_ok';
  const calls = `FROM trace_calls c INDEXED BY ${index}`;
  if (session_id === undefined) return whereAll(calls, conditions);

  const { walk } = walkByTime(accountId, { session_id });
  const [found, ...parameters] = selectTraceIds(walk);
  const [row] = await database.all<{ n: number }>(
    `SELECT count(*) AS n FROM (${found} LIMIT ${few + 1})`,
    parameters,
  );
  const all = [...walk.conditions, ...conditions];
  return (row?.n ?? 0) > few
    ? whereAll(
        `${calls} CROSS JOIN traces t ON t.account_id = c.account_id AND t.trace_id = c.trace_id`,
        all.map(([sql, ...values]) => [sql.replace('t.session_id', '+t.session_id'), ...values]),
      )
    : whereAll(
        `FROM traces t INDEXED BY ${walk.index} CROSS JOIN trace_calls c ON c.trace_id = t.trace_id`,
        all,
      );
}

function whereAll(from: string, conditions: readonly Condition[]): Condition {
  const [sql, ...parameters] = joinConditions(conditions);
  return [`${from} WHERE ${sql}`, ...parameters];
}
