/** Below this, a term no longer changes the sum. */
const NEGLIGIBLE = 1e-17;

/** `hits` among `of` observations. */
export interface Share {
  hits: number;
  of: number;
}

/**
 * Fisher's exact test: the probability that at least so many of the hits are in `current`, if both come from one distribution. With the
 * calls above a rank of the baseline as hits, it is also the exact precedence test for a percentile.
 *
 * Source: R. A. Fisher, "The Design of Experiments", 1935; J. P. Nelson, "Tables for a Precedence Life Test", Technometrics 5, 1963.
 */
export function exactShareTest(current: Share, baseline: Share): number {
  const hits = current.hits + baseline.hits;
  const all = current.of + baseline.of;
  const most = Math.min(hits, current.of);
  const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k);
  let term = Math.exp(
    logChoose(current.of, current.hits) + logChoose(baseline.of, baseline.hits) - logChoose(all, hits),
  );
  let sum = 0;
  for (let x = current.hits; x <= most; x++) {
    sum += term;
    if (term < sum * NEGLIGIBLE) break;
    term *= ((current.of - x) * (hits - x)) / ((x + 1) * (all - current.of - hits + x + 1));
  }
  return Math.min(1, sum);
}

/** Exact up to 20, then by Stirling's series, with an error below 1e-12. */
function logFactorial(n: number): number {
  if (n <= 20) {
    let product = 1;
    for (let factor = 2; factor <= n; factor++) product *= factor;
    return Math.log(product);
  }
  return (
    n * Math.log(n) -
    n +
    Math.log(2 * Math.PI * n) / 2 +
    1 / (12 * n) -
    1 / (360 * n ** 3) +
    1 / (1260 * n ** 5)
  );
}
