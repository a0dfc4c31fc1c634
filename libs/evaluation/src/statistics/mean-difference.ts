import { type ClusterSums, squaredDeviations, sumByCluster } from './clusters.js';
import {
  checkConfidence,
  checkFinite,
  DEFAULT_CONFIDENCE,
  type Difference,
  withoutFalseCertainty,
} from './interval.js';
import { tQuantile, tUpperTail } from './student-t.js';

export interface DifferenceOptions {
  /** Default: 0.95. */
  confidence?: number | undefined;
  /** What each pair belongs to, a session say. Default: each pair is on its own. */
  clusters?: readonly (string | undefined)[] | undefined;
}

/**
 * The mean of paired differences with Student's t interval, for durations, tokens and other sizes. With clusters, the
 * standard error is the cluster-robust one, without a small-sample factor, and t has a degree of freedom less than clusters.
 *
 * Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), sections 2.2 and 4.
 *
 * @param differences now less before, of each pair; none give a mean of 0 that shows nothing
 */
export function meanDifference(
  differences: readonly number[],
  { confidence = DEFAULT_CONFIDENCE, clusters }: DifferenceOptions = {},
): Difference {
  checkConfidence(confidence);
  checkFinite('differences', differences);
  const n = differences.length;
  const grouped = sumByCluster(differences, clusters);
  const mean = n === 0 ? 0 : grouped.total / n;
  const df = grouped.sums.length - 1;
  if (df < 1) return { mean, p: 1, n };
  const error = standardError(grouped, mean);
  const margin = tQuantile((1 + confidence) / 2, df) * error;
  const interval = { low: mean - margin, high: mean + margin };
  if (error === 0)
    return withoutFalseCertainty({ mean, interval, p: mean === 0 ? 1 : 0, n }, df + 1, confidence);
  return { mean, interval, p: Math.min(1, 2 * tUpperTail(Math.abs(mean) / error, df)), n };
}

function standardError(grouped: ClusterSums, mean: number): number {
  const { sums, n } = grouped;
  const isClustered = sums.length < n;
  return Math.sqrt(squaredDeviations(grouped, mean) * (isClustered ? 1 : n / (n - 1))) / n;
}
