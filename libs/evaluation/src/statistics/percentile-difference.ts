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
  const sizes = sizesOf(numbers);
  const [rankedBefore, rankedNow] = [new Ranked(before, numbers), new Ranked(now, numbers)];
  const times = new Uint32Array(sizes.length).fill(1);
  const differenceOf = (drawn: number): number =>
    rankedNow.percentile(times, drawn, percentile) - rankedBefore.percentile(times, drawn, percentile);
  const mean = n === 0 ? 0 : differenceOf(n);
  if (sizes.length < 2) return { mean, p: 1, n };

  const count = resamples ?? defaultResamples(n);
  checkCount('resamples', count, 100);
  const random = new Random(seed);
  const draws = new Uint32Array(sizes.length);
  const differences = new Float64Array(count);
  for (let sample = 0; sample < count; sample += 1) {
    times.fill(0);
    random.fillBelow(draws, sizes.length);
    let drawn = 0;
    for (const cluster of draws) {
      times[cluster] = (times[cluster] as number) + 1;
      drawn += sizes[cluster] as number;
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

/** How many items each cluster has. */
function sizesOf(numbers: Uint32Array): Uint32Array {
  const sizes = new Uint32Array(numbers.reduce((most, number) => Math.max(most, number + 1), 0));
  for (const number of numbers) sizes[number] = (sizes[number] as number) + 1;
  return sizes;
}

/** Measurements sorted once, so that a percentile of a draw is a walk from the upper end, not a sort. */
class Ranked {
  readonly #descending: Float64Array;
  /** Whose they are. */
  readonly #clusters: Uint32Array;

  constructor(values: readonly number[], numbers: Uint32Array) {
    const order = Uint32Array.from(values.keys()).sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
    this.#descending = Float64Array.from(order, (item) => values[item] ?? 0);
    this.#clusters = Uint32Array.from(order, (item) => numbers[item] ?? 0);
  }

  /**
   * Between two values in proportion, as `quantileOf`.
   *
   * @param times how often each cluster was drawn
   * @param drawn how many values that makes
   */
  percentile(times: Uint32Array, drawn: number, share: number): number {
    const at = (drawn - 1) * share;
    const [above, ranksToLower] = [drawn - 1 - Math.ceil(at), drawn - 1 - Math.floor(at)];
    const [descending, clusters] = [this.#descending, this.#clusters];
    let seen = 0;
    let upper: number | undefined;
    for (let rank = 0; rank < descending.length; rank += 1) {
      seen += times[clusters[rank] as number] as number;
      if (seen <= above) continue;
      const value = descending[rank] as number;
      upper ??= value;
      if (seen > ranksToLower) return value + (upper - value) * (at - Math.floor(at));
    }
    return upper ?? NaN;
  }
}
