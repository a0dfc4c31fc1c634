import { formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { ScoreFilter } from '../../../ports/score.js';
import type { Position, Range, SessionList } from '../../../ports/span-store.js';
import type { Reader } from '../connection.js';
import { LIST_BOUNDS, type ListBounds } from './list-traces.js';
import { isScored, scoredBy } from './scores.js';
import { joinConditions, type Condition } from './trace-walk.js';

interface SessionRow {
  session_id: string;
  trace_count: number;
  first_us: number;
  last_us: number;
}

const BY_TIME = 'sessions s INDEXED BY sessions_by_time';
const ORDER = 'ORDER BY s.last_us DESC, s.session_id DESC';

/** Looks up sessions with a score if these are few. Otherwise reads sessions, newest first. */
export async function listSessions(
  database: Reader,
  accountId: string,
  { score }: { score?: ScoreFilter },
  { limit, after }: Range,
  { few, lookedThrough }: ListBounds = LIST_BOUNDS,
): Promise<SessionList> {
  const walked: Condition[] = [
    ['s.account_id = ?', accountId],
    ...(after ? [['(s.last_us, s.session_id) < (?, ?)', parseTimestamp(after[0]), after[1]] as const] : []),
  ];
  const list = async (
    [from, ...parameters]: Condition,
    conditions: readonly Condition[],
    most = limit,
    offset = 0,
  ): Promise<SessionRow[]> => {
    const [asked, ...values] = joinConditions(conditions);
    return database.all<SessionRow>(
      `SELECT s.session_id, s.trace_count, s.first_us, s.last_us FROM ${from} WHERE ${asked}
        ${ORDER} LIMIT ? OFFSET ?`,
      [...parameters, ...values, most, offset],
    );
  };
  if (score === undefined) return { sessions: toSummaries(await list([BY_TIME], walked)) };

  const [found, ...parameters] = scoredBy('target_id', accountId, 'session', score);
  const [row] = await database.all<{ n: number }>(
    `SELECT count(*) AS n FROM (${found} LIMIT ${few + 1})`,
    parameters,
  );
  if ((row?.n ?? 0) <= few) {
    const from = `(SELECT DISTINCT target_id FROM (${found})) f CROSS JOIN sessions s ON s.session_id = f.target_id`;
    return { sessions: toSummaries(await list([from, ...parameters], walked)) };
  }
  const [end] = await list([BY_TIME], walked, 1, lookedThrough - 1);
  const rows = await list(
    [BY_TIME],
    [
      ...walked,
      ...(end ? [['(s.last_us, s.session_id) >= (?, ?)', end.last_us, end.session_id] as const] : []),
      isScored('s.session_id', accountId, 'session', score),
    ],
  );
  return { sessions: toSummaries(rows), ...(end && rows.length < limit && { lookedUntil: toPosition(end) }) };
}

function toSummaries(rows: readonly SessionRow[]): SessionList['sessions'] {
  return rows.map(({ first_us, last_us, ...row }) => ({
    ...row,
    first_started_at: formatTimestamp(first_us),
    last_started_at: formatTimestamp(last_us),
  }));
}

function toPosition({ last_us, session_id }: SessionRow): Position {
  return [formatTimestamp(last_us), session_id];
}
