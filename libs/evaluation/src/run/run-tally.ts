import { checkConfidence, DEFAULT_CONFIDENCE } from '../statistics/interval.js';
import { type RepeatSummary, summarizeRepeats } from '../statistics/repeats.js';
import { isUncalled, type RisingMeasure, RISING_MEASURES } from './measure-gaps.js';
import { correctedLimits, type EvidenceLimits } from './evidence-limits.js';
import {
  pairDifferences,
  type Measure,
  average,
  type RepetitionFacts,
  ItemTally,
  type TalliedItem,
  USAGE_MEASURES,
} from './item-tally.js';
import { itemId, type RunSummary, type RunTotals, type UnmeasuredSummary } from './run.js';
import { type GatheredMeasure, gatherMeasure, summarizeMeasure } from './summarize-measure.js';
import { gatherScore, summarizeScore } from './summarize-score.js';

/**
 * Adds up the items of a run and summarizes them. Keeps only numbers, so a run of any length fits into memory. To resume a run, add its
 * stored items again.
 */
export class RunTally {
  readonly #items = new Map<number, ItemTally>();
  #unplayed = 0;
  readonly #totals: RunTotals = {
    items: 0,
    same: 0,
    changed: 0,
    unknown: 0,
    error: 0,
    fixed: 0,
    failingAsBefore: 0,
    newErrors: 0,
    accepted: 0,
    diverged: 0,
    flaky: 0,
    missing: 0,
    unstored: 0,
    skipped: {},
  };

  /** @param facts whether anything random ran; without them the run does not count as deterministic */
  add(item: TalliedItem, facts?: RepetitionFacts): void {
    this.#totals.items += 1;
    this.#totals[item.verdict] += 1;
    for (const flag of ['fixed', 'failingAsBefore', 'accepted'] as const)
      if (item[flag] === true) this.#totals[flag] += 1;
    if (item.newError === true) this.#totals.newErrors += 1;
    if (item.divergences.length > 0) this.#totals.diverged += 1;
    if (isUncalled(item)) this.#unplayed += 1;
    const tally = this.#items.get(item.itemNo) ?? new ItemTally(itemId(item), item.sessionId);
    this.#items.set(item.itemNo, tally);
    tally.add(item, facts);
  }

  /** Counts calls that the selection skipped, such as calls inside another call with the key. */
  skip(reason: string, count = 1): void {
    this.#totals.skipped[reason] = (this.#totals.skipped[reason] ?? 0) + count;
  }

  /** Counts items that were selected and not replayed. */
  miss(count = 1): void {
    this.#totals.missing += count;
  }

  /** Counts items that were replayed and not stored by the service. */
  lose(count = 1): void {
    this.#totals.unstored += count;
  }

  /** Whether the repetitions of an item disagree so far. */
  isFlaky(itemNo: number): boolean {
    return this.#items.get(itemNo)?.isFlaky === true;
  }

  /** Candidate minus baseline by score, for items with both; the input of `summarizeNoise`. */
  differences(): Record<string, number[]> {
    const differences = new Map<string, number[]>();
    for (const { scores } of this.#items.values())
      for (const [name, score] of scores) {
        const difference = average(pairDifferences(score.now, score.before) ?? []);
        if (difference === undefined) continue;
        const known = differences.get(name) ?? [];
        differences.set(name, known);
        known.push(difference);
      }
    return Object.fromEntries(differences);
  }

  /** @param limits of a gate; those that need evidence are tested and corrected for multiple testing. Default: none */
  summarize(limits: EvidenceLimits = {}): RunSummary {
    const { confidence = DEFAULT_CONFIDENCE } = limits;
    checkConfidence(confidence);
    const items = [...this.#items.values()];
    const isExact = items.length > 0 && items.every(({ isRepeatable }) => isRepeatable);
    const names = [...new Set(items.flatMap(({ scores }) => [...scores.keys()]))];
    const scores = names.map((name) => gatherScore(name, items));
    const durations = gatherMeasure('durationMs', items, true);
    const usage = new Map(
      (['tokens', ...USAGE_MEASURES] as const).flatMap((name): [Measure, GatheredMeasure][] => {
        const gathered = gatherMeasure(name, items);
        return gathered === undefined ? [] : [[name, gathered]];
      }),
    );
    const evidence = [
      ...scores.map((score) => [`scores.${score.name}`, isExact ? undefined : score.evidence] as const),
      ['p95Ms', durations?.p95Evidence] as const,
      ...(['tokens', 'costUsd'] as const).map((name) => [name, usage.get(name)?.evidence] as const),
    ];
    const tested = correctedLimits(
      limits,
      new Map(evidence.flatMap(([name, found]) => (found === undefined ? [] : [[name, found]]))),
    );
    const repeats = summarizeAllRepeats(items, names);
    const unmeasured = summarizeUnmeasured(items, new Set(usage.keys()));
    const uncounted = items.filter(({ isUncounted }) => isUncounted).length;
    return {
      confidence,
      totals: {
        ...this.#totals,
        flaky: items.filter(({ isFlaky }) => isFlaky).length,
        skipped: { ...this.#totals.skipped },
      },
      ...(isExact && { deterministic: true }),
      scores: Object.fromEntries(
        scores.map((score) => [
          score.name,
          summarizeScore(score, { confidence, isExact, tested: tested.get(`scores.${score.name}`) }),
        ]),
      ),
      ...(durations && {
        durations: summarizeMeasure(durations, confidence, { p95: tested.get('p95Ms') }),
      }),
      usage: Object.fromEntries(
        Array.from(usage, ([name, gathered]) => [
          name,
          summarizeMeasure(gathered, confidence, { mean: tested.get(name) }),
        ]),
      ),
      ...(unmeasured && { unmeasured }),
      ...(this.#unplayed > 0 && { unplayed: this.#unplayed }),
      ...(uncounted > 0 && { uncounted }),
      ...(repeats && { repeats, repeatedItems: items.length }),
    };
  }
}

/** An item that was not called counts only if other items have the measure. An unpaired duration counts only if others are paired. */
function summarizeUnmeasured(
  items: readonly ItemTally[],
  used: ReadonlySet<Measure>,
): RunSummary['unmeasured'] {
  const found: [RisingMeasure, UnmeasuredSummary][] = [];
  const isSideBySide = items.some((item) => item.isSideBySide);
  for (const measure of RISING_MEASURES) {
    const counts: UnmeasuredSummary = { items: 0, failed: 0, untold: 0, unseen: 0, unknown: 0 };
    for (const { gaps, unpaired } of items) {
      const isPaired = measure !== 'durationMs' || !isSideBySide;
      const kind = gaps.get(measure) ?? (isPaired ? undefined : unpaired);
      if (kind === undefined) continue;
      counts.items += 1;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    const isMeasured = measure === 'durationMs' || used.has(measure);
    if (counts.items > (isMeasured ? 0 : counts.failed)) found.push([measure, counts]);
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function summarizeAllRepeats(items: readonly ItemTally[], names: readonly string[]): RunSummary['repeats'] {
  const k = items.reduce((most, { repetitions }) => Math.max(most, repetitions), 0);
  if (k < 2) return undefined;
  const scores: Record<string, RepeatSummary> = {};
  for (const name of names) {
    const counts = items.flatMap((item) => {
      const { passes = 0, fails = 0 } = item.scores.get(name) ?? {};
      return passes + fails === 0 ? [] : [{ runs: passes + fails, passes }];
    });
    if (counts.length > 0) scores[name] = summarizeRepeats(counts, k);
  }
  return {
    same: summarizeRepeats(
      items.map(({ repetitions, same }) => ({ runs: repetitions, passes: same })),
      k,
    ),
    scores,
  };
}
