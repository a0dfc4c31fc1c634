import { formatTimestamp, parseTimestamp, type ScoreRecord } from '@dacapo/protocol';
import type { ScoreQuery } from '../../../score-log.js';
import type { Range, ScoreList } from '../../../span-store.js';
import type { Reader } from '../connection.js';
import { LIST_BOUNDS, type ListBounds } from './list-traces.js';
import { allOf, type Condition } from './trace-walk.js';

/** The newest first. Those of one target are all looked through, of others so many for one page. */
export async function listScores(
  database: Reader,
  accountId: string,
  query: ScoreQuery,
  { limit, after }: Range,
  { lookedThrough }: ListBounds = LIST_BOUNDS,
): Promise<ScoreList> {
  const target = targetOf(query);
  const tests = testsOf(query);
  const walked: Condition[] = [
    ['account_id = ?', accountId],
    ...(target === undefined ? [] : [['target = ? AND target_id = ?', ...target] as const]),
    ...(after ? [['(created_us, score_id) < (?, ?)', parseTimestamp(after[0]), after[1]] as const] : []),
  ];
  const list = <R extends object>(
    columns: string,
    conditions: readonly Condition[],
    most: number,
    offset = 0,
  ): Promise<R[]> => {
    const [asked, ...parameters] = allOf(conditions);
    return database.all<R>(
      `SELECT ${columns} FROM scores INDEXED BY ${target === undefined ? 'scores_by_time' : 'scores_by_target'}
        WHERE ${asked} ORDER BY created_us DESC, score_id DESC LIMIT ? OFFSET ?`,
      [...parameters, most, offset],
    );
  };
  const [end] =
    target === undefined && tests.length > 0
      ? await list<{ created_us: number; score_id: string }>(
          'created_us, score_id',
          walked,
          1,
          lookedThrough - 1,
        )
      : [];
  const until: Condition[] = end ? [['(created_us, score_id) >= (?, ?)', end.created_us, end.score_id]] : [];
  const rows = await list<{ record: string }>('record', [...walked, ...until, ...tests], limit);
  return {
    scores: rows.map(({ record }) => JSON.parse(record) as ScoreRecord),
    ...(end && rows.length < limit && { lookedUntil: [formatTimestamp(end.created_us), end.score_id] }),
  };
}

function targetOf({ traceId, sessionId, testRunId }: ScoreQuery): [target: string, id: string] | undefined {
  if (traceId !== undefined) return ['trace', traceId];
  if (sessionId !== undefined) return ['session', sessionId];
  return testRunId === undefined ? undefined : ['item', testRunId];
}

/** What no index is sorted by. */
function testsOf({ spanId, itemNo, name, author, history }: ScoreQuery): Condition[] {
  return [
    ...(spanId === undefined ? [] : [['part = ?', spanId] as const]),
    ...(itemNo === undefined ? [] : [['part GLOB ?', `${itemNo}/*`] as const]),
    ...(name === undefined ? [] : [['name = ?', name] as const]),
    ...(author === undefined ? [] : [['author_name = ?', author] as const]),
    ...(history ? [] : [['is_latest = 1'] as const]),
  ];
}
