import { checkConfidence, checkCount, DEFAULT_CONFIDENCE } from './interval.js';
import { normalQuantile } from './normal-distribution.js';

/** The smallest detectable change of a pass rate. */
export interface DetectableChange {
  /** Items that must change, all in one direction. Absent with too few items. */
  items?: number;
  /** The same as a share of all items. */
  rate?: number;
}

/** The smallest change of pass or fail that `n` independent pairs can show, by the randomization test. */
export function detectableChange(n: number, confidence: number = DEFAULT_CONFIDENCE): DetectableChange {
  checkConfidence(confidence);
  checkCount('n', n, 0);
  const items = Math.ceil(Math.log2(2 / (1 - confidence)) - 1e-9);
  return items > n ? {} : { items, rate: items / n };
}

/**
 * The smallest mean difference that `n` pairs will probably show. Four times as many items show half of it.
 *
 * Source: E. Miller, "Adding Error Bars to Evals", 2024 (arXiv 2411.00640), section 5.
 *
 * @param standardDeviation of the paired differences, from an earlier run or an A/A run
 * @param power probability of showing the difference if it exists, default 0.8
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
