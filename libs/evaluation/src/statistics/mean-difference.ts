import { MOST_CLUSTERS, numberClusters } from './clusters.js';
import { type Evidence, toDifference } from './evidence.js';
import { countExchanges, isEnumerable, visitExchanges } from './exchanges.js';
import { checkFinite, type Difference, type Interval } from './interval.js';

export interface DifferenceOptions {
  /** Default: 0.95. */
  confidence?: number | undefined;
  /** The cluster of each pair, such as its session. A cluster counts as one observation. Default: each pair is independent. */
  clusters?: readonly (string | undefined)[] | undefined;
}

/** Candidate minus baseline: one number, or one for each repetition with the same baseline. */
export type PairDifference = number | readonly number[];

/**
 * The mean of paired differences, with a randomization test of "no difference". If nothing changed, baseline and candidate are
 * interchangeable, so all exchanges within clusters are equally likely. p is the share of exchanges whose mean is at least as extreme.
 * With repetitions, each of them may be the baseline instead.
 *
 * The interval contains the differences that the same test does not reject. Its ends are means of subsets of the data, so they stay in
 * the data's range. It is absent with too few clusters.
 *
 * Exact for up to 16,384 exchanges; with more, 10,000 are drawn with a fixed seed. Above 1,000 clusters, clusters are merged.
 *
 * Source: J. Hartigan, "Using subsample values as typical values", JASA 64, 1969.
 *
 * @throws InvalidArgumentError unless all differences are finite and each has a cluster
 */
export function meanDifference(
  differences: readonly PairDifference[],
  { confidence, clusters }: DifferenceOptions = {},
): Difference {
  return toDifference(meanEvidence(differences, clusters), confidence);
}

/** Like {@link meanDifference}, independent of the confidence level. */
export function meanEvidence(
  differences: readonly PairDifference[],
  clusters?: readonly (string | undefined)[],
): Evidence {
  const pairs = differences.map((pair) => (typeof pair === 'number' ? [pair] : pair));
  checkFinite('differences', pairs.flat());
  const n = pairs.length;
  const estimate = n === 0 ? 0 : pairs.reduce((sum, pair) => sum + mean(pair), 0) / n;
  const rounds = sumRounds(pairs, clusters);
  const all = exchangeMeans(rounds);
  // Zero clusters do not affect the sign, and without them all exchanges may be few enough to visit.
  const changed = isEnumerable(rounds.repetitions) ? rounds : withoutZeros(rounds);
  const atZero = changed !== rounds && isEnumerable(changed.repetitions) ? exchangeMeans(changed) : all;
  const exchangesAt = (limit: number): ExchangedMeans => (limit === 0 ? atZero : all);
  const pBelow = (limit: number): number => shareFrom(exchangesAt(limit), limit);
  const pAbove = (limit: number): number => shareUpTo(exchangesAt(limit), limit);
  return {
    estimate,
    n,
    units: rounds.units,
    smallestP: all.unchanged / all.total,
    pBelow,
    pAbove,
    interval(tail): Interval | undefined {
      const { means, total, unchanged } = all;
      const beyond = Math.floor(tail * total * (1 + 1e-12)) - unchanged;
      const [low, high] = [means[beyond], means[means.length - 1 - beyond]];
      if (low === undefined || high === undefined) return undefined;
      const ends = { low: Math.min(low, estimate), high: Math.max(high, estimate) };
      return atZero === all ? ends : agreeAtZero(ends, { means, estimate, tail, pBelow, pAbove });
    },
  };
}

/** The means of all exchanges, except those that exchange nothing. */
interface ExchangedMeans {
  /** Ascending. */
  means: Float64Array;
  unchanged: number;
  total: number;
  /** Allowed rounding error of a mean. */
  slack: number;
}

