import type { JsonObject, TestRunRecord, TestRunTotals } from '@dacapo/protocol';

/** Items that a limit of a gate counts. `missing` ones fail any gate, `newErrors` each gate without a limit on `errors`. */
export interface GateCount {
  limit: 'errors' | 'newErrors' | 'changed' | 'unknown' | 'diverged' | 'minItems' | 'missing';
  count: number;
}

/**
 * What a service counted beside what a gate lets through: `beyond`, what it does not allow, too few items included; `unasked`, what
 * is there and has no limit.
 *
 * @param gate as a reporter sent it: a limit that is no number is none
 * @param expected how many items there are to be, see {@link expectedItems}
 */
export function countsBeside(
  gate: JsonObject,
  totals: TestRunTotals,
  expected = 0,
): { beyond: GateCount[]; unasked: GateCount[] } {
  const limitOf = (name: GateCount['limit']): number | undefined => {
    const limit = gate[name];
    return typeof limit === 'number' ? limit : undefined;
  };
  const { changed, unknown, errors, newErrors } = countsOfLimits(totals, {
    changed: limitOf('changed'),
    unknown: limitOf('unknown'),
    errors: limitOf('errors'),
  });
  const counted: GateCount[] = [
    { limit: 'errors', count: errors },
    { limit: 'changed', count: changed },
    { limit: 'unknown', count: unknown },
    { limit: 'diverged', count: totals.diverged },
  ];
  const tooFew: GateCount[] = [
    ...(totals.items < (limitOf('minItems') ?? 1)
      ? [{ limit: 'minItems' as const, count: totals.items }]
      : []),
    ...(totals.items < expected ? [{ limit: 'missing' as const, count: expected - totals.items }] : []),
  ];
  return {
    beyond: [
      ...counted.filter(({ limit, count }) => count > (limitOf(limit) ?? Infinity)),
      ...(newErrors > 0 ? [{ limit: 'newErrors' as const, count: newErrors }] : []),
      ...tooFew,
    ],
    unasked: counted.filter(({ limit, count }) => limitOf(limit) === undefined && count > 0),
  };
}

/** What each limit of a gate counts. Each item that has no limit of its own is in `changed`, or in a count without a limit. */
export interface LimitedCounts {
  changed: number;
  unknown: number;
  errors: number;
  /** 0 where `errors` has a limit. */
  newErrors: number;
}

/**
 * Assigns the items of a run to the limits of its gate. `changed` also counts new errors; it counts `unknown` items and the other errors
 * where they have no limit of their own.
 *
 * @param totals without `new_errors`, of a run that finished before these were counted: as they were counted then
 */
export function countsOfLimits(
  totals: Pick<TestRunTotals, 'changed' | 'unknown' | 'error' | 'new_errors'>,
  limits: { [L in 'changed' | 'unknown' | 'errors']?: number | undefined },
): LimitedCounts {
  const { changed, unknown, error, new_errors: newErrors } = totals;
  const isChangedLimited = limits.changed !== undefined;
  const isUnknownChanged = isChangedLimited && limits.unknown === undefined;
  const areErrorsChanged = isChangedLimited && limits.errors === undefined && newErrors !== undefined;
  const changedErrors = areErrorsChanged ? error : isChangedLimited ? (newErrors ?? 0) : 0;
  return {
    changed: changed + (isUnknownChanged ? unknown : 0) + changedErrors,
    unknown: isUnknownChanged ? 0 : unknown,
    errors: areErrorsChanged ? 0 : error,
    newErrors: limits.errors === undefined ? (newErrors ?? 0) : 0,
  };
}

type ExpectedFacts = {
  [F in 'selection' | 'dataset' | 'expected_items' | 'repeat']?: TestRunRecord[F] | undefined;
};

/** How many items a run is to have, repetitions included, as far as that is known; else 0. */
export function expectedItems({
  selection,
  dataset,
  expected_items: told = 0,
  repeat = 1,
}: ExpectedFacts): number {
  return (dataset?.items ?? selection?.items ?? told) * repeat;
}

/**
 * What a list says of a run's decision. Before its end (`not yet`, and `not decided` of an interrupted one), and where its gate is not
 * kept by what the service counts, nothing is decided; that is another thing than no gate.
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
