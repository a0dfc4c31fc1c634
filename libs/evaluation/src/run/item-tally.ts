import { type GapKind, findGaps, type RisingMeasure, RISING_MEASURES, sumTokens } from './measure-gaps.js';
import type { RunItem, Usage } from './run-item.js';
import { isUsableNumber, type NamedScore, scoreToNumber } from './score.js';

/** One score of an item over its repetitions. */
export interface ItemScore {
  /** The candidate's numbers, of the repetitions that have one. */
  now: readonly number[];
  /** The baseline's numbers: one for all repetitions, or one for each. */
  before: readonly number[];
  /** How often it was `null`. */
  notApplicable: number;
  /** How often it was true and false. */
  passes: number;
  fails: number;
  /** Repetitions whose baseline has the score; often one baseline serves all. */
  baselineCount: number;
  /** Repetitions whose baseline has a number and that have none. */
  lostRepetitions: number;
  labels: string[];
  /** A baseline's score comes from an earlier run. */
  isReused: boolean;
}

/** Facts about one repetition of an item that show whether anything random ran. */
export interface RepetitionFacts {
  /** A key that is equal for equal outcomes; `undefined` if outcomes cannot be compared. */
  outcome: string | undefined;
  /** No model ran in the call or in an evaluator, and no evaluator is marked as varying. */
  isModelFree: boolean;
}

export type Measure = 'durationMs' | 'tokens' | keyof Usage;

/** Shared, because most items lack numbers on one side. */
const NO_NUMBERS: readonly number[] = [];
const NO_GAPS: ReadonlyMap<RisingMeasure, GapKind> = new Map();

/** One item over its repetitions. Keeps only numbers, so that memory does not grow with outputs. */
export class ItemTally {
  repetitions = 0;
  same = 0;
  readonly scores = new Map<string, ItemScore>();
  readonly measures = new Map<Measure, { now: readonly number[]; before: readonly number[] }>();
  /** Why measures cannot be compared, by the first repetition with a gap. */
  gaps: ReadonlyMap<RisingMeasure, GapKind> = NO_GAPS;
  /** Every repetition with a duration has a comparable baseline duration. */
  isTimingPaired = true;
  /** Some repetition ran in the same process as its baseline. */
  isSideBySide = false;
  /** Why a duration without a paired baseline cannot be compared, if other items have one. */
  unpaired: GapKind | undefined;
  /** It has usage but no number of calls, so the usage may be incomplete. */
  isUncounted = false;
  /** The outcome of all repetitions so far; `undefined` once they differ or cannot be compared. */
  #outcome: string | undefined;
  #verdict: TalliedItem['verdict'] | undefined;
  #hasOtherVerdicts = false;

  constructor(
    readonly id: string,
    readonly sessionId: string | undefined,
  ) {}

  add(item: TalliedItem, facts?: RepetitionFacts): void {
    const outcome = facts?.isModelFree === true ? facts.outcome : undefined;
    this.#outcome = this.repetitions === 0 || this.#outcome === outcome ? outcome : undefined;
    this.repetitions += 1;
    if (item.verdict === 'same') this.same += 1;
    this.#hasOtherVerdicts ||= this.#verdict !== undefined && this.#verdict !== item.verdict;
    this.#verdict = item.verdict;
    for (const score of item.scores) this.#addScore(score, 'now');
    for (const score of item.originalScores ?? []) {
      this.#addScore(score, 'before');
      const now = item.scores.find(({ name }) => name === score.name);
      if (hasNumber(score) && !(now && hasNumber(now))) this.#openScore(score.name).lostRepetitions += 1;
    }
    this.#addMeasure('durationMs', item.durationMs, 'now');
    this.#addMeasure('durationMs', item.originalDurationMs, 'before');
    if (item.durationMs !== undefined && item.timing !== 'paired') this.isTimingPaired = false;
    this.isSideBySide ||= item.timing !== undefined;
    if (item.durationMs !== undefined && item.timing === undefined)
      this.unpaired ??= item.verdict === 'error' ? 'failed' : 'unpaired';
    const gaps = findGaps(item);
    for (const measure of RISING_MEASURES) {
      const gap = gaps[measure];
      if (gap !== undefined && !this.gaps.has(measure)) this.gaps = new Map([...this.gaps, [measure, gap]]);
    }
    this.#addUsage(known(item.usage, gaps), 'now');
    this.#addUsage(readBaselineUsage(item), 'before');
    const isUncounted = item.usage !== undefined && item.modelCalls === undefined;
    this.isUncounted ||= isUncounted && sumTokens(item.originalUsage) !== undefined;
  }

