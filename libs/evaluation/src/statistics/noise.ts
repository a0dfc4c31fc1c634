import { detectableDifference } from './detectable-effect.js';
import { checkFinite, DEFAULT_CONFIDENCE, type Interval } from './interval.js';
import { wilsonInterval } from './wilson-interval.js';

/** The result of replaying unchanged code (an A/A run). */
export interface NoiseSummary {
  items: number;
  /** Items that changed although the code did not. */
  changed: { count: number; rate: number; interval: Interval };
  scores: Record<string, ScoreNoise>;
}

export interface ScoreNoise {
  n: number;
  /** Should be 0 for unchanged code. */
  mean: number;
  standardDeviation: number;
  /** The smallest mean difference that a run with as many items will probably show. */
  detectable: number;
}

/**
 * Measures how much results vary without a code change. A gate that allows less fails by chance.
 *
 * @param differences by score: candidate minus baseline of each item
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
        .map(([name, values]) => [name, summarizeScoreNoise(name, values, confidence)]),
    ),
  };
}

function summarizeScoreNoise(name: string, values: readonly number[], confidence: number): ScoreNoise {
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
