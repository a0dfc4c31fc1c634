import { checkConfidence, checkCount, DEFAULT_CONFIDENCE, type Interval } from './interval.js';
import { normalQuantile } from './normal-distribution.js';

/**
 * The interval of a rate: which true rates would make `successes` of `trials` unremarkable. Wilson's score interval
 * without continuity correction; of no trials, everything from 0 to 1.
 *
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22, 1927.
 *
 * @param confidence default 0.95
 * @throws InvalidArgumentError when there are more successes than trials, or one of them is no count
 */
export function wilsonInterval(
  successes: number,
  trials: number,
  confidence: number = DEFAULT_CONFIDENCE,
): Interval {
  checkConfidence(confidence);
  checkCount('successes', successes, 0);
  checkCount('trials', trials, successes);
  if (trials === 0) return { low: 0, high: 1 };
  const z = normalQuantile((1 + confidence) / 2);
  const failures = trials - successes;
  const middle = successes + (z * z) / 2;
  const margin = z * Math.sqrt((successes * failures) / trials + (z * z) / 4);
  return {
    low: successes === 0 ? 0 : (middle - margin) / (trials + z * z),
    high: failures === 0 ? 1 : (middle + margin) / (trials + z * z),
  };
}
