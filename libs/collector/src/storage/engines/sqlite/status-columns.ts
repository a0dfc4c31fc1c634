import { WORST_FIRST } from '../../rules/trace-summary.js';

type Counted = (typeof WORST_FIRST)[number];

/** Columns of `traces` and `trace_calls`: the number of spans with each status, and the resulting outcome. */
export const STATUS_COLUMNS = [...WORST_FIRST.map((status) => `${status}_count`), 'outcome'].join(', ');

/** The values of {@link STATUS_COLUMNS}. @param selectCount returns an expression for the number of spans with a status */
export function statusValues(selectCount: (status: Counted) => string): string[] {
  const worst = WORST_FIRST.map((status) => `WHEN ${selectCount(status)} > 0 THEN '${status}'`);
  return [...WORST_FIRST.map(selectCount), `CASE ${worst.join(' ')} ELSE 'ok' END`];
}

/** Assigns {@link statusValues} in an UPDATE. */
export function setStatus(selectCount: (status: Counted) => string): string {
  return `(${STATUS_COLUMNS}) = (${statusValues(selectCount).join(', ')})`;
}
