import { squaredDeviations, sumByCluster } from './clusters.js';
import { checkConfidence, checkCount, DEFAULT_CONFIDENCE, type Interval } from './interval.js';
import type { DifferenceOptions } from './mean-difference.js';
import { tQuantile } from './student-t.js';
import { normalQuantile } from './normal-distribution.js';

/**
 * The interval of a rate: Wilson's score interval without continuity correction. 0 to 1 without trials.
 *
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
 *
 * @param confidence default 0.95
 * @throws InvalidArgumentError when there are more successes than trials, or one of them is not a count
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  confidence: number = DEFAULT_CONFIDENCE,
): Interval {
  checkConfidence(confidence);
  checkCount('successes', successes, 0);
  checkCount('trials', trials, successes);
  return rateInterval(successes, trials, confidence);
}

/** Unchecked; both may be fractions, for an effective number of trials. */
function rateInterval(successes: number, trials: number, confidence: number): Interval {
  const z = normalQuantile((1 + confidence) / 2);
  const failures = trials - successes;
  const middle = successes + (z * z) / 2;
  const margin = z * Math.sqrt((successes * failures) / trials + (z * z) / 4);
  return {
    low: successes === 0 ? 0 : (middle - margin) / (trials + z * z),
    high: failures === 0 ? 1 : (middle + margin) / (trials + z * z),
  };
}

/**
 * The interval of a rate whose trials are not independent, such as calls of one session or repetitions of a call: Wilson's interval with
 * the effective number of trials. That number gives the rate the variance that its clusters show, reduced when few clusters estimate the
 * variance. If all trials are equal, each cluster counts as one trial. Without clusters it is Wilson's interval.
 *
 * Source: E. Korn and B. Graubard, "Confidence intervals for proportions with small expected number of positive counts
 * estimated from survey data", Survey Methodology 24, 1998, for the number; N. Dean and M. Pagano, "Evaluating confidence
 * interval methods for binomial proportions in clustered surveys", Journal of Survey Statistics and Methodology 3, 2015,
 * for Wilson's of it. The variance is the cluster-robust one, without a small-sample factor.
 *
 * @param rates of each item, 0 to 1: 0 or 1, or the share of its repeats
 * @throws InvalidArgumentError unless each rate has a cluster
 */
export function clusteredRateInterval(
  rates: readonly number[],
  { confidence = DEFAULT_CONFIDENCE, clusters }: DifferenceOptions = {},
): Interval {
  checkConfidence(confidence);
  const grouped = sumByCluster(rates, clusters);
  const { sums, total, n } = grouped;
  if (n === 0) return { low: 0, high: 1 };
  const rate = total / n;
  const squares = squaredDeviations(grouped, rate);
  if (squares === 0 || sums.length === 1) return rateInterval(rate * sums.length, sums.length, confidence);
  const quantile = (df: number): number => tQuantile((1 + confidence) / 2, df);
  const effective = (rate * (1 - rate) * n * n) / squares;
  const trials = Math.min(n, effective * (quantile(n - 1) / quantile(sums.length - 1)) ** 2);
  return rateInterval(rate * trials, trials, confidence);
}
