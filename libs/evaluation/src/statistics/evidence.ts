import { checkConfidence, DEFAULT_CONFIDENCE, type Difference, type Interval } from './interval.js';

/** Evidence for a difference from paired data, at any level. All p are one-sided. */
export interface Evidence {
  /** The observed difference, candidate minus baseline. */
  estimate: number;
  /** Number of compared pairs. */
  n: number;
  /** Number of independent units: sessions, and items without a session. */
  units: number;
  /** The smallest p possible with this number of units, when all differ in one direction. */
  smallestP: number;
  /** Small when the true difference is below `limit`. */
  pBelow(limit: number): number;
  /** Small when the true difference is above `limit`. */
  pAbove(limit: number): number;
  /** The limits that neither p rejects at the level `tail`; `undefined` when nothing can be rejected at that level. */
  interval(tail: number): Interval | undefined;
}

/** The limit of a gate on a difference, with its correction for multiple testing. */
export interface TestedLimit {
  /** Signed: -0.02 for a drop of 0.02, 300 for a rise of 300 ms. */
  limit: number;
  direction: 'drop' | 'rise';
  /** Factor for p, because the gate has other limits too. Default: 1. */
  correction?: number;
}

/** The one-sided p of "the difference is not beyond the limit". */
export function pBeyond(evidence: Evidence, { limit, direction }: TestedLimit): number {
  return direction === 'drop' ? evidence.pBelow(limit) : evidence.pAbove(limit);
}

/**
 * Converts evidence to a difference at one level. Interval and p agree: the interval excludes the tested limit exactly when
 * p ≤ 1 − confidence. Without `tested`, p is two-sided for "no difference".
 *
 * @param bounds the smallest and largest possible difference
 */
export function toDifference(
  evidence: Evidence,
  confidence: number = DEFAULT_CONFIDENCE,
  tested?: TestedLimit,
  bounds?: Interval,
): Difference {
  checkConfidence(confidence);
  const { estimate, n, units, smallestP } = evidence;
  const correction = tested?.correction ?? 1;
  const oneSided = tested ? pBeyond(evidence, tested) : Math.min(evidence.pBelow(0), evidence.pAbove(0));
  const interval = evidence.interval((1 - confidence) / 2 / correction);
  return {
    mean: estimate,
    ...(interval && { interval: clamp(interval, bounds) }),
    p: Math.min(1, 2 * oneSided * correction),
    n,
    units,
    smallestP: Math.min(1, 2 * smallestP),
    ...(tested && { allowed: Math.abs(tested.limit), correction }),
  };
}

function clamp({ low, high }: Interval, bounds: Interval = { low: -Infinity, high: Infinity }): Interval {
  return { low: Math.max(low, bounds.low), high: Math.min(high, bounds.high) };
}
