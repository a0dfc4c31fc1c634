/** Interpolates between two values, as R's type 7 and NumPy's default. */
export function quantileOf(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const lower = sorted[Math.floor(at)] ?? 0;
  return lower + ((sorted[Math.ceil(at)] ?? 0) - lower) * (at - Math.floor(at));
}
