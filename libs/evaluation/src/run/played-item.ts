import type { RunItem, Usage } from './run-item.js';
import { type NamedScore, numberOf } from './score.js';

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
  labels: string[];
}

export type Measure = 'durationMs' | 'tokens' | keyof Usage;

/** What is kept of one item over its repeats: numbers, so that memory does not grow with outputs. */
export class PlayedItem {
  plays = 0;
  same = 0;
  readonly scores = new Map<string, ItemScore>();
  readonly measures = new Map<Measure, { now: Average; before: Average }>();
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
    for (const score of item.originalScores ?? []) this.#addScore(score, 'before');
    this.#addMeasure('durationMs', item.durationMs, 'now');
    this.#addMeasure('durationMs', item.originalDurationMs, 'before');
    this.#addUsage(item.usage, 'now');
    this.#addUsage(item.originalUsage, 'before');
  }

  /** Its repeats have other verdicts, or one of its scores is true and false. */
  get isFlaky(): boolean {
    return (
      this.#verdicts.size > 1 ||
      [...this.scores.values()].some(({ passes, fails }) => passes > 0 && fails > 0)
    );
  }

  #addScore(score: NamedScore, side: 'now' | 'before'): void {
    const kept = this.scores.get(score.name) ?? {
      now: { n: 0, sum: 0 },
      before: { n: 0, sum: 0 },
      ...{ notApplicable: 0, passes: 0, fails: 0, passesBefore: 0, failsBefore: 0 },
      labels: [],
    };
    this.scores.set(score.name, kept);
    addTo(kept[side], numberOf(score));
    if (typeof score.score === 'boolean') {
      const counter = score.score ? 'passes' : 'fails';
      kept[side === 'now' ? counter : (`${counter}Before` as const)] += 1;
    }
    if (side === 'before') return;
    if (score.score === null) kept.notApplicable += 1;
    if (typeof score.score === 'string') kept.labels.push(score.score);
  }

  #addUsage(usage: Usage | undefined, side: 'now' | 'before'): void {
    if (usage === undefined) return;
    const { inputTokens, outputTokens } = usage;
    if (inputTokens !== undefined || outputTokens !== undefined)
      this.#addMeasure('tokens', (inputTokens ?? 0) + (outputTokens ?? 0), side);
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
  | 'usage'
  | 'originalUsage'
  | 'sessionId'
  | 'sourceSpanId'
> & { divergences: readonly unknown[] };

function addTo(average: Average, value: number | undefined): void {
  if (value === undefined || !Number.isFinite(value)) return;
  average.n += 1;
  average.sum += value;
}

export function meanOf({ n, sum }: Average): number | undefined {
  return n === 0 ? undefined : sum / n;
}
