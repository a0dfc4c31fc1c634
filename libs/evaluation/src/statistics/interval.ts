import { InvalidArgumentError } from '../errors.js';

/** From `low` to `high`, both included. */
export interface Interval {
  low: number;
  high: number;
}

/** How two versions differ: candidate minus baseline. */
export interface Difference {
  /** The mean of the differences; for a percentile, the difference of the two percentiles. */
  mean: number;
  /** Absent where the data cannot tell, as with too few items, and where nothing random ran. */
  interval?: Interval;
  /**
   * Two-sided, of "no difference"; at least `1 − confidence` where the interval holds 0. With `allowed`, of "not beyond what is
   * allowed" in the one direction that the gate limits, doubled to be read in the same way, and corrected for the gate's other limits.
   */
  p: number;
  /** How many pairs were compared. */
  n: number;
  /** How many independent units they make: sessions, and items without a session. */
  units: number;
  /** The smallest p that so many units can reach, uncorrected. */
  smallestP: number;
  /** The drop or rise that the gate allows, which p and the interval test. */
  allowed?: number;
  /** What p is multiplied by because the gate has other limits that need evidence. */
  correction?: number;
  /** Nothing random ran: the difference is a fact, without an interval, and p is 0 or 1. */
  exact?: true;
}

export const DEFAULT_CONFIDENCE = 0.95;

/** @throws InvalidArgumentError unless it lies between 0 and 1, both excluded */
export function checkConfidence(confidence: number): void {
  if (confidence > 0 && confidence < 1) return;
  throw new InvalidArgumentError(
    'confidence',
    `must lie between 0 and 1, not ${confidence}`,
    'Write 0.95 for 95 %.',
  );
}

/** @throws InvalidArgumentError unless it is a whole number from `least` up */
export function checkCount(name: string, count: number, least: number): void {
  if (Number.isSafeInteger(count) && count >= least) return;
  throw new InvalidArgumentError(
    name,
    `must be a whole number from ${least} up, not ${count}`,
    'Pass a count of items.',
  );
}

/** @throws InvalidArgumentError when one is not a finite number */
export function checkFinite(name: string, values: readonly number[]): void {
  const at = values.findIndex((value) => !Number.isFinite(value));
  if (at === -1) return;
  throw new InvalidArgumentError(
    `${name}[${at}]`,
    `must be a finite number, not ${String(values[at])}`,
    'Leave out what was not measured.',
  );
}
