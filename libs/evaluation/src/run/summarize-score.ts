import { pairedBootstrap } from '../statistics/bootstrap.js';
import { type Difference, type Interval, withP } from '../statistics/interval.js';
import { mcnemarTest } from '../statistics/mcnemar.js';
import { meanDifference } from '../statistics/mean-difference.js';
import { clusteredRateInterval } from '../statistics/wilson-interval.js';
import { type ItemScore, meanOf, type PlayedItem, unlessRounded } from './played-item.js';
import type { ScoreSummary } from './run.js';

interface ScoredItem {
  item: PlayedItem;
  score: ItemScore;
}

/** What one evaluator said of all items. */
export function summarizeScore(name: string, items: readonly PlayedItem[], confidence: number): ScoreSummary {
  const scored = items.flatMap((item): ScoredItem[] => {
    const score = item.scores.get(name);
    return score === undefined ? [] : [{ item, score }];
  });
  const numbers = scored.flatMap(({ item, score }) => {
    const value = meanOf(score.now);
    return value === undefined ? [] : [{ item, score, value }];
  });
  const pairs = numbers
    .flatMap(({ item, score, value }) => {
      const before = item.hasLost(score) ? undefined : meanOf(score.before);
      return before === undefined ? [] : [{ item, score, difference: unlessRounded(value, before) - before }];
    })
    .sort((a, b) => a.difference - b.difference);
  const labels = countLabels(scored);
  const lost = scored.filter(({ item, score }) => saidOf(score) >= item.plays && item.hasLost(score)).length;
  return {
    mean: numbers.length === 0 ? null : numbers.reduce((sum, { value }) => sum + value, 0) / numbers.length,
    ...intervalOf(numbers, confidence),
    n: scored.filter(({ score }) => score.now.n > 0 || score.labels.length > 0).length,
    notApplicable: scored.filter(({ item, score }) => score.notApplicable === item.plays).length,
    missing: items.filter((item) => saidOf(item.scores.get(name)) < item.plays).length,
    ...(lost > 0 && { lost }),
    ...(labels && { labels }),
    ...(pairs.length > 0 && { delta: deltaOf(pairs, confidence) }),
    worse: pairs.filter(({ difference }) => difference < 0).map(({ item }) => item.id),
    better: pairs.filter(({ difference }) => difference > 0).length,
  };
}

function saidOf(score: ItemScore | undefined): number {
  return score === undefined ? 0 : score.now.n + score.labels.length + score.notApplicable;
}

function countLabels(scored: readonly ScoredItem[]): Record<string, number> | undefined {
  const counts = new Map<string, number>();
  for (const label of scored.flatMap(({ score }) => score.labels))
    counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts.size === 0 ? undefined : Object.fromEntries(counts);
}

function intervalOf(
  numbers: readonly (ScoredItem & { value: number })[],
  confidence: number,
): { interval?: Interval } {
  const values = numbers.map(({ value }) => value);
  const options = { confidence, clusters: numbers.map(({ item }) => item.sessionId) };
  const isRate =
    numbers.length > 0 && numbers.every(({ score: { passes, fails, now } }) => passes + fails === now.n);
  if (isRate) return { interval: clusteredRateInterval(values, options) };
  const { interval } = meanDifference(values, options);
  return interval === undefined ? {} : { interval };
}

function deltaOf(pairs: readonly (ScoredItem & { difference: number })[], confidence: number): Difference {
  const found = pairedBootstrap(
    pairs.map(({ difference }) => difference),
    { confidence, clusters: pairs.map(({ item }) => item.sessionId) },
  );
  if (!isPassOrFail(pairs) || !pairs.every(({ score }) => score.passesBefore + score.failsBefore === 1))
    return found;
  const worse = pairs.filter(({ difference }) => difference < 0).length;
  const better = pairs.filter(({ difference }) => difference > 0).length;
  return withP(found, mcnemarTest(worse, better), confidence);
}

/** One true or false for each, and no two of one session: what the exact test for counts asks. */
function isPassOrFail(scored: readonly ScoredItem[]): boolean {
  const sessions = scored.flatMap(({ item }) => item.sessionId ?? []);
  return (
    new Set(sessions).size === sessions.length &&
    scored.every(({ score: { passes, fails, now } }) => now.n === 1 && passes + fails === 1)
  );
}
