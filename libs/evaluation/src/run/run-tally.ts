import { checkConfidence, DEFAULT_CONFIDENCE } from '../statistics/interval.js';
import { type RepeatSummary, summarizeRepeats } from '../statistics/repeats.js';
import { isUncalled, type RisingMeasure, RISING_MEASURES } from './measure-gaps.js';
import { meanOf, PlayedItem, type TalliedItem, unlessRounded, USAGE_MEASURES } from './played-item.js';
import { itemId, type RunSummary, type RunTotals, type UnmeasuredSummary, type UsageSummary } from './run.js';
import { summarizeMeasure } from './summarize-measure.js';
import { summarizeScore } from './summarize-score.js';

/**
 * Adds up a run, item by item as they end, and says what it means. It keeps numbers alone, so a run of any length fits.
 * A run that is resumed is added again from its stored items.
 */
export class RunTally {
  readonly #items = new Map<number, PlayedItem>();
  #unplayed = 0;
  readonly #totals: RunTotals = {
    ...{ items: 0, same: 0, changed: 0, unknown: 0, error: 0 },
    ...{ fixed: 0, failingAsBefore: 0, accepted: 0, diverged: 0, flaky: 0, missing: 0 },
    skipped: {},
  };

  add(item: TalliedItem): void {
    this.#totals.items += 1;
    this.#totals[item.verdict] += 1;
    for (const flag of ['fixed', 'failingAsBefore', 'accepted'] as const)
      if (item[flag] === true) this.#totals[flag] += 1;
    if (item.divergences.length > 0) this.#totals.diverged += 1;
    if (isUncalled(item)) this.#unplayed += 1;
    const played = this.#items.get(item.itemNo) ?? new PlayedItem(itemId(item), item.sessionId);
    this.#items.set(item.itemNo, played);
    played.add(item);
  }

  /** Counts what the selection left out, such as calls inside another call of the key. */
  skip(reason: string, count = 1): void {
    this.#totals.skipped[reason] = (this.#totals.skipped[reason] ?? 0) + count;
  }

  /** Counts what was selected and could not be played or told. */
  miss(count = 1): void {
    this.#totals.missing += count;
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
        const [now, before] = [meanOf(score.now), meanOf(score.before)];
        if (now === undefined || before === undefined) continue;
        const known = differences.get(name) ?? [];
        differences.set(name, known);
        known.push(unlessRounded(now, before) - before);
      }
    return Object.fromEntries(differences);
  }

  /** @param confidence of all intervals, default 0.95 */
  summarize(confidence: number = DEFAULT_CONFIDENCE): RunSummary {
    checkConfidence(confidence);
    const items = [...this.#items.values()];
    const names = [...new Set(items.flatMap(({ scores }) => [...scores.keys()]))];
    const durations = summarizeMeasure('durationMs', items, confidence, true);
    const repeats = repeatsOf(items, names);
    const usage = usageOf(items, confidence);
    const unmeasured = unmeasuredOf(items, usage);
    const uncounted = items.filter(({ isUncounted }) => isUncounted).length;
    return {
      confidence,
      totals: {
        ...this.#totals,
        flaky: items.filter(({ isFlaky }) => isFlaky).length,
        skipped: { ...this.#totals.skipped },
      },
      scores: Object.fromEntries(names.map((name) => [name, summarizeScore(name, items, confidence)])),
      ...(durations && { durations }),
      usage,
      ...(unmeasured && { unmeasured }),
      ...(this.#unplayed > 0 && { unplayed: this.#unplayed }),
      ...(uncounted > 0 && { uncounted }),
      ...(repeats && { repeats }),
    };
  }
}

/** Of an item that was not called, nobody knows what it would have used: it counts where other items used something. */
function unmeasuredOf(items: readonly PlayedItem[], usage: UsageSummary): RunSummary['unmeasured'] {
  const found: [RisingMeasure, UnmeasuredSummary][] = [];
  for (const measure of RISING_MEASURES) {
    const counts: UnmeasuredSummary = { items: 0, failed: 0, untold: 0, unseen: 0, unknown: 0 };
    for (const { gaps } of items) {
      const kind = gaps.get(measure);
      if (kind === undefined) continue;
      counts.items += 1;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
    const isMeasured = measure === 'durationMs' || usage[measure] !== undefined;
    if (counts.items > (isMeasured ? 0 : counts.failed)) found.push([measure, counts]);
  }
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function usageOf(items: readonly PlayedItem[], confidence: number): UsageSummary {
  const usage: UsageSummary = {};
  for (const name of ['tokens', ...USAGE_MEASURES] as const) {
    const summary = summarizeMeasure(name, items, confidence);
    if (summary !== undefined) usage[name] = summary;
  }
  return usage;
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
