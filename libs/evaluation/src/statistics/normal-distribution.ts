/** From here on, the continued fraction converges faster than the series and keeps small tails exact. */
const TAIL_FROM = 3;
const TAIL_STEPS = 200;

/** The probability that a standard normal variable is at most `x`. */
export function normalCdf(x: number): number {
  return x > 0 ? 1 - upperTail(x) : upperTail(-x);
}

/** The `p` quantile of the standard normal distribution. */
export function normalQuantile(p: number): number {
  if (p === 0.5) return 0;
  const tail = Math.min(p, 1 - p);
  if (tail <= 0) return p < 0.5 ? -Infinity : Infinity;
  const distance = bisect((x) => upperTail(x) > tail, 0, 40);
  return p < 0.5 ? -distance : distance;
}

/** Source: Marsaglia, "Evaluating the Normal Distribution", Journal of Statistical Software 11(4), 2004; far out, Laplace. */
function upperTail(x: number): number {
  const density = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI);
  if (x >= TAIL_FROM) {
    let fraction = x;
    for (let step = TAIL_STEPS; step > 0; step -= 1) fraction = x + step / fraction;
    return density / fraction;
  }
  let sum = x;
  let previous = NaN;
  let term = x;
  for (let divisor = 3; sum !== previous; divisor += 2) {
    previous = sum;
    term *= (x * x) / divisor;
    sum += term;
  }
  return 0.5 - sum * density;
}

/** Finds where `isBelow` turns from true to false, to the last digit. */
export function bisect(isBelow: (x: number) => boolean, from: number, to: number): number {
  let low = from;
  let high = to;
  for (;;) {
    const middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
}
