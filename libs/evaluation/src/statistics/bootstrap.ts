import { type ClusterSums, sumByCluster } from './clusters.js';
import {
  checkConfidence,
  checkCount,
  checkFinite,
  DEFAULT_CONFIDENCE,
  type Difference,
  withoutFalseCertainty,
} from './interval.js';
import type { DifferenceOptions } from './mean-difference.js';
import { normalCdf, normalQuantile } from './normal-distribution.js';
import { Random } from './random.js';

export interface BootstrapOptions extends DifferenceOptions {
  /** How often the pairs are drawn anew. Default: 10,000, and with more than 2,000 pairs fewer, down to 2,000. */
  resamples?: number | undefined;
  /** The same seed draws the same. Default: 1. */
  seed?: number | undefined;
}

/**
 * The mean of paired differences with a bootstrap interval, bias-corrected and accelerated (BCa), for scores, whose spread
 * follows no law. Ties with the mean count half. With clusters, whole clusters are drawn.
 *
 * p belongs to the interval: it is below `1 − confidence` where the interval excludes 0. Pairs that differ must be six
 * or more to show something at 95 %.
 *
 * Source: B. Efron and R. J. Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 14.
 *
 * @param differences now less before, of each pair; none give a mean of 0 that shows nothing
 */
export function pairedBootstrap(
  differences: readonly number[],
  { confidence = DEFAULT_CONFIDENCE, clusters, resamples, seed = 1 }: BootstrapOptions = {},
): Difference {
  checkConfidence(confidence);
  checkFinite('differences', differences);
  const n = differences.length;
  const grouped = sumByCluster(differences, clusters);
  const mean = n === 0 ? 0 : grouped.total / n;
  if (grouped.sums.length < 2) return { mean, p: 1, n };
  const means = drawMeans(grouped, resamples ?? defaultResamples(grouped.sums.length), seed);
  const correction = { bias: normalQuantile(shareBelow(means, mean)), acceleration: accelerate(grouped) };
  const bound = (z: number): number => quantileOf(means, normalCdf(corrected(z, correction)));
  const z = normalQuantile((1 + confidence) / 2);
  const interval = { low: bound(-z), high: bound(z) };
  const differing = grouped.sums.reduce((count, sum) => count + (sum === 0 ? 0 : 1), 0);
  const found = { mean, interval, p: pOf(shareBelow(means, 0), correction), n };
  return withoutFalseCertainty(found, differing, confidence);
}

export function defaultResamples(units: number): number {
  return Math.min(10_000, Math.max(2_000, Math.floor(20_000_000 / units)));
}

/** Means of as many clusters as there are, drawn with replacement; in order. */
function drawMeans({ sums, counts }: ClusterSums, resamples: number, seed: number): Float64Array {
  checkCount('resamples', resamples, 100);
  const random = new Random(seed);
  const clusters = sums.length;
  const means = new Float64Array(resamples);
  for (let sample = 0; sample < resamples; sample += 1) {
    let sum = 0;
    let count = 0;
    for (let draw = 0; draw < clusters; draw += 1) {
      const cluster = random.below(clusters);
      sum += sums[cluster] ?? 0;
      count += counts[cluster] ?? 0;
    }
    means[sample] = sum / count;
  }
  return means.sort();
}

interface Correction {
  bias: number;
  acceleration: number;
}

/** Efron and Tibshirani's (14.10), before the outer Φ. */
function corrected(z: number, { bias, acceleration }: Correction): number {
  const shifted = bias + z;
  return bias + shifted / (1 - acceleration * shifted);
}

/** The confidence at which an end of the interval touches 0, which is `corrected` solved for z. */
function pOf(belowZero: number, { bias, acceleration }: Correction): number {
  const shifted = normalQuantile(belowZero) - bias;
  const z = shifted / (1 + acceleration * shifted) - bias;
  return Math.min(1, 2 * normalCdf(-Math.abs(z)));
}

/** (14.15), by leaving out one cluster at a time. */
function accelerate({ sums, counts, total, n }: ClusterSums): number {
  const without = sums.map((sum, index) => (total - sum) / (n - (counts[index] ?? 0)));
  const middle = without.reduce((sum, mean) => sum + mean, 0) / without.length;
  let squares = 0;
  let cubes = 0;
  for (const mean of without) {
    squares += (middle - mean) ** 2;
    cubes += (middle - mean) ** 3;
  }
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

/** The share of sorted values below a limit; those that equal it, but for rounding, count half. Never quite 0 or 1. */
export function shareBelow(sorted: Float64Array, limit: number): number {
  const slack = 1e-12 * Math.max(Math.abs(sorted[0] ?? 0), Math.abs(sorted.at(-1) ?? 0));
  let below = 0;
  for (const value of sorted) {
    if (value > limit + slack) break;
    below += value < limit - slack ? 1 : 0.5;
  }
  return Math.min(1 - 0.5 / sorted.length, Math.max(0.5 / sorted.length, below / sorted.length));
}

/** Between two values in proportion, as R's type 7 and NumPy's default. */
export function quantileOf(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(at)] ?? 0;
  return lower + ((sorted[Math.ceil(at)] ?? 0) - lower) * (at - Math.floor(at));
}
