import type { ItemFilter, ItemKey } from '../../../test-run-store.js';
import type { SqlParameter } from '../sql-value.js';

export type Condition = [sql: string, ...parameters: SqlParameter[]];

const ACCEPTED = `(accepted = 1 OR EXISTS (SELECT 1 FROM accepted_outcomes a
  WHERE a.account_id = test_run_items.account_id AND a.test_run_id = test_run_items.test_run_id
    AND a.item_no = test_run_items.item_no AND a.repetition = test_run_items.repetition AND a.taken_back_us IS NULL))`;

/** What is asked of the rows of `test_run_items`. */
export function itemConditions(
  accountId: string,
  runId: string,
  { verdict, flag, newTraceId, isPending, accepted, score }: ItemFilter,
  after: ItemKey = [-1, 0],
): Condition[] {
  return [
    ['account_id = ? AND test_run_id = ?', accountId, runId],
    ['(item_no, repetition) > (?, ?)', ...after],
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
