import { checkCount } from './interval.js';

/**
 * Whether pairs that passed before and fail now outweigh those that went the other way, or the reverse: the probability
 * of so uneven a split if each way were as likely. McNemar's exact test, two-sided, without mid-p; 1 when no pair changed.
 *
 * Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions", Psychometrika 12, 1947.
 *
 * @param worse pairs that passed before and fail now
 * @param better pairs that failed before and pass now
 */
export function mcnemarTest(worse: number, better: number): number {
  checkCount('worse', worse, 0);
  checkCount('better', better, 0);
  const trials = worse + better;
  const fewer = Math.min(worse, better);
  let probability = fairCoinProbability(fewer, trials);
  let tail = 0;
  for (let heads = fewer; tail + probability !== tail; heads -= 1) {
    tail += probability;
    probability *= heads / (trials - heads + 1);
  }
  return Math.min(1, 2 * tail);
}

/**
 * The probability of `heads` heads in `trials` throws of a fair coin, without the cancellation of large factorials.
 * Source: C. Loader, "Fast and Accurate Computation of Binomial Probabilities", 2000.
 */
function fairCoinProbability(heads: number, trials: number): number {
  if (heads === 0) return 2 ** -trials;
  const tails = trials - heads;
  const skew = (heads - tails) / trials;
  const deviance = (trials / 2) * (skew * (Math.log1p(skew) - Math.log1p(-skew)) + Math.log1p(-skew * skew));
  const correction = stirlingError(trials) - stirlingError(heads) - stirlingError(tails);
  return Math.exp(correction - deviance) * Math.sqrt(trials / (2 * Math.PI * heads * tails));
}

/** What Stirling's formula for log n! leaves out. */
function stirlingError(n: number): number {
  if (n < 16) {
    let factorial = 1;
    for (let factor = 2; factor <= n; factor += 1) factorial *= factor;
    return Math.log(factorial) - (n + 0.5) * Math.log(n) + n - Math.log(2 * Math.PI) / 2;
  }
  const inverse = 1 / (n * n);
  const series = 1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse * (1 / 1680 - inverse / 1188)));
  return series / n;
}
