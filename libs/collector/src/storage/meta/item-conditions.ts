import type { ItemFilter, ItemKey } from '../ports/test-run.js';
import type { Dialect } from './dialect.js';
import type { Parameters } from './transaction.js';

const ACCEPTED = `(accepted = 1 OR EXISTS (SELECT 1 FROM accepted_outcomes a
  WHERE a.account_id = test_run_items.account_id AND a.test_run_id = test_run_items.test_run_id
    AND a.item_no = test_run_items.item_no AND a.repetition = test_run_items.repetition AND a.taken_back_us IS NULL))`;

const JUDGED = '(judgement IS NOT NULL OR is_ignored = 1)';

/** Looks up the severity of the item before the page, because a cursor has only its number. */
const BEHIND_WORST = `(severity, item_no, repetition) > (coalesce((SELECT o.severity FROM test_run_items o
    WHERE o.account_id = :accountId AND o.test_run_id = :runId AND o.item_no = :afterItem
      AND o.repetition = :afterRepetition), -1),
  :afterItem, :afterRepetition)`;

/** The columns that sort a list of items. */
export function itemOrder({ worstFirst = false }: ItemFilter): string {
  return `${worstFirst ? 'severity, ' : ''}item_no, repetition`;
}

/** The SQL conditions of a filter on `test_run_items`. */
export function itemConditions(
  dialect: Dialect,
  accountId: string,
  runId: string,
  filter: ItemFilter,
  [afterItem, afterRepetition]: ItemKey = [-1, 0],
): { where: string; parameters: Parameters } {
  const { verdict, flag, newTraceId, isPending, accepted, judged, score, worstFirst = false } = filter;
  const conditions = [
    'account_id = :accountId AND test_run_id = :runId',
    worstFirst ? BEHIND_WORST : '(item_no, repetition) > (:afterItem, :afterRepetition)',
  ];
  if (verdict !== undefined) conditions.push('verdict = :verdict');
  if (flag !== undefined) conditions.push(`${flag} = 1`);
  if (newTraceId !== undefined) conditions.push('new_trace_id = :newTraceId');
  if (isPending) conditions.push('is_pending = 1');
  if (accepted !== undefined) conditions.push(accepted ? ACCEPTED : `NOT ${ACCEPTED}`);
  if (judged !== undefined) conditions.push(judged ? JUDGED : `NOT ${JUDGED}`);
  if (score !== undefined) conditions.push(scoreCondition(dialect, score));
  const parameters = {
    accountId,
    runId,
    afterItem,
    afterRepetition,
    verdict,
    newTraceId,
    name: score?.name,
    values: score?.is && JSON.stringify(score.is.map((value) => JSON.stringify(value))),
    below: score?.below,
    above: score?.above,
  };
  return { where: conditions.join(' AND '), parameters };
}

/** Scores of a report are in its summary; later scores have their own table. */
function scoreCondition(dialect: Dialect, score: NonNullable<ItemFilter['score']>): string {
  const { text, number, objects } = dialect;
  const reported = [`${text('r.value', 'name')} = :name`, `${text('r.value', 'value')} IS NOT NULL`];
  const scoreConditions = ['s.is_given = 1', 's.name = :name'];
  return `(EXISTS (SELECT 1 FROM ${objects('summary', 'scores')} r
      WHERE ${[...reported, ...bounds('r.value', number('r.value', 'value'))].join(' AND ')})
    OR EXISTS (SELECT 1 FROM scores s WHERE s.account_id = test_run_items.account_id AND s.target = 'item'
      AND s.target_id = test_run_items.test_run_id AND s.part = item_no || '/' || repetition AND s.is_latest = 1
      AND ${[...scoreConditions, ...bounds('s.record', 's.amount')].join(' AND ')}))`;

  function bounds(record: string, amount: string): string[] {
    return [
      ...(score.is === undefined ? [] : [dialect.isAmong(record, 'value', ':values')]),
      ...(score.below === undefined ? [] : [`${amount} < :below`]),
      ...(score.above === undefined ? [] : [`${amount} > :above`]),
    ];
  }
}
