import { quantileOf } from '../statistics/bootstrap.js';
import { meanDifference } from '../statistics/mean-difference.js';
import { percentileDifference } from '../statistics/percentile-difference.js';
import { type Measure, meanOf, type PlayedItem, unlessRounded } from './played-item.js';
import type { MeasureSummary } from './run.js';

/**
 * A size over all items, now and before. Durations have a difference only over items whose two versions ran alike.
 *
 * @param withP95Delta whether slow items are compared too
 * @returns `undefined` when no item has it now
 */
export function summarizeMeasure(
  name: Measure,
  items: readonly PlayedItem[],
  confidence: number,
  withP95Delta = false,
): MeasureSummary | undefined {
  const measured = items.flatMap((item) => {
    const kept = item.measures.get(name);
    const now = kept && meanOf(kept.now);
    if (kept === undefined || now === undefined) return [];
    return [{ item, now, before: meanOf(kept.before), total: kept.now.sum }];
  });
  if (measured.length === 0) return undefined;
  const isComparable = (item: PlayedItem): boolean => name !== 'durationMs' || item.isTimingPaired;
  const pairs = measured.flatMap(({ item, now, before }) =>
    before === undefined || !isComparable(item)
      ? []
      : [{ sessionId: item.sessionId, now: unlessRounded(now, before), before }],
  );
  const options = { confidence, clusters: pairs.map(({ sessionId }) => sessionId) };
  const delta = meanDifference(
    pairs.map(({ now, before }) => now - before),
    options,
  );
  const sorted = Float64Array.from(measured, ({ now }) => now).sort();
  return {
    n: measured.length,
    total: measured.reduce((sum, { total }) => sum + total, 0),
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    p95: quantileOf(sorted, 0.95),
    ...(pairs.length > 0 && { delta }),
    ...(pairs.length > 0 &&
      withP95Delta && {
        p95Delta: percentileDifference(
          pairs.map(({ before }) => before),
          pairs.map(({ now }) => now),
          options,
        ),
      }),
  };
}
