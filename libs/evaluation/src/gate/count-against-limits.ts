import type { JsonObject, TestRunRecord, TestRunTotals } from '@dacapo/protocol';

/** A number of items that a limit counts. `missing` items fail every gate, `newErrors` fail gates without a limit on `errors`. */
export interface GateCount {
  limit: 'errors' | 'newErrors' | 'changed' | 'unknown' | 'diverged' | 'minItems' | 'missing';
  count: number;
}

/**
 * Compares the service's counts with a gate. `beyond`: counts that fail the gate, including too few items. `unasked`: nonzero counts
 * without a limit.
 *
 * @param gate as a reporter sent it; limits that are not numbers are ignored
 * @param expected number of items the run should have, see {@link expectedItems}
 */
export function countAgainstLimits(
  gate: JsonObject,
  totals: TestRunTotals,
  expected = 0,
): { beyond: GateCount[]; unasked: GateCount[] } {
  const readLimit = (name: GateCount['limit']): number | undefined => {
    const limit = gate[name];
    return typeof limit === 'number' ? limit : undefined;
  };
  const { changed, unknown, errors, newErrors } = countByLimit(totals, {
    changed: readLimit('changed'),
    unknown: readLimit('unknown'),
    errors: readLimit('errors'),
  });
  const counted: GateCount[] = [
    { limit: 'errors', count: errors },
    { limit: 'changed', count: changed },
    { limit: 'unknown', count: unknown },
    { limit: 'diverged', count: totals.diverged },
  ];
  const tooFew: GateCount[] = [
    ...(totals.items < (readLimit('minItems') ?? 1)
      ? [{ limit: 'minItems' as const, count: totals.items }]
      : []),
    ...(totals.items < expected ? [{ limit: 'missing' as const, count: expected - totals.items }] : []),
  ];
  return {
    beyond: [
      ...counted.filter(({ limit, count }) => count > (readLimit(limit) ?? Infinity)),
      ...(newErrors > 0 ? [{ limit: 'newErrors' as const, count: newErrors }] : []),
      ...tooFew,
    ],
    unasked: counted.filter(({ limit, count }) => readLimit(limit) === undefined && count > 0),
  };
}

/** Counts per limit of a gate. An item without its own limit counts in `changed`, or in a count without a limit. */
export interface LimitedCounts {
  changed: number;
  unknown: number;
  errors: number;
  /** 0 if `errors` has a limit. */
  newErrors: number;
}

/**
 * Assigns the items of a run to the limits of its gate. `changed` also counts new errors, and `unknown` items and other errors unless
 * these have their own limit.
 */
export function countByLimit(
  totals: Pick<TestRunTotals, 'changed' | 'unknown' | 'error' | 'new_errors'>,
  limits: { [L in 'changed' | 'unknown' | 'errors']?: number | undefined },
): LimitedCounts {
  const { changed, unknown, error, new_errors: newErrors } = totals;
  const isChangedLimited = limits.changed !== undefined;
  const isUnknownChanged = isChangedLimited && limits.unknown === undefined;
  const areErrorsChanged = isChangedLimited && limits.errors === undefined;
  const changedErrors = areErrorsChanged ? error : isChangedLimited ? newErrors : 0;
  return {
    changed: changed + (isUnknownChanged ? unknown : 0) + changedErrors,
    unknown: isUnknownChanged ? 0 : unknown,
    errors: areErrorsChanged ? 0 : error,
    newErrors: limits.errors === undefined ? newErrors : 0,
  };
}

type ExpectedFacts = {
  [F in 'selection' | 'dataset' | 'expected_items' | 'repeat']?: TestRunRecord[F] | undefined;
};

/** The number of items a run should have, including repetitions; 0 if unknown. */
export function expectedItems({
  selection,
  dataset,
  expected_items: reported = 0,
  repeat = 1,
}: ExpectedFacts): number {
  return (dataset?.items ?? selection?.items ?? reported) * repeat;
}

/**
 * A run's decision as shown in lists. `not yet`: it is running. `not decided`: it was interrupted, or the service's counts fail a gate
 * that the reporter passed.
 */
export function storedDecision({
  passed,
  undecided,
  status,
}: Pick<TestRunRecord, 'passed' | 'undecided' | 'status'>):
  'passed' | 'failed' | 'not decided' | 'not yet' | 'no gate' {
  if (status === 'running') return 'not yet';
  if (status === 'interrupted' || undecided) return 'not decided';
  if (passed === undefined) return 'no gate';
  return passed ? 'passed' : 'failed';
}
