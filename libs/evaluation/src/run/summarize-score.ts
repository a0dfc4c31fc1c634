import { type Evidence, type TestedLimit, toDifference } from '../statistics/evidence.js';
import type { Difference, Interval } from '../statistics/interval.js';
import { meanEvidence } from '../statistics/mean-difference.js';
import { clusteredRateInterval } from '../statistics/wilson-interval.js';
import { pairDifferences, type ItemScore, average, type ItemTally } from './item-tally.js';
import type { ScoreSummary } from './run.js';

interface ScoredItem {
  item: ItemTally;
  score: ItemScore;
}

/** An item with a number on both sides. */
interface Pair extends ScoredItem {
  difference: number;
  before: number;
}

/** One score of all items, independent of the confidence level. */
export interface GatheredScore {
  name: string;
  items: readonly ItemTally[];
  scored: readonly ScoredItem[];
  /** Sorted by difference, the largest drop first. */
  pairs: readonly Pair[];
  /** Absent without pairs. */
  evidence: Evidence | undefined;
}

export interface ScoreLevel {
  confidence: number;
  /** The gate's limit, if any. */
  tested: TestedLimit | undefined;
  /** Nothing random ran, so differences are exact. */
  isExact: boolean;
}

export function gatherScore(name: string, items: readonly ItemTally[]): GatheredScore {
  const scored = items.flatMap((item): ScoredItem[] => {
    const score = item.scores.get(name);
    return score === undefined ? [] : [{ item, score }];
  });
  const compared = scored.flatMap(({ item, score }) => {
    const differences = item.hasLost(score) ? undefined : pairDifferences(score.now, score.before);
    return differences === undefined ? [] : [{ item, score, differences }];
  });
  const evidence =
    compared.length === 0
      ? undefined
      : meanEvidence(
          compared.map(({ differences }) => differences),
          compared.map(({ item }) => item.sessionId),
        );
  const pairs = compared
    .map(({ item, score, differences }) => ({
      item,
      score,
      difference: average(differences) ?? 0,
      before: average(score.before) ?? 0,
    }))
    .sort((a, b) => a.difference - b.difference);
  return { name, items, scored, pairs, evidence };
}

export function summarizeScore(
  { name, items, scored, pairs, evidence }: GatheredScore,
  level: ScoreLevel,
): ScoreSummary {
  const numbers = scored.flatMap(({ item, score }) => {
    const value = average(score.now);
    return value === undefined ? [] : [{ item, score, value }];
  });
  const labels = countLabels(scored);
  const lost = scored.filter(
    ({ item, score }) => countAnswers(score) >= item.repetitions && item.hasLost(score),
  ).length;
  const reused = scored.filter(({ score }) => score.isReused).length;
  const mean = average(numbers.map(({ value }) => value));
  const interval = level.isExact ? undefined : scoreInterval(numbers, level.confidence);
  return {
    mean: mean ?? null,
    ...(interval && { interval }),
    n: scored.filter(({ score }) => score.now.length > 0 || score.labels.length > 0).length,
    notApplicable: scored.filter(({ item, score }) => score.notApplicable === item.repetitions).length,
    missing: items.filter((item) => countAnswers(item.scores.get(name)) < item.repetitions).length,
    ...(lost > 0 && { lost }),
    ...(reused > 0 && { reused }),
    ...(labels && { labels }),
    ...(evidence && { delta: summarizeDelta(pairs, evidence, level) }),
    worse: pairs.filter(({ difference }) => difference < 0).map(({ item }) => item.id),
    better: pairs.filter(({ difference }) => difference > 0).length,
  };
}

function countAnswers(score: ItemScore | undefined): number {
  return score === undefined ? 0 : score.now.length + score.labels.length + score.notApplicable;
}

function countLabels(scored: readonly ScoredItem[]): Record<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const label of scored.flatMap(({ score }) => score.labels))
    counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts.size === 0 ? undefined : Object.fromEntries(counts);
}

/** If every number is 0 or 1, the mean is a rate, whose interval needs fewer items. */
function scoreInterval(
  numbers: readonly (ScoredItem & { value: number })[],
  confidence: number,
): Interval | undefined {
  if (numbers.length === 0) return undefined;
  const values = numbers.map(({ value }) => value);
  const clusters = numbers.map(({ item }) => item.sessionId);
  const isRate = numbers.every(({ score }) => score.now.every((value) => value === 0 || value === 1));
  if (isRate) return clusteredRateInterval(values, { confidence, clusters });
  return meanEvidence(values, clusters).interval((1 - confidence) / 2);
}

function summarizeDelta(
  pairs: readonly Pair[],
  evidence: Evidence,
  { confidence, tested, isExact }: ScoreLevel,
): Difference {
  if (isExact) {
    const { estimate, n, units, smallestP } = evidence;
    return { mean: estimate, p: estimate === 0 ? 1 : 0, n, units, smallestP, exact: true };
  }
  return toDifference(evidence, confidence, tested, boundDelta(pairs, evidence));
}

/** If all scores are between 0 and 1, the change is bounded by the baseline's mean. */
function boundDelta(pairs: readonly Pair[], { estimate }: Evidence): Interval | undefined {
  const isShare = pairs.every(({ score }) =>
    [...score.now, ...score.before].every((value) => value >= 0 && value <= 1),
  );
  if (!isShare) return undefined;
  const baseline = average(pairs.map(({ before }) => before)) ?? 0;
  return { low: Math.min(estimate, -baseline), high: Math.max(estimate, 1 - baseline) };
}
