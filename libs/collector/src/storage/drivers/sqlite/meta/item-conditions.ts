import type { ItemFilter, ItemKey } from '../../../test-run-store.js';
import type { SqlParameter } from '../sql-value.js';

export type Condition = [sql: string, ...parameters: SqlParameter[]];

const ACCEPTED = `(accepted = 1 OR EXISTS (SELECT 1 FROM accepted_outcomes a
  WHERE a.account_id = test_run_items.account_id AND a.test_run_id = test_run_items.test_run_id
    AND a.item_no = test_run_items.item_no AND a.repetition = test_run_items.repetition AND a.taken_back_us IS NULL))`;

/** The order of `worstFirst`, for a row of `test_run_items`. A boolean is 1 or 0 as SQL reads it. */
const SEVERITY = `CASE WHEN new_error = 1 THEN 0 WHEN verdict = 'error' THEN 1 WHEN verdict = 'changed' AND fixed = 0 THEN 2
  WHEN EXISTS (SELECT 1 FROM json_each(summary, '$.scores') s JOIN json_each(summary, '$.original_scores') o
    ON o.value ->> '$.name' = s.value ->> '$.name' AND json_type(s.value, '$.value') <> 'text'
      AND json_type(o.value, '$.value') <> 'text' AND s.value ->> '$.value' < o.value ->> '$.value') THEN 3
  WHEN verdict = 'unknown' THEN 4 WHEN diverged = 1 THEN 5 WHEN fixed = 1 THEN 6 ELSE 7 END`;

/** The order of a list of items. */
export function itemOrder({ worstFirst = false }: ItemFilter): string {
  return `${worstFirst ? `${SEVERITY}, ` : ''}item_no, repetition`;
}

/** The item that a page begins behind. Its severity is looked up: a cursor has its number alone. */
function behind(accountId: string, runId: string, after: ItemKey, worstFirst: boolean): Condition {
  if (!worstFirst) return ['(item_no, repetition) > (?, ?)', ...after];
  const ofRow = 'account_id = ? AND test_run_id = ? AND item_no = ? AND repetition = ?';
  return [
    `(${SEVERITY}, item_no, repetition) >
      (coalesce((SELECT ${SEVERITY} FROM test_run_items WHERE ${ofRow}), -1), ?, ?)`,
    ...[accountId, runId, ...after],
    ...after,
  ];
}

/** What is asked of the rows of `test_run_items`. */
export function itemConditions(
  accountId: string,
  runId: string,
  { verdict, flag, newTraceId, isPending, accepted, score, worstFirst = false }: ItemFilter,
  after: ItemKey = [-1, 0],
): Condition[] {
  return [
    ['account_id = ? AND test_run_id = ?', accountId, runId],
    behind(accountId, runId, after, worstFirst),
    ...(verdict === undefined ? [] : [['verdict = ?', verdict] satisfies Condition]),
    ...(flag === undefined ? [] : [[`${flag} = 1`] satisfies Condition]),
    ...(newTraceId === undefined ? [] : [['new_trace_id = ?', newTraceId] satisfies Condition]),
    ...(isPending ? [['is_pending = 1'] satisfies Condition] : []),
    ...(accepted === undefined ? [] : [[accepted ? ACCEPTED : `NOT ${ACCEPTED}`] satisfies Condition]),
    ...(score === undefined ? [] : [scoreCondition(score)]),
  ];
}

/** Scores of a report are in its summary. A boolean is 1 or 0 as SQL reads it; text is greater than each number. */
function scoreCondition({ name, is, below, above, given }: NonNullable<ItemFilter['score']>): Condition {
  const values = is && JSON.stringify(is.map((value) => JSON.stringify(value)));
  return [
    `(EXISTS (SELECT 1 FROM json_each(summary, '$.scores') WHERE value ->> '$.name' = ?
        AND value ->> '$.value' IS NOT NULL
        ${values === undefined ? '' : `AND value -> '$.value' IN (SELECT j.value FROM json_each(?) j)`}
        ${below === undefined && above === undefined ? '' : `AND json_type(value, '$.value') <> 'text'`}
        ${below === undefined ? '' : `AND value ->> '$.value' < ?`}
        ${above === undefined ? '' : `AND value ->> '$.value' > ?`})
      OR (item_no, repetition) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?)))`,
    name,
    ...(values === undefined ? [] : [values]),
    ...(below === undefined ? [] : [below]),
    ...(above === undefined ? [] : [above]),
    JSON.stringify(given),
  ];
}
