import { InvalidArgumentError } from '../errors.js';

/** From `low` to `high`, both inclusive. */
export interface Interval {
  low: number;
  high: number;
}

/** The difference of two versions: candidate minus baseline. */
export interface Difference {
  /** The mean of the differences; for a percentile, the difference of the two percentiles. */
  mean: number;
  /** Absent with too few items, and if nothing random ran. */
  interval?: Interval;
  /**
   * Two-sided p of "no difference"; at least `1 − confidence` if the interval contains 0. With `allowed`, the p of "not beyond the limit"
   * in the limited direction, doubled to be comparable, and corrected for the gate's other limits.
   */
  p: number;
  /** Number of compared pairs. */
  n: number;
  /** Number of independent units: sessions, and items without a session. */
  units: number;
  /** The smallest uncorrected p possible with this number of units. */
  smallestP: number;
  /** The drop or rise that the gate allows. p and the interval test it. */
  allowed?: number;
  /** Factor of p, because the gate has other limits that need evidence. */
  correction?: number;
  /** Nothing random ran, so the difference is exact: without an interval, and with p of 0 or 1. */
  exact?: true;
}

export const DEFAULT_CONFIDENCE = 0.95;

/** @throws InvalidArgumentError unless it is between 0 and 1, both exclusive */
export function checkConfidence(confidence: number): void {
  if (confidence > 0 && confidence < 1) return;
  throw new InvalidArgumentError(
    'confidence',
    `must lie between 0 and 1, not ${confidence}`,
    'Write 0.95 for 95 %.',
  );
}

/** @throws InvalidArgumentError unless it is a whole number of at least `least` */
export function checkCount(name: string, count: number, least: number): void {
  if (Number.isSafeInteger(count) && count >= least) return;
  throw new InvalidArgumentError(
    name,
    `must be a whole number of at least ${least}, not ${count}`,
    'Pass a count of items.',
  );
}

/** @throws InvalidArgumentError when a value is not finite */
export function checkFinite(name: string, values: readonly number[]): void {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at === -1) return;
  throw new InvalidArgumentError(
    `${name}[${at}]`,
    `must be a finite number, not ${String(values[at])}`,
    'Omit values that were not measured.',
  );
}
