import type { TestRunItemSummary, TestRunRecord } from '../records/test-run.js';

/**
 * How an item of this run stands beside the same item of the other, by what both gave. `same_outcome`: the same value or error.
 * `judged_otherwise`: the same too, and their verdicts differ, for they were compared with other baselines, or in another way.
 * `improved`, `regressed`: they gave different outcomes, and by the verdicts this run's is better, worse: fixed is better than same,
 * same than changed, changed than a failure. `other_outcome`: different ones, and the verdicts do not say which is better.
 * `unknown`: the outcomes cannot be compared, as where one is cut, erased or missing. `only_here`, `only_there`: the other run, this
 * run has no such item.
 */
export const PAIR_RELATIONS = [
  'improved',
  'regressed',
  'same_outcome',
  'judged_otherwise',
  'other_outcome',
  'unknown',
  'only_here',
  'only_there',
] as const;
export type PairRelation = (typeof PAIR_RELATIONS)[number];

/** One item in two runs. At least one of them is there. */
export interface ComparedItem {
  relation: PairRelation;
  /** Of this run. */
  here?: TestRunItemSummary;
  /** Of the other. */
  there?: TestRunItemSummary;
}

/** One figure of both runs. Repetitions of an item are averaged first. */
export interface ComparedFigure {
  /** Over all items of this run that have it. */
  here?: { n: number; mean: number };
  there?: { n: number; mean: number };
  /** This run less the other, over items with both. Absent when there is none. */
  delta?: FigureDifference;
  /**
   * Items of which one run does not know it and the other does, as where model calls tell no usage any more: they are in no
   * difference. Absent when there are none.
   */
  unknown?: { here: number; there: number };
}

/** A mean of paired differences with its interval, as docs/evaluation.md says. */
export interface FigureDifference {
  mean: number;
  /** Absent where the items cannot tell, as with one of them. */
  interval?: { low: number; high: number };
  /** Two-sided, of "no difference". */
  p: number;
  /** How many items have both. */
  n: number;
}

/**
 * `GET` {@link ROUTES.compareTestRun}. Query: `with`, the other run; `relation`, only these items; `limit`, `cursor`. Items are matched
 * by what they played (a call, or an item of a dataset) and by their repetition; items of a list by number and input.
 */
export interface RunComparison {
  here: TestRunRecord;
  there: TestRunRecord;
  totals: Record<PairRelation, number>;
  /** On the first page alone. */
  figures?: RunFigures;
  /** In the order of this run, then those that the other alone has. */
  items: ComparedItem[];
  next_cursor?: string;
}

export interface RunFigures {
  /** Of all intervals, such as 0.95. */
  confidence: number;
  /** The share of items that are the same as their baseline. */
  same: ComparedFigure;
  duration_ms: ComparedFigure;
  /** Input and output together. */
  tokens: ComparedFigure;
  cost_usd: ComparedFigure;
  /** By name; true is 1 and false 0. */
  scores: Record<string, ComparedFigure>;
}
