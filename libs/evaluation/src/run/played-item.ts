import { type GapKind, gapsOf, type RisingMeasure, RISING_MEASURES, tokensOf } from './measure-gaps.js';
import type { RunItem, Usage } from './run-item.js';
import { isUsableNumber, type NamedScore, numberOf } from './score.js';

/** A mean that grows. */
export interface Average {
  n: number;
  sum: number;
}

/** What is kept of one score of one item, over its repeats. */
export interface ItemScore {
  now: Average;
  before: Average;
  /** How often it was `null`. */
  notApplicable: number;
  /** How often it was true and false. */
  passes: number;
  fails: number;
  /** As above, of the baseline. */
  passesBefore: number;
  failsBefore: number;
  /** Playings whose baseline says anything of it: with repeats often one for all. */
  saidBefore: number;
  /** Playings with a number before and none now. */
  lostPlays: number;
  labels: string[];
}

export type Measure = 'durationMs' | 'tokens' | keyof Usage;

/** What is kept of one item over its repeats: numbers, so that memory does not grow with outputs. */
export class PlayedItem {
  plays = 0;
  same = 0;
  readonly scores = new Map<string, ItemScore>();
  readonly measures = new Map<Measure, { now: Average; before: Average }>();
  /** Why it cannot be compared by a measure, of the first playing that cannot. */
  readonly gaps = new Map<RisingMeasure, GapKind>();
  /** All of its playings that have two durations measured both alike. */
  isTimingPaired = true;
  /** It tells usage, and not of how many calls: what it tells may not be all. */
  isUncounted = false;
  readonly #verdicts = new Set<string>();

  constructor(
    readonly id: string,
    readonly sessionId: string | undefined,
  ) {}

  add(item: TalliedItem): void {
    this.plays += 1;
    if (item.verdict === 'same') this.same += 1;
    this.#verdicts.add(item.verdict);
    for (const score of item.scores) this.#addScore(score, 'now');
    for (const score of item.originalScores ?? []) {
      this.#addScore(score, 'before');
      const now = item.scores.find(({ name }) => name === score.name);
      if (hasNumber(score) && !(now && hasNumber(now))) this.#scoreOf(score.name).lostPlays += 1;
    }
    this.#addMeasure('durationMs', item.durationMs, 'now');
    this.#addMeasure('durationMs', item.originalDurationMs, 'before');
    if (item.durationMs !== undefined && item.originalDurationMs !== undefined && item.timing !== 'paired')
      this.isTimingPaired = false;
    const gaps = gapsOf(item);
    for (const measure of RISING_MEASURES) {
      const gap = gaps[measure];
      if (gap !== undefined && !this.gaps.has(measure)) this.gaps.set(measure, gap);
    }
    this.#addUsage(known(item.usage, gaps), 'now');
    this.#addUsage(originalUsageOf(item), 'before');
    const isToldUncounted = item.usage !== undefined && item.modelCalls === undefined;
    this.isUncounted ||= isToldUncounted && tokensOf(item.originalUsage) !== undefined;
  }

  /** Its repeats have other verdicts, or one of its scores is true and false. */
  get isFlaky(): boolean {
    return (
      this.#verdicts.size > 1 ||
      [...this.scores.values()].some(({ passes, fails }) => passes > 0 && fails > 0)
    );
  }

  /** Whether the baseline has a number of a score that some playing has none of now. */
  hasLost({ before, now, saidBefore, lostPlays }: ItemScore): boolean {
    return saidBefore > 1 ? lostPlays > 0 : before.n > 0 && now.n < this.plays;
  }

  #scoreOf(name: string): ItemScore {
    const kept = this.scores.get(name) ?? {
      now: { n: 0, sum: 0 },
      before: { n: 0, sum: 0 },
      ...{ notApplicable: 0, passes: 0, fails: 0, passesBefore: 0, failsBefore: 0 },
      ...{ saidBefore: 0, lostPlays: 0, labels: [] },
    };
    this.scores.set(name, kept);
    return kept;
  }

  #addScore(score: NamedScore, side: 'now' | 'before'): void {
    const kept = this.#scoreOf(score.name);
    addTo(kept[side], numberOf(score));
    if (typeof score.score === 'boolean') {
      const counter = score.score ? 'passes' : 'fails';
      kept[side === 'now' ? counter : (`${counter}Before` as const)] += 1;
    }
    if (side === 'before') {
      kept.saidBefore += 1;
      return;
    }
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
    const kept = this.measures.get(name) ?? { now: { n: 0, sum: 0 }, before: { n: 0, sum: 0 } };
    this.measures.set(name, kept);
    addTo(kept[side], value);
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

function addTo(average: Average, value: number | undefined): void {
  if (value === undefined || !isUsableNumber(value)) return;
  average.n += 1;
  average.sum += value;
}

/**
 * What is now, or what was before where both are the same but for rounding: the mean of three times 0.7 is not quite 0.7, and of many
 * items that would be evidence.
 */
export function unlessRounded(now: number, before: number): number {
  return Math.abs(now - before) <= 1e-12 * Math.max(Math.abs(now), Math.abs(before)) ? before : now;
}

export function meanOf({ n, sum }: Average): number | undefined {
  return n === 0 ? undefined : sum / n;
}
