import { detectableDifference } from './detectable-effect.js';
import { checkFinite, DEFAULT_CONFIDENCE, type Interval } from './interval.js';
import { wilsonInterval } from './wilson-interval.js';

/** What replaying unchanged code showed (an A/A run). */
export interface NoiseSummary {
  items: number;
  /** Items that came out otherwise although nothing was changed. */
  changed: { count: number; rate: number; interval: Interval };
  scores: Record<string, ScoreNoise>;
}

export interface ScoreNoise {
  n: number;
  /** Unchanged code should have none. */
  mean: number;
  standardDeviation: number;
  /** The mean difference that a run of as many items will probably show beyond this noise. */
  detectable: number;
}

/**
 * How much of what a replay shows comes from the code itself, unchanged: a gate that allows less than this fails by chance.
 *
 * @param differences of each score, now less before, for each item
 */
export function summarizeNoise(
  items: number,
  changed: number,
  differences: Readonly<Record<string, readonly number[]>>,
  confidence: number = DEFAULT_CONFIDENCE,
): NoiseSummary {
  return {
    items,
    changed: {
      count: changed,
      rate: items === 0 ? 0 : changed / items,
      interval: wilsonInterval(changed, items, confidence),
    },
    scores: Object.fromEntries(
      Object.entries(differences)
        .filter(([, values]) => values.length > 0)
        .map(([name, values]) => [name, noiseOf(name, values, confidence)]),
    ),
  };
}

function noiseOf(name: string, values: readonly number[], confidence: number): ScoreNoise {
  checkFinite(name, values);
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const standardDeviation = Math.sqrt(squares / Math.max(1, n - 1));
  return {
    n,
    mean,
    standardDeviation,
    detectable: detectableDifference(n, standardDeviation, { confidence }),
  };
}
