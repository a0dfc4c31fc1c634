import type { JsonObject, TestRunRecord, TestRunTotals } from '@dacapo/protocol';

/** Items that a limit of a gate counts; `missing` ones fail any gate. */
export interface GateCount {
  limit: 'errors' | 'changed' | 'unknown' | 'diverged' | 'minItems' | 'missing';
  count: number;
}

/**
 * What a service counted beside what a gate lets through: `beyond`, what it does not allow, too few items included; `unasked`, what
 * is there and has no limit. What cannot be compared counts as changed, unless it has a limit of its own.
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
  const isOwn = limitOf('unknown') !== undefined || limitOf('changed') === undefined;
  const counted: GateCount[] = [
    { limit: 'errors', count: totals.error },
    { limit: 'changed', count: totals.changed + (isOwn ? 0 : totals.unknown) },
    { limit: 'unknown', count: isOwn ? totals.unknown : 0 },
    { limit: 'diverged', count: totals.diverged },
  ];
  const tooFew: GateCount[] = [
    ...(totals.items < (limitOf('minItems') ?? 1)
      ? [{ limit: 'minItems' as const, count: totals.items }]
      : []),
    ...(totals.items < expected ? [{ limit: 'missing' as const, count: expected - totals.items }] : []),
  ];
  return {
    beyond: [...counted.filter(({ limit, count }) => count > (limitOf(limit) ?? Infinity)), ...tooFew],
    unasked: counted.filter(({ limit, count }) => limitOf(limit) === undefined && count > 0),
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
