/**
 * Corrects p values of several tests by Holm's step-down method, so that all together raise a false alarm no more often than one test.
 * Keeps the order of `ps`.
 *
 * Source: S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6, 1979.
 */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((_, index) => index).sort((a, b) => (ps[a] ?? 0) - (ps[b] ?? 0));
  const adjusted = new Array<number>(ps.length).fill(1);
  let largest = 0;
  for (const [rank, index] of order.entries()) {
    largest = Math.max(largest, Math.min(1, (ps[index] ?? 0) * (ps.length - rank)));
    adjusted[index] = largest;
  }
  return adjusted;
}
