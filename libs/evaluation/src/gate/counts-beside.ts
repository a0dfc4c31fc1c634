import type { JsonObject, TestRunTotals } from '@dacapo/protocol';

/** Items that a limit of a gate counts. */
export interface GateCount {
  limit: 'errors' | 'changed' | 'unknown' | 'diverged';
  count: number;
}

/**
 * What a service counted beside what a gate lets through: `beyond`, more than a limit of its allows; `unasked`, what is there and
 * has no limit. What cannot be compared counts as changed, unless it has a limit of its own.
 *
 * @param gate as a reporter sent it: a limit that is no number is none
 */
export function countsBeside(
  gate: JsonObject,
  totals: TestRunTotals,
): { beyond: GateCount[]; unasked: GateCount[] } {
  const limitOf = (name: GateCount['limit']): number | undefined => {
    const limit = gate[name];
    return typeof limit === 'number' ? limit : undefined;
  };
  const isOwn = limitOf('unknown') !== undefined || limitOf('changed') === undefined;
  const counted: GateCount[] = [
    { limit: 'errors', count: totals.error },
    { limit: 'changed', count: totals.changed + (isOwn ? 0 : totals.unknown) },
    { limit: 'unknown', count: isOwn ? totals.unknown : 0 },
    { limit: 'diverged', count: totals.diverged },
  ];
  return {
    beyond: counted.filter(({ limit, count }) => count > (limitOf(limit) ?? Infinity)),
    unasked: counted.filter(({ limit, count }) => limitOf(limit) === undefined && count > 0),
  };
}
