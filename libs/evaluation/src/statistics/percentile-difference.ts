import { InvalidArgumentError } from '../errors.js';
import { type BootstrapOptions, defaultResamples, quantileOf, shareBelow } from './bootstrap.js';
import { numberClusters } from './clusters.js';
import {
  checkConfidence,
  checkCount,
  checkFinite,
  DEFAULT_CONFIDENCE,
  type Difference,
  withoutFalseCertainty,
} from './interval.js';
import { Random } from './random.js';

export interface PercentileOptions extends BootstrapOptions {
  /** Which percentile, between 0 and 1. Default: 0.95. */
  percentile?: number | undefined;
}

/**
 * How a percentile of paired measurements differs, with the plain percentile interval of the bootstrap: pairs are drawn
 * together, with clusters whole clusters. A percentile has no useful jackknife, so there is no BCa correction.
 *
 * @param before one measurement for each item
 * @param now the same items, in the same order
 */
export function percentileDifference(
  before: readonly number[],
  now: readonly number[],
  {
    percentile = 0.95,
    confidence = DEFAULT_CONFIDENCE,
    clusters,
    resamples,
    seed = 1,
  }: PercentileOptions = {},
): Difference {
  checkConfidence(confidence);
  checkFinite('before', before);
  checkFinite('now', now);
  if (before.length !== now.length)
    throw new InvalidArgumentError(
      'now',
      `must have the ${before.length} items of before, not ${now.length}`,
      'Leave out what was measured once only.',
    );
  const n = now.length;
  const numbers = numberClusters(n, clusters);
  const members = membersOf(numbers);
  const [sortedBefore, sortedNow] = [new Ranked(before), new Ranked(now)];
  const draws = new Uint32Array(n).fill(1);
  const differenceOf = (drawn: number): number =>
    sortedNow.percentile(draws, drawn, percentile) - sortedBefore.percentile(draws, drawn, percentile);
  const mean = n === 0 ? 0 : differenceOf(n);
  if (members.length < 2) return { mean, p: 1, n };

  const count = resamples ?? defaultResamples(n);
  checkCount('resamples', count, 100);
  const random = new Random(seed);
  const differences = new Float64Array(count);
  for (let sample = 0; sample < count; sample += 1) {
    draws.fill(0);
    let drawn = 0;
    for (let draw = 0; draw < members.length; draw += 1) {
      const items = members[random.below(members.length)] ?? [];
      for (const item of items) draws[item] = (draws[item] ?? 0) + 1;
      drawn += items.length;
    }
    differences[sample] = differenceOf(drawn);
  }
  differences.sort();
  const below = shareBelow(differences, 0);
  const interval = {
    low: quantileOf(differences, (1 - confidence) / 2),
    high: quantileOf(differences, (1 + confidence) / 2),
  };
  const differing = new Set(numbers.filter((_, item) => now[item] !== before[item])).size;
  return withoutFalseCertainty(
    { mean, interval, p: 2 * Math.min(below, 1 - below), n },
    differing,
    confidence,
  );
}

/** The items of each cluster. */
function membersOf(numbers: Uint32Array): number[][] {
  const members: number[][] = [];
  numbers.forEach((number, item) => (members[number] ??= []).push(item));
  return members;
}

/** Measurements sorted once, so that a percentile of a draw is a walk from the nearer end, not a sort. */
class Ranked {
  readonly #values: readonly number[];
  readonly #descending: Uint32Array;

  constructor(values: readonly number[]) {
    this.#values = values;
    this.#descending = Uint32Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  }

  /**
   * Between two values in proportion, as `quantileOf`.
   *
   * @param draws how often each value was drawn
   * @param drawn how many draws that makes
   */
  percentile(draws: Uint32Array, drawn: number, share: number): number {
    const at = (drawn - 1) * share;
    const ranksAbove = drawn - 1 - Math.ceil(at);
    let seen = 0;
    let upper: number | undefined;
    for (const item of this.#descending) {
      seen += draws[item] ?? 0;
      const value = this.#values[item] ?? 0;
      if (upper === undefined && seen > ranksAbove) upper = value;
      if (upper !== undefined && seen > drawn - 1 - Math.floor(at))
        return value + (upper - value) * (at - Math.floor(at));
    }
    return upper ?? NaN;
  }
}
