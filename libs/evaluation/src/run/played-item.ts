import { type GapKind, gapsOf, type RisingMeasure, RISING_MEASURES, tokensOf } from './measure-gaps.js';
import type { RunItem, Usage } from './run-item.js';
import { isUsableNumber, type NamedScore, numberOf } from './score.js';

/** What is kept of one score of one item, over its repeats. */
export interface ItemScore {
  /** The number of each repetition that has one. */
  now: readonly number[];
  /** As above, of the baseline: one for all repetitions, or one for each. */
  before: readonly number[];
  /** How often it was `null`. */
  notApplicable: number;
  /** How often it was true and false. */
  passes: number;
  fails: number;
  /** Playings whose baseline says anything of it: with repeats often one for all. */
  saidBefore: number;
  /** Playings with a number before and none now. */
  lostPlays: number;
  labels: string[];
  /** A baseline's score is that of an earlier run. */
  isReused: boolean;
}

/** What is known of one playing of an item beside what it gave. */
export interface PlayFacts {
  /** Equal for repetitions with equal outcomes; `undefined` where the outcomes cannot be compared. */
  outcome: string | undefined;
  /** No model ran inside the call or inside an evaluator, and no evaluator is one whose answers vary. */
  isModelFree: boolean;
}

export type Measure = 'durationMs' | 'tokens' | keyof Usage;

/** Shared, because most items have no number on some side. */
const NO_NUMBERS: readonly number[] = [];
const NO_GAPS: ReadonlyMap<RisingMeasure, GapKind> = new Map();

/** What is kept of one item over its repeats: numbers, so that memory does not grow with outputs. */
export class PlayedItem {
  plays = 0;
  same = 0;
  readonly scores = new Map<string, ItemScore>();
  readonly measures = new Map<Measure, { now: readonly number[]; before: readonly number[] }>();
  /** Why it cannot be compared by a measure, of the first playing that cannot. */
  gaps: ReadonlyMap<RisingMeasure, GapKind> = NO_GAPS;
  /** All of its playings that have a duration measured that of the baseline alike. */
  isTimingPaired = true;
  /** Some playing ran beside the baseline. */
  isSideBySide = false;
  /** Of a playing with a duration that no baseline ran beside: why it cannot be compared, where others are. */
  unpaired: GapKind | undefined;
  /** It tells usage, and not of how many calls: what it tells may not be all. */
  isUncounted = false;
  /** The outcome of every repetition so far; `undefined` once they differ, or are not known to be equal. */
  #outcome: string | undefined;
  #verdict: TalliedItem['verdict'] | undefined;
  #hasOtherVerdicts = false;

  constructor(
    readonly id: string,
    readonly sessionId: string | undefined,
  ) {}

  add(item: TalliedItem, facts?: PlayFacts): void {
    const outcome = facts?.isModelFree === true ? facts.outcome : undefined;
    this.#outcome = this.plays === 0 || this.#outcome === outcome ? outcome : undefined;
    this.plays += 1;
    if (item.verdict === 'same') this.same += 1;
    this.#hasOtherVerdicts ||= this.#verdict !== undefined && this.#verdict !== item.verdict;
    this.#verdict = item.verdict;
    for (const score of item.scores) this.#addScore(score, 'now');
    for (const score of item.originalScores ?? []) {
      this.#addScore(score, 'before');
      const now = item.scores.find(({ name }) => name === score.name);
      if (hasNumber(score) && !(now && hasNumber(now))) this.#scoreOf(score.name).lostPlays += 1;
    }
    this.#addMeasure('durationMs', item.durationMs, 'now');
    this.#addMeasure('durationMs', item.originalDurationMs, 'before');
    if (item.durationMs !== undefined && item.timing !== 'paired') this.isTimingPaired = false;
    this.isSideBySide ||= item.timing !== undefined;
    if (item.durationMs !== undefined && item.timing === undefined)
      this.unpaired ??= item.verdict === 'error' ? 'failed' : 'unpaired';
    const gaps = gapsOf(item);
    for (const measure of RISING_MEASURES) {
      const gap = gaps[measure];
      if (gap !== undefined && !this.gaps.has(measure)) this.gaps = new Map([...this.gaps, [measure, gap]]);
    }
    this.#addUsage(known(item.usage, gaps), 'now');
    this.#addUsage(originalUsageOf(item), 'before');
    const isToldUncounted = item.usage !== undefined && item.modelCalls === undefined;
    this.isUncounted ||= isToldUncounted && tokensOf(item.originalUsage) !== undefined;
  }

  /** Its repeats have other verdicts, or one of its scores is true and false. */
  get isFlaky(): boolean {
    return (
      this.#hasOtherVerdicts || [...this.scores.values()].some(({ passes, fails }) => passes > 0 && fails > 0)
    );
  }

