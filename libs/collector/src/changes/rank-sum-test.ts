/** Up to so many values on both sides together, the distribution is counted exactly. */
const MOST_COUNTED = 24;

/**
 * The rank sum test of Wilcoxon, Mann and Whitney: the probability of ranks of `current` at least this high, if both sides come from one
 * distribution. Equal values share their rank. Few values are counted exactly; for more, the normal distribution is close.
 *
 * Source: H. B. Mann, D. R. Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger", 1947.
 */
export function rankSumTest(current: readonly number[], baseline: readonly number[]): number {
  if (current.length === 0 || baseline.length === 0) return 1;
  const ranks = doubledRanks([...current, ...baseline]);
  const observed = ranks.slice(0, current.length).reduce((sum, rank) => sum + rank, 0);
  return ranks.length <= MOST_COUNTED
    ? countAtLeast(ranks, current.length, observed)
    : normalTail(ranks, current.length, observed);
}

/** Twice the ranks, so that shared ranks are whole. */
function doubledRanks(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return values.map((value) => {
    const first = sorted.findIndex((other) => other >= value);
    const after = sorted.findIndex((other) => other > value);
    return first + (after < 0 ? sorted.length : after) + 1;
  });
}

/** The share of all choices of `size` ranks whose sum is at least `observed`. */
function countAtLeast(ranks: readonly number[], size: number, observed: number): number {
  const highest = ranks.reduce((sum, rank) => sum + rank, 0);
  /** By the number of chosen ranks, how many choices have each sum. */
  const choices = Array.from({ length: size + 1 }, () => new Float64Array(highest + 1));
  choices[0]?.fill(1, 0, 1);
  // If all ranks are even, so are all sums.
  const step = ranks.every((rank) => rank % 2 === 0) ? 2 : 1;
  let reached = 0;
  for (const [index, rank] of ranks.entries()) {
    reached += rank;
    // At least so many must be chosen by now, because the remaining ranks cannot fill the rest.
    const least = Math.max(1, size - (ranks.length - 1 - index));
    for (let chosen = Math.min(size, index + 1); chosen >= least; chosen--) {
      const [fewer, counts] = [choices[chosen - 1], choices[chosen]];
      if (fewer === undefined || counts === undefined) continue;
      for (let sum = rank; sum <= reached; sum += step)
        counts[sum] = (counts[sum] ?? 0) + (fewer[sum - rank] ?? 0);
    }
  }
  const counts = choices[size] ?? new Float64Array();
  const add = (sum: number, count: number): number => sum + count;
  return counts.subarray(observed).reduce(add, 0) / counts.reduce(add, 0);
}

function normalTail(ranks: readonly number[], size: number, observed: number): number {
  const n = ranks.length;
  const mean = ranks.reduce((sum, rank) => sum + rank, 0) / n;
  const variance = ranks.reduce((sum, rank) => sum + (rank - mean) ** 2, 0) / n;
  const deviation = Math.sqrt((variance * size * (n - size)) / (n - 1));
  if (deviation === 0) return 1;
  // Doubled rank sums have steps of 2 at most, so 1 corrects for continuity.
  return upperTail((observed - size * mean - 1) / deviation);
}

/** Of the standard normal distribution. Source: Abramowitz and Stegun, 26.2.17, with an error below 7.5e-8 for moderate values. */
function upperTail(z: number): number {
  if (z < 0) return 1 - upperTail(-z);
  const t = 1 / (1 + 0.2316419 * z);
  const series = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429];
  const polynomial = series.reduceRight((sum, factor) => (sum + factor) * t, 0);
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
}
