import type { ScoreFilter, ScoreKey } from '../../../ports/score.js';
import type { SqlParameter } from '../../../meta/transaction.js';

type Condition = [sql: string, ...parameters: SqlParameter[]];

/** A query of `column` for everything with a matching score that counts. */
export function scoredBy(
  column: 'target_id' | 'target_id AS trace_id',
  accountId: string,
  target: ScoreKey['target'],
  filter: ScoreFilter,
): Condition {
  const [sql, ...parameters] = fulfilling(accountId, target, filter);
  return [`SELECT ${column} FROM scores WHERE ${sql}`, ...parameters];
}

/** Whether one trace or session has a matching score. */
export function isScored(
  id: string,
  accountId: string,
  target: ScoreKey['target'],
  filter: ScoreFilter,
): Condition {
  const [sql, ...parameters] = fulfilling(accountId, target, filter);
  const ofTarget = `SELECT 1 FROM scores INDEXED BY scores_that_count WHERE target_id = ${id}`;
  return [`EXISTS (${ofTarget} AND ${sql})`, ...parameters];
}

/** The expression of an index. */
const VALUE_START = `substr(record -> '$.value', 1, 100)`;

function fulfilling(
  accountId: string,
  target: ScoreKey['target'],
  { name, is, below, above }: ScoreFilter,
): Condition {
  const values = is?.map((value) => JSON.stringify(value));
  const isOne =
    values &&
    `AND ${VALUE_START} IN (${values.map(() => `substr(?, 1, 100)`).join(', ')})
      AND record -> '$.value' IN (${values.map(() => '?').join(', ')})`;
  return [
    `account_id = ? AND target = ? AND is_latest = 1 AND name = ? AND is_given = 1 ${isOne ?? ''}
      ${below === undefined ? '' : 'AND amount < ?'} ${above === undefined ? '' : 'AND amount > ?'}`,
    accountId,
    target,
    name,
    ...(values ?? []),
    ...(values ?? []),
    ...(below === undefined ? [] : [below]),
    ...(above === undefined ? [] : [above]),
  ];
}
