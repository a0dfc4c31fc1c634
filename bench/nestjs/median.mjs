export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * The interval that holds the median with at least 95 % confidence, whatever the distribution: by order, as [low, high]. With
 * fewer than six values there is none, and it spans all of them.
 */
export function medianInterval(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const count = sorted.length;
  // The chance that at most `rank` of them are below the median.
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
