import { InvalidArgumentError } from '../errors.js';

/** From `low` to `high`, both included. */
export interface Interval {
  low: number;
  high: number;
}

/** How two versions differ, now less before. */
export interface Difference {
  /** The mean of the differences; of a percentile, the difference of the two percentiles. */
  mean: number;
  /** Absent where the data cannot tell, as with one item or one cluster. */
  interval?: Interval;
  /** Two-sided, of "no difference"; 1 where the data cannot tell. */
  p: number;
  /** How many pairs were compared. */
  n: number;
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

/** The smallest p that `pairs` pairs can reach when all of them go one way: that of the test of signs. */
export function smallestP(pairs: number): number {
  return Math.min(1, 2 ** (1 - pairs));
}

/**
 * Two or three equal differences have no spread, which would pass for certainty. With fewer pairs that differ than a test
 * of signs needs, p is what that test would say, and the interval reaches to 0.
 */
export function withoutFalseCertainty(found: Difference, pairs: number, confidence: number): Difference {
  return withP(found, Math.max(found.p, smallestP(pairs)), confidence);
}

/** Gives it a p by another test. Where that finds nothing, the interval reaches to 0. */
export function withP(found: Difference, p: number, confidence: number): Difference {
  if (found.interval === undefined || p < 1 - confidence) return { ...found, p };
  const { low, high } = found.interval;
  return { ...found, p, interval: { low: Math.min(low, 0), high: Math.max(high, 0) } };
}
