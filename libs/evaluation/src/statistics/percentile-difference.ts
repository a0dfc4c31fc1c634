import { InvalidArgumentError } from '../errors.js';
import { MOST_CLUSTERS, numberClusters } from './clusters.js';
import { type Evidence, toDifference } from './evidence.js';
import { countExchanges, visitExchanges } from './exchanges.js';
import { checkFinite, type Difference } from './interval.js';
import type { DifferenceOptions } from './mean-difference.js';

export interface PercentileOptions extends DifferenceOptions {
  /** The percentile, between 0 and 1. Default: 0.95. */
  percentile?: number | undefined;
}

/**
 * The difference of a percentile of paired measurements, with the randomization test of {@link meanDifference}: p is the share of
 * exchanges within clusters whose percentiles differ at least as much. There is no interval, because a percentile depends on a few slow
 * calls.
 *
 * @param baseline one measurement for each item
 * @param candidate the same items, in the same order
 * @throws InvalidArgumentError unless both sides have the same number of finite measurements
 */
export function percentileDifference(
  baseline: readonly number[],
  candidate: readonly number[],
  { percentile, confidence, clusters }: PercentileOptions = {},
): Difference {
  return toDifference(percentileEvidence(baseline, candidate, { percentile, clusters }), confidence);
}

/** Like {@link percentileDifference}, independent of the confidence level. */
export function percentileEvidence(
  baseline: readonly number[],
  candidate: readonly number[],
  { percentile = 0.95, clusters }: Omit<PercentileOptions, 'confidence'> = {},
): Evidence {
  checkFinite('baseline', baseline);
  checkFinite('candidate', candidate);
  if (baseline.length !== candidate.length)
    throw new InvalidArgumentError(
      'candidate',
      `must have the ${baseline.length} items of baseline, not ${candidate.length}`,
      'Omit items that were measured on one side only.',
    );
  const n = candidate.length;
  const numbers = numberClusters(n, clusters);
  const units = new Set(numbers).size;
  const repetitions = Array.from({ length: Math.min(units, MOST_CLUSTERS) }, () => 1);
  const merged = numbers.map((number) => number % MOST_CLUSTERS);
  const total = countExchanges(repetitions);
  const slack =
    1e-12 * [...baseline, ...candidate].reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  /** Counts exchanges whose difference is at most, and at least, the observed one. */
  const rank = (limit: number): { atMost: number; atLeast: number; observed: number } => {
    const compareExchange = exchangedDifference(baseline, candidate, merged, percentile, limit);
    let [atMost, atLeast, observed] = [0, 0, 0];
    visitExchanges(repetitions, (choices, index) => {
      const difference = compareExchange(choices);
      if (index === 0) observed = difference;
      if (difference <= observed + slack) atMost += 1;
      if (difference >= observed - slack) atLeast += 1;
    });
    return { atMost, atLeast, observed };
  };
  if (n === 0) return { ...NOTHING, pBelow: () => 1, pAbove: () => 1, interval: () => undefined };
  const atZero = rank(0);
  const at = (limit: number): typeof atZero => (limit === 0 ? atZero : rank(limit));
  return {
    estimate: Math.abs(atZero.observed) <= slack ? 0 : atZero.observed,
    n,
    units,
    smallestP: 1 / total,
    pBelow: (limit) => at(limit).atMost / total,
    pAbove: (limit) => at(limit).atLeast / total,
    interval: () => undefined,
  };
}

const NOTHING = { estimate: 0, n: 0, units: 0, smallestP: 1 };

/** Sorts both sides once, so that the percentile of an exchange needs a walk from the upper end instead of a sort. */
function exchangedDifference(
  baseline: readonly number[],
  candidate: readonly number[],
  clusters: Uint32Array,
  share: number,
  limit: number,
): (choices: Uint16Array) => number {
  const n = baseline.length;
  const values = Float64Array.from([...baseline, ...candidate.map((value) => value - limit)]);
  const order = Uint32Array.from(values.keys()).sort((a, b) => (values[b] as number) - (values[a] as number));
  const sorted = Float64Array.from(order, (at) => values[at] as number);
  const owners = Uint32Array.from(order, (at) => clusters[at % n] as number);
  const sides = Uint8Array.from(order, (at) => (at < n ? 0 : 1));
  const place = (n - 1) * share;
  const [upperRank, lowerRank] = [n - 1 - Math.ceil(place), n - 1 - Math.floor(place)];
  const weight = place - Math.floor(place);
  return (choices) => {
    let [seenBaseline, seenCandidate, difference, ended] = [0, 0, 0, 0];
    for (let at = 0; ended < 2; at += 1) {
      const isCandidate = ((sides[at] as number) ^ (choices[owners[at] as number] as number)) === 1;
      const seen = isCandidate ? seenCandidate++ : seenBaseline++;
      if (seen > lowerRank || seen < upperRank) continue;
      const part = (seen === lowerRank ? 1 - weight : 0) + (seen === upperRank ? weight : 0);
      difference += (isCandidate ? part : -part) * (sorted[at] as number);
      if (seen === lowerRank) ended += 1;
    }
    return difference;
  };
}

/** Interpolates between two values, like R's type 7 and NumPy's default. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(at)] ?? 0;
  return lower + ((sorted[Math.ceil(at)] ?? 0) - lower) * (at - Math.floor(at));
}
