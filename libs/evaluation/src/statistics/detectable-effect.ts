import { checkConfidence, checkCount, DEFAULT_CONFIDENCE } from './interval.js';
import { normalQuantile } from './normal-distribution.js';

/** Which change of a pass rate so many items can show. */
export interface DetectableChange {
  /** So many items must change, all in one direction. Absent when there are too few items to show anything. */
  items?: number;
  /** The same as a share of all items. */
  rate?: number;
}

/** The smallest change of pass and fail that `n` independent pairs can show, by the randomization test. */
export function detectableChange(n: number, confidence: number = DEFAULT_CONFIDENCE): DetectableChange {
  checkConfidence(confidence);
  checkCount('n', n, 0);
  const items = Math.ceil(Math.log2(2 / (1 - confidence)) - 1e-9);
  return items > n ? {} : { items, rate: items / n };
}

/**
 * The smallest mean difference that `n` pairs will probably show. Half of it is shown half as sure, and four times the
 * items show half of it.
 *
 * Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), section 5.
 *
 * @param standardDeviation that of the paired differences, from an earlier run or an A/A run
 * @param power how often it is shown if it is there, default 0.8
 */
export function detectableDifference(
  n: number,
  standardDeviation: number,
  { confidence = DEFAULT_CONFIDENCE, power = 0.8 }: { confidence?: number; power?: number } = {},
): number {
  checkConfidence(confidence);
  checkCount('n', n, 1);
  const z = normalQuantile((1 + confidence) / 2) + normalQuantile(power);
  return (z * standardDeviation) / Math.sqrt(n);
}
