import { checkConfidence, DEFAULT_CONFIDENCE } from '../statistics/interval.js';
import { type RepeatSummary, summarizeRepeats } from '../statistics/repeats.js';
import { isUncalled, type RisingMeasure, RISING_MEASURES } from './measure-gaps.js';
import { correctedLimits, type EvidenceLimits } from './evidence-limits.js';
import {
  differencesOf,
  type Measure,
  meanOf,
  type PlayFacts,
  PlayedItem,
  type TalliedItem,
  USAGE_MEASURES,
} from './played-item.js';
import { itemId, type RunSummary, type RunTotals, type UnmeasuredSummary } from './run.js';
import { type GatheredMeasure, gatherMeasure, summarizeMeasure } from './summarize-measure.js';
import { gatherScore, summarizeScore } from './summarize-score.js';

/**
 * Adds up a run, item by item as they end, and says what it means. It keeps numbers alone, so a run of any length fits.
 * A run that is resumed is added again from its stored items.
 */
export class RunTally {
  readonly #items = new Map<number, PlayedItem>();
  #unplayed = 0;
  readonly #totals: RunTotals = {
    ...{ items: 0, same: 0, changed: 0, unknown: 0, error: 0 },
    ...{
      fixed: 0,
      failingAsBefore: 0,
      newErrors: 0,
      accepted: 0,
      diverged: 0,
      flaky: 0,
      missing: 0,
      unstored: 0,
    },
    skipped: {},
  };

  /** @param facts what shows that nothing random ran; without it, the run is not known to be deterministic */
  add(item: TalliedItem, facts?: PlayFacts): void {
    this.#totals.items += 1;
    this.#totals[item.verdict] += 1;
    for (const flag of ['fixed', 'failingAsBefore', 'accepted'] as const)
      if (item[flag] === true) this.#totals[flag] += 1;
    if (item.newError === true) this.#totals.newErrors += 1;
    if (item.divergences.length > 0) this.#totals.diverged += 1;
    if (isUncalled(item)) this.#unplayed += 1;
    const played = this.#items.get(item.itemNo) ?? new PlayedItem(itemId(item), item.sessionId);
    this.#items.set(item.itemNo, played);
    played.add(item, facts);
  }

  /** Counts what the selection left out, such as calls inside another call of the key. */
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

  /** Whether the repeats of an item disagree, as far as they were added. */
  isFlaky(itemNo: number): boolean {
    return this.#items.get(itemNo)?.isFlaky === true;
  }

  /** Of each score, now less before, for each item that has both: what `summarizeNoise` takes. */
  differences(): Record<string, number[]> {
    const differences = new Map<string, number[]>();
    for (const { scores } of this.#items.values())
      for (const [name, score] of scores) {
        const difference = meanOf(differencesOf(score.now, score.before) ?? []);
        if (difference === undefined) continue;
        const known = differences.get(name) ?? [];
        differences.set(name, known);
        known.push(difference);
      }
    return Object.fromEntries(differences);
  }

  /** @param limits a gate: its limits that need evidence are tested, and corrected for one another. Default: no limits */
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
    const repeats = repeatsOf(items, names);
    const unmeasured = unmeasuredOf(items, new Set(usage.keys()));
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

/** Of an item that was not called, nobody knows what it would have used: it counts where other items used something. An item without a baseline counts where others have one beside them. */
function unmeasuredOf(items: readonly PlayedItem[], used: ReadonlySet<Measure>): RunSummary['unmeasured'] {
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

function repeatsOf(items: readonly PlayedItem[], names: readonly string[]): RunSummary['repeats'] {
  const k = items.reduce((most, { plays }) => Math.max(most, plays), 0);
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
      items.map(({ plays, same }) => ({ runs: plays, passes: same })),
      k,
    ),
    scores,
  };
}