  /** Repetitions have different verdicts, or a score is both true and false. */
  get isFlaky(): boolean {
    return (
      this.#hasOtherVerdicts || [...this.scores.values()].some(({ passes, fails }) => passes > 0 && fails > 0)
    );
  }

  /** Repetitions have equal outcomes and scores, and no model ran. `false` without repetitions. */
  get isRepeatable(): boolean {
    if (this.repetitions < 2 || this.#outcome === undefined) return false;
    return [...this.scores.values()].every(({ now, notApplicable, labels }) => {
      const answers = [...now, ...labels];
      const isWhole = answers.length === this.repetitions || notApplicable === this.repetitions;
      return isWhole && new Set(answers).size <= 1;
    });
  }

  /** Whether the baseline has a number for a score that some repetition lacks. */
  hasLost({ before, now, baselineCount, lostRepetitions }: ItemScore): boolean {
    return baselineCount > 1 ? lostRepetitions > 0 : before.length > 0 && now.length < this.repetitions;
  }

  #openScore(name: string): ItemScore {
    const kept = this.scores.get(name) ?? {
      now: NO_NUMBERS,
      before: NO_NUMBERS,
      labels: [],
      notApplicable: 0,
      passes: 0,
      fails: 0,
      baselineCount: 0,
      lostRepetitions: 0,
      isReused: false,
    };
    this.scores.set(name, kept);
    return kept;
  }

  #addScore(score: NamedScore, side: 'now' | 'before'): void {
    const kept = this.#openScore(score.name);
    kept[side] = withValue(kept[side], scoreToNumber(score));
    if (side === 'before') {
      kept.baselineCount += 1;
      kept.isReused ||= score.reused === true;
      return;
    }
    if (typeof score.score === 'boolean') kept[score.score ? 'passes' : 'fails'] += 1;
    if (score.score === null) kept.notApplicable += 1;
    if (typeof score.score === 'string') kept.labels.push(score.score);
  }

  #addUsage(usage: Usage | undefined, side: 'now' | 'before'): void {
    if (usage === undefined) return;
    this.#addMeasure('tokens', sumTokens(usage), side);
    for (const name of USAGE_MEASURES) this.#addMeasure(name, usage[name], side);
  }

  #addMeasure(name: Measure, value: number | undefined, side: 'now' | 'before'): void {
    if (value === undefined) return;
    const kept = this.measures.get(name) ?? { now: NO_NUMBERS, before: NO_NUMBERS };
    this.measures.set(name, kept);
    kept[side] = withValue(kept[side], value);
  }
}

/** The measures of `Usage`, in reading order. */
export const USAGE_MEASURES = [
  'inputTokens',
  'outputTokens',
  'cachedInputTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'audioTokens',
  'costUsd',
] as const satisfies readonly (keyof Usage)[];

/** The fields of an item that a tally reads. */
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

/** Removes measures that are incomplete, whose sums would be too low. */
function known(
  usage: Usage | undefined,
  { tokens, costUsd }: ReturnType<typeof findGaps>,
): Usage | undefined {
  const kept = { ...usage };
  if (tokens !== undefined) {
    delete kept.inputTokens;
    delete kept.outputTokens;
  }
  if (costUsd !== undefined) delete kept.costUsd;
  return kept;
}

/** If the baseline called no model, its usage is 0. */
function readBaselineUsage({ usage, originalUsage, originalModelCalls }: TalliedItem): Usage | undefined {
  if (usage === undefined || originalUsage !== undefined || originalModelCalls?.made !== 0)
    return originalUsage;
  return Object.fromEntries(Object.keys(usage).map((measure) => [measure, 0]));
}

function hasNumber(score: NamedScore): boolean {
  return scoreToNumber(score) !== undefined;
}

/** Returns a new list without spare capacity, because a run has many. */
function withValue(values: readonly number[], value: number | undefined): readonly number[] {
  return value === undefined || !isUsableNumber(value) ? values : [...values, value];
}

/**
 * Returns `before` if both differ only by rounding, else `now`. The mean of three times 0.7 is not exactly 0.7, which would be evidence
 * over many items.
 */
export function snapToBaseline(now: number, before: number): number {
  return Math.abs(now - before) <= 1e-12 * Math.max(Math.abs(now), Math.abs(before)) ? before : now;
}

export function average(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Candidate minus baseline: one difference per repetition if all share a baseline, else the difference of the means.
 *
 * @returns `undefined` if one side has no number
 */
export function pairDifferences(now: readonly number[], before: readonly number[]): number[] | undefined {
  const [meanNow, baseline] = [average(now), average(before)];
  if (meanNow === undefined || baseline === undefined) return undefined;
  const candidates = before.length === 1 ? now : [meanNow];
  return candidates.map((value) => snapToBaseline(value, baseline) - baseline);
}
