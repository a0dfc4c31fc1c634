export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * A distribution-free interval of the median with at least 95 % confidence, from order statistics, as [low, high]. With fewer
 * than six values there is no such interval, and it spans all values.
 */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  // Probability that at most `rank` values are below the median.
  let chance = 0.5 ** count;
  let tail = 0;
  let rank = 0;
  while (rank < count / 2 && tail + chance <= 0.025) {
    tail += chance;
    rank++;
    chance *= (count - rank + 1) / rank;
  }
  const outside = Math.max(0, rank - 1);
  return [sorted[outside], sorted[count - 1 - outside]];
}