  /** Its repetitions gave equal outcomes and scores, and no model ran. `false` unless it was repeated. */
  get isRepeatable(): boolean {
    if (this.plays < 2 || this.#outcome === undefined) return false;
    return [...this.scores.values()].every(({ now, notApplicable, labels }) => {
      const answers = [...now, ...labels];
      const isWhole = answers.length === this.plays || notApplicable === this.plays;
      return isWhole && new Set(answers).size <= 1;
    });
  }

  /** Whether the baseline has a number of a score that some playing has none of now. */
  hasLost({ before, now, saidBefore, lostPlays }: ItemScore): boolean {
    return saidBefore > 1 ? lostPlays > 0 : before.length > 0 && now.length < this.plays;
  }

  #scoreOf(name: string): ItemScore {
    const kept = this.scores.get(name) ?? {
      now: NO_NUMBERS,
      before: NO_NUMBERS,
      labels: [],
      notApplicable: 0,
      passes: 0,
      fails: 0,
      saidBefore: 0,
      lostPlays: 0,
      isReused: false,
    };
    this.scores.set(name, kept);
    return kept;
  }

  #addScore(score: NamedScore, side: 'now' | 'before'): void {
    const kept = this.#scoreOf(score.name);
    kept[side] = withValue(kept[side], numberOf(score));
    if (side === 'before') {
      kept.saidBefore += 1;
      kept.isReused ||= score.reused === true;
      return;
    }
    if (typeof score.score === 'boolean') kept[score.score ? 'passes' : 'fails'] += 1;
    if (score.score === null) kept.notApplicable += 1;
    if (typeof score.score === 'string') kept.labels.push(score.score);
  }

  #addUsage(usage: Usage | undefined, side: 'now' | 'before'): void {
    if (usage === undefined) return;
    this.#addMeasure('tokens', tokensOf(usage), side);
    for (const name of USAGE_MEASURES) this.#addMeasure(name, usage[name], side);
  }

  #addMeasure(name: Measure, value: number | undefined, side: 'now' | 'before'): void {
    if (value === undefined) return;
    const kept = this.measures.get(name) ?? { now: NO_NUMBERS, before: NO_NUMBERS };
    this.measures.set(name, kept);
    kept[side] = withValue(kept[side], value);
  }
}

/** The measures of `Usage`, in the order in which people read them. */
export const USAGE_MEASURES = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'audioTokens',
  'costUsd',
] as const satisfies readonly (keyof Usage)[];

/** What a tally reads of an item. */
export type TalliedItem = Pick<
  RunItem,
  | 'itemNo'
  | 'verdict'
  | 'fixed'
  | 'failingAsBefore'
  | 'newError'
  | 'accepted'
  | 'scores'
  | 'originalScores'
  | 'durationMs'
  | 'originalDurationMs'
  | 'timing'
  | 'usage'
  | 'originalUsage'
  | 'modelCalls'
  | 'originalModelCalls'
  | 'sessionId'
  | 'sourceSpanId'
> & { divergences: readonly unknown[] };

/** A sum without what some calls used would be too low. */
function known(usage: Usage | undefined, { tokens, costUsd }: ReturnType<typeof gapsOf>): Usage | undefined {
  const kept = { ...usage };
  if (tokens !== undefined) {
    delete kept.inputTokens;
    delete kept.outputTokens;
  }
  if (costUsd !== undefined) delete kept.costUsd;
  return kept;
}

/** Where no model was called before, what is used now is a rise from nothing. */
function originalUsageOf({ usage, originalUsage, originalModelCalls }: TalliedItem): Usage | undefined {
  if (usage === undefined || originalUsage !== undefined || originalModelCalls?.made !== 0)
    return originalUsage;
  return Object.fromEntries(Object.keys(usage).map((measure) => [measure, 0]));
}

function hasNumber(score: NamedScore): boolean {
  return numberOf(score) !== undefined;
}

/** A new list, which has no spare room: a run has many of them. */
function withValue(values: readonly number[], value: number | undefined): readonly number[] {
  return value === undefined || !isUsableNumber(value) ? values : [...values, value];
}

/**
 * What is now, or what was before where both are the same but for rounding: the mean of three times 0.7 is not quite 0.7, and of many
 * items that would be evidence.
 */
export function unlessRounded(now: number, before: number): number {
  return Math.abs(now - before) <= 1e-12 * Math.max(Math.abs(now), Math.abs(before)) ? before : now;
}

export function meanOf(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Candidate minus baseline: one difference for each repetition where all of them share one baseline, else one of the means.
 *
 * @returns `undefined` where one side has no number
 */
export function differencesOf(now: readonly number[], before: readonly number[]): number[] | undefined {
  const [meanNow, baseline] = [meanOf(now), meanOf(before)];
  if (meanNow === undefined || baseline === undefined) return undefined;
  const candidates = before.length === 1 ? now : [meanNow];
  return candidates.map((value) => unlessRounded(value, baseline) - baseline);
}