function exchangeMeans({ sums, counts, width, repetitions }: Rounds): ExchangedMeans {
  const total = countExchanges(repetitions);
  const found = new Float64Array(total);
  let known = 0;
  visitExchanges(repetitions, (choices) => {
    let sum = 0;
    let count = 0;
    for (let cluster = 0; cluster < choices.length; cluster += 1) {
      const round = cluster * width + (choices[cluster] as number);
      sum += sums[round] as number;
      count += counts[round] as number;
    }
    if (count > 0) found[known++] = sum / count;
  });
  const means = found.subarray(0, known).sort();
  const slack = 1e-12 * Math.max(Math.abs(means[0] ?? 0), Math.abs(means.at(-1) ?? 0));
  return { means, unchanged: total - known, total, slack };
}

function shareFrom({ means, total, slack }: ExchangedMeans, limit: number): number {
  return (total - countWhile(means, (value) => value < limit - slack)) / total;
}

function shareUpTo({ means, total, unchanged, slack }: ExchangedMeans, limit: number): number {
  return (unchanged + countWhile(means, (value) => value <= limit + slack)) / total;
}

/** Drawn exchanges give the interval, but all exchanges decide about 0. Moves an end that disagrees with that decision. */
function agreeAtZero(
  { low, high }: Interval,
  {
    means,
    estimate,
    tail,
    pBelow,
    pAbove,
  }: Pick<Evidence, 'estimate' | 'pBelow' | 'pAbove'> & { means: Float64Array; tail: number },
): Interval {
  if (estimate < 0) {
    const negative = means[countWhile(means, (value) => value < 0) - 1] ?? estimate;
    return { low, high: pBelow(0) <= tail ? Math.min(high, negative) : Math.max(high, 0) };
  }
  if (estimate > 0) {
    const positive = means[countWhile(means, (value) => value <= 0)] ?? estimate;
    return { low: pAbove(0) <= tail ? Math.max(low, positive) : Math.min(low, 0), high };
  }
  return { low, high };
}

/** Differences summed by cluster (row) and repetition (column). The first column is 0, for an omitted cluster. */
interface Rounds {
  sums: Float64Array;
  counts: Float64Array;
  width: number;
  /** By cluster. */
  repetitions: number[];
  units: number;
}

function sumRounds(
  pairs: readonly (readonly number[])[],
  clusters: readonly (string | undefined)[] | undefined,
): Rounds {
  const numbers = numberClusters(pairs.length, clusters);
  const units = new Set(numbers).size;
  const repetitions = Array.from({ length: Math.min(units, MOST_CLUSTERS) }, () => 0);
  const width = 1 + pairs.reduce((most, { length }) => Math.max(most, length), 0);
  const sums = new Float64Array(repetitions.length * width);
  const counts = new Float64Array(sums.length);
  pairs.forEach((pair, index) => {
    const cluster = (numbers[index] ?? 0) % MOST_CLUSTERS;
    repetitions[cluster] = Math.max(repetitions[cluster] ?? 0, pair.length);
    pair.forEach((difference, repetition) => {
      const round = cluster * width + repetition + 1;
      sums[round] = (sums[round] ?? 0) + difference;
      counts[round] = (counts[round] ?? 0) + 1;
    });
  });
  return { sums, counts, width, repetitions, units };
}

function withoutZeros({ sums, counts, width, repetitions, units }: Rounds): Rounds {
  const kept = [...repetitions.keys()].filter((cluster) =>
    sums.subarray(cluster * width, (cluster + 1) * width).some((sum) => sum !== 0),
  );
  const rows = (values: Float64Array): Float64Array =>
    Float64Array.from(
      kept.flatMap((cluster) => [...values.subarray(cluster * width, (cluster + 1) * width)]),
    );
  return {
    sums: rows(sums),
    counts: rows(counts),
    width,
    units,
    repetitions: kept.map((cluster) => repetitions[cluster] as number),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The number of leading values for which `holds` is true. */
function countWhile(sorted: Float64Array, holds: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(sorted[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}
