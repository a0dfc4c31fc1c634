import { bisect } from './normal-distribution.js';

/** The probability that a variable of Student's t with `df` degrees of freedom exceeds `t`. */
export function tUpperTail(t: number, df: number): number {
  if (t < 0) return 1 - tUpperTail(-t, df);
  if (t * t === Infinity) return 0;
  const share = df / (df + t * t);
  const a = df / 2;
  // x^a (1-x)^b / B(a, b) of the incomplete beta function, with x = share and b = 1/2.
  const front =
    (Math.exp(-a * Math.log1p((t * t) / df)) * (t / Math.sqrt(df + t * t)) * gammaRatio(a)) /
    Math.sqrt(Math.PI);
  if (share < (a + 1) / (a + 2.5)) return (front * betaFraction(a, 0.5, share)) / a / 2;
  return 0.5 - front * betaFraction(0.5, a, (t * t) / (df + t * t));
}

/** The `p` quantile of Student's t, for `p` between 0 and 1. */
export function tQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  const tail = Math.min(p, 1 - p);
  let bound = 2;
  while (tUpperTail(bound, df) > tail) bound *= 2;
  const distance = bisect((t) => tUpperTail(t, df) > tail, 0, bound);
  return p < 0.5 ? -distance : distance;
}

/** Γ(a + 1/2) / Γ(a) by its series, because the difference of two log-gammas of large arguments would cancel. */
function gammaRatio(a: number): number {
  let factor = 1;
  let at = a;
  for (; at < 30; at += 1) factor *= at / (at + 0.5);
  const inverse = 1 / (at * at);
  const series = -1 / 8 + inverse * (1 / 192 + inverse * (-1 / 640 + inverse * (17 / 14336)));
  return factor * Math.sqrt(at) * Math.exp(series / at);
}

/**
 * The continued fraction of the incomplete beta function by Lentz's method.
 * Source: Press et al., "Numerical Recipes", third edition, section 6.4.
 */
function betaFraction(a: number, b: number, x: number): number {
  const first = 1 - ((a + b) * x) / (a + 1);
  let denominator = 1 / first;
  let numerator = 1;
  let fraction = denominator;
  for (let m = 1; ; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let change = 1;
    for (const coefficient of [even, odd]) {
      denominator = 1 / (1 + coefficient * denominator);
      numerator = 1 + coefficient / numerator;
      change = numerator * denominator;
      fraction *= change;
    }
    // Written as `!(… >= …)` so that NaN ends the loop.
    if (!(Math.abs(change - 1) >= 1e-15)) return fraction;
  }
}
