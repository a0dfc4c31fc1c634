import { checkConfidence, checkCount, DEFAULT_CONFIDENCE } from './interval.js';
import { normalQuantile } from './normal-distribution.js';

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
