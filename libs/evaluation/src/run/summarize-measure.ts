import { type Evidence, type TestedLimit, toDifference } from '../statistics/evidence.js';
import { meanEvidence } from '../statistics/mean-difference.js';
import { percentileEvidence, quantile } from '../statistics/percentile-difference.js';
import { pairDifferences, type Measure, average, type ItemTally, snapToBaseline } from './item-tally.js';
import type { MeasureSummary } from './run.js';

/** A measure over all items, independent of the confidence level. */
export interface GatheredMeasure {
  /** The mean of each item that has the measure, sorted. */
  means: Float64Array;
  total: number;
  /** For the mean; `undefined` if no item has a baseline. */
  evidence: Evidence | undefined;
  p95Evidence: Evidence | undefined;
}

/**
 * Collects a measure. Durations are compared only for items whose versions ran under the same conditions.
 *
 * @param withP95 whether to compare the 95th percentile too
 * @returns `undefined` if no item has the measure
 */
export function gatherMeasure(
  name: Measure,
  items: readonly ItemTally[],
  withP95 = false,
): GatheredMeasure | undefined {
  const measured = items.flatMap((item) => {
    const kept = item.measures.get(name);
    const now = kept && average(kept.now);
    return kept === undefined || now === undefined ? [] : [{ item, kept, now }];
  });
  if (measured.length === 0) return undefined;
  const isComparable = (item: ItemTally): boolean => name !== 'durationMs' || item.isTimingPaired;
  const pairs = measured.flatMap(({ item, kept, now }) => {
    const baselines = new Set(kept.before).size === 1 ? kept.before.slice(0, 1) : kept.before;
    const [differences, before] = [pairDifferences(kept.now, baselines), average(baselines)];
    return differences === undefined || before === undefined || !isComparable(item)
      ? []
      : [{ sessionId: item.sessionId, differences, before, now: snapToBaseline(now, before) }];
  });
  const clusters = pairs.map(({ sessionId }) => sessionId);
  const differences = pairs.map((pair) => pair.differences);
  const sides = [pairs.map(({ before }) => before), pairs.map(({ now }) => now)] as const;
  return {
    means: Float64Array.from(measured, ({ now }) => now).sort(),
    total: measured.reduce((sum, { kept }) => sum + kept.now.reduce((all, value) => all + value, 0), 0),
    evidence: pairs.length === 0 ? undefined : meanEvidence(differences, clusters),
    p95Evidence: pairs.length === 0 || !withP95 ? undefined : percentileEvidence(...sides, { clusters }),
  };
}

export function summarizeMeasure(
  { means, total, evidence, p95Evidence }: GatheredMeasure,
  confidence: number,
  tested: { mean?: TestedLimit | undefined; p95?: TestedLimit | undefined } = {},
): MeasureSummary {
  return {
    n: means.length,
    total,
    mean: means.reduce((sum, value) => sum + value, 0) / means.length,
    p95: quantile(means, 0.95),
    ...(evidence && { delta: toDifference(evidence, confidence, tested.mean) }),
    ...(p95Evidence && { p95Delta: toDifference(p95Evidence, confidence, tested.p95) }),
  };
}
