import { holm } from '@dacapo/evaluation';
import type { Change } from '@dacapo/protocol';
import type { Tally } from '../storage/rules/tally.js';
import { exactShareTest } from './exact-test.js';
import { rankSumTest } from './rank-sum-test.js';

/** The maximum probability of any false alarm in one comparison, over all of its tests. */
const FALSE_ALARMS = 0.01;
/** Smaller increases are not reported, even if they are certain. */
const LEAST_RATIO = 1.25;
/** A new kind of error is a fact, so each is tested by itself, against being rare in both periods. */
const RARE = 0.05;
const PERCENTILE = 0.95;

/** Calls of one function in two periods. */
export interface ComparedFunction {
  traceFunctionKey: string;
  current: Tally;
  baseline: Tally;
  /** The tallies of its hours or days, to compare costs of which only sums are known. */
  currentParts: readonly Tally[];
  baselineParts: readonly Tally[];
}

/** Failed traces of the current period whose error began in a call of this key. */
export interface ErrorKind {
  traceFunctionKey: string;
  error: string;
  traces: number;
}

interface Test {
  p: number;
  change: Change & { baseline: number };
}

/**
 * What got worse, worst first: new errors and failures by the number of failed calls, then costs and durations by ratio. Two equal
 * periods have no change, and few calls are no evidence. It compares periods and claims no cause: see docs/adr/0145.
 *
 * @param newErrors kinds of errors that the baseline does not have
 */
export function findChanges(
  functions: readonly ComparedFunction[],
  newErrors: readonly ErrorKind[],
): Change[] {
  const compared = functions.filter(({ current, baseline }) => current.calls > 0 && baseline.calls > 0);
  const tests = compared.flatMap((one) => [
    ...testFailures(one, countNew(newErrors, one)),
    ...testDuration(one),
    ...testCost(one),
  ]);
  const adjusted = holm(tests.map(({ p }) => p));
  const rises = tests.flatMap(({ change }, index) => {
    const ratio = change.current / change.baseline;
    if ((adjusted[index] ?? 1) > FALSE_ALARMS || !(ratio >= LEAST_RATIO)) return [];
    return [Number.isFinite(ratio) ? { ...change, ratio } : change];
  });
  const byKey = new Map(compared.map((one) => [one.traceFunctionKey, one]));
  const errors = newErrors.flatMap((kind) => toNewError(kind, byKey.get(kind.traceFunctionKey)));
  return [...errors, ...rises].sort(worstFirst);
}

function toNewError(
  { traceFunctionKey, error, traces }: ErrorKind,
  found: ComparedFunction | undefined,
): Change[] {
  if (found === undefined) return [];
  const { current, baseline } = found;
  const hits = Math.min(traces, current.calls);
  const p = exactShareTest({ hits, of: current.calls }, { hits: 0, of: baseline.calls });
  if (p > RARE) return [];
  return [
    {
      kind: 'new_error',
      trace_function_key: traceFunctionKey,
      error,
      current: traces,
      baseline: 0,
      calls: current.calls,
      baseline_calls: baseline.calls,
    },
  ];
}

/** Failed traces that a new kind of error explains. */
function countNew(newErrors: readonly ErrorKind[], { traceFunctionKey: key }: ComparedFunction): number {
  return newErrors
    .filter(({ traceFunctionKey }) => traceFunctionKey === key)
    .reduce((sum, { traces }) => sum + traces, 0);
}

/** Whether the share of failed calls is higher, apart from those that new errors explain. */
function testFailures({ traceFunctionKey, current, baseline }: ComparedFunction, explained: number): Test[] {
  const hits = Math.max(0, current.errors - explained);
  const p = exactShareTest({ hits, of: current.calls }, { hits: baseline.errors, of: baseline.calls });
  const shares: [number, number] = [hits / current.calls, baseline.errors / baseline.calls];
  return [{ p, change: toChange('failures', traceFunctionKey, shares, [current.calls, baseline.calls]) }];
}

/** Whether more calls than chance explains took longer than the 95th percentile of the baseline. */
function testDuration({ traceFunctionKey, current, baseline }: ComparedFunction): Test[] {
  const [now, before] = [current.percentile(PERCENTILE), baseline.percentile(PERCENTILE)];
  if (now === undefined || before === undefined) return [];
  const [slow, usual] = [current.countLongerThan(before), baseline.countLongerThan(before)];
  const p = exactShareTest({ hits: slow.longer, of: slow.ended }, { hits: usual.longer, of: usual.ended });
  return [{ p, change: toChange('duration', traceFunctionKey, [now, before], [slow.ended, usual.ended]) }];
}

/** Whether the costs per call of hours or days are higher. A cost without a price is unknown, not 0. */
function testCost({ traceFunctionKey, current, baseline, ...parts }: ComparedFunction): Test[] {
  const isKnown = ({ modelCalls, unpricedCalls }: Tally): boolean => modelCalls > 0 && unpricedCalls === 0;
  if (!isKnown(current) || !isKnown(baseline)) return [];
  const p = rankSumTest(
    parts.currentParts.filter(({ calls }) => calls > 0).map(costPerCall),
    parts.baselineParts.filter(({ calls }) => calls > 0).map(costPerCall),
  );
  const costs: [number, number] = [costPerCall(current), costPerCall(baseline)];
  return [{ p, change: toChange('cost', traceFunctionKey, costs, [current.calls, baseline.calls]) }];
}

/** In US dollars. */
function costPerCall({ costNanoUsd, calls }: Tally): number {
  return costNanoUsd / 1e9 / calls;
}

function toChange(
  kind: Change['kind'],
  trace_function_key: string,
  [current, baseline]: [number, number],
  [calls, baseline_calls]: [number, number],
): Test['change'] {
  return { kind, trace_function_key, current, baseline, calls, baseline_calls };
}

function worstFirst(left: Change, right: Change): number {
  return (
    failedCalls(right) - failedCalls(left) ||
    (right.ratio ?? Infinity) - (left.ratio ?? Infinity) ||
    (left.trace_function_key < right.trace_function_key ? -1 : 1)
  );
}

/** Failed calls that the baseline would not have had; 0 for other changes. */
function failedCalls({ kind, current, baseline, calls }: Change): number {
  if (kind === 'new_error') return current;
  return kind === 'failures' ? (current - baseline) * calls : 0;
}
