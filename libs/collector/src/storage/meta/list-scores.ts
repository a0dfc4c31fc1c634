import { formatTimestamp, parseTimestamp, type ScoreRecord } from '@dacapo/protocol';
import type { Range } from '../ports/range.js';
import type { ScoreKey, ScoreList, ScoreQuery } from '../ports/score.js';
import type { MetaTransaction, SqlParameter } from './transaction.js';

/** Scores that one page reads at most, except for a single target. */
const LOOKED_THROUGH = 1_000;

/** Newest first. Reads all scores of a single target. */
export async function listScores(
  db: MetaTransaction,
  accountId: string,
  query: ScoreQuery,
  { limit, after }: Range,
  lookedThrough = LOOKED_THROUGH,
): Promise<ScoreList> {
  const [target, targetId] = findTarget(query) ?? [];
  const [time, id] = after ?? [];
  const parameters: Record<string, SqlParameter> = { accountId, target, targetId };
  const walked = ['account_id = :accountId'];
  if (target !== undefined) walked.push('target = :target AND target_id = :targetId');
  const isByName = target === undefined && query.name !== undefined && !query.history;
  if (isByName) walked.push('name = :name AND is_latest = 1');
  if (time !== undefined) {
    walked.push('(created_us, score_id) < (:afterUs, :afterId)');
    Object.assign(parameters, { afterUs: parseTimestamp(time), afterId: id });
  }
  const index = db.dialect.indexedBy(
    isByName ? 'scores_by_name' : target === undefined ? 'scores_by_time' : 'scores_by_target',
  );
  const list = <R extends object>(
    columns: string,
    conditions: readonly string[],
    most: number,
    offset = 0,
  ): Promise<R[]> =>
    db.all<R>(
      `SELECT ${columns} FROM scores ${index} WHERE ${conditions.join(' AND ')}
        ORDER BY created_us DESC, score_id DESC LIMIT :most OFFSET :offset`,
      { ...parameters, most, offset },
    );
  const tests = buildFilters(query, isByName, parameters);
  const isBounded = target === undefined && tests.length > 0;
  const [end] = isBounded
    ? await list<{ created_us: number; score_id: string }>(
        'created_us, score_id',
        walked,
        1,
        lookedThrough - 1,
      )
    : [];
  if (end !== undefined) {
    walked.push('(created_us, score_id) >= (:endUs, :endId)');
    Object.assign(parameters, { endUs: end.created_us, endId: end.score_id });
  }
  const rows = await list<{ record: string }>('record', [...walked, ...tests], limit);
  return {
    scores: rows.map(({ record }) => JSON.parse(record) as ScoreRecord),
    ...(end && rows.length < limit && { lookedUntil: [formatTimestamp(end.created_us), end.score_id] }),
  };
}

function findTarget({
  traceId,
  sessionId,
  testRunId,
}: ScoreQuery): [target: ScoreKey['target'], id: string] | undefined {
  if (traceId !== undefined) return ['trace', traceId];
  if (sessionId !== undefined) return ['session', sessionId];
  return testRunId === undefined ? undefined : ['item', testRunId];
}

/** Conditions that no index supports. @param isByName the walked index has the latest scores of the name alone */
function buildFilters(
  { spanId, itemNo, name, author, history }: ScoreQuery,
  isByName: boolean,
  parameters: Record<string, SqlParameter>,
): string[] {
  Object.assign(parameters, { spanId, item: itemNo !== undefined && `${itemNo}/%`, name, author });
  return [
    ...(spanId === undefined ? [] : ['part = :spanId']),
    ...(itemNo === undefined ? [] : ['part LIKE :item']),
    ...(name === undefined || isByName ? [] : ['name = :name']),
    ...(author === undefined ? [] : ['author_name = :author']),
    ...(history || isByName ? [] : ['is_latest = 1']),
  ];
}
