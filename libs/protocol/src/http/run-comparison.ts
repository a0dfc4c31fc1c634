import type { TestRunItemSummary, TestRunRecord } from '../records/test-run.js';

/**
 * How an item's outcome in this run compares with the same item in the other run:
 *
 * - `same_outcome`: the same value or error.
 * - `judged_otherwise`: the same outcome with another verdict, because the baselines or the comparison differ.
 * - `improved`, `regressed`: different outcomes, and this run's verdict is better or worse. From best to worst: fixed, same,
 *   changed, failure.
 * - `other_outcome`: different outcomes, and the verdicts do not rank them.
 * - `unknown`: the outcomes cannot be compared, such as when one is cut, erased or missing.
 * - `only_here`, `only_there`: only this run, or only the other run, has the item.
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

/** One item in two runs. At least one of them has it. */
export interface ComparedItem {
  relation: PairRelation;
  /** The item in this run. */
  here?: TestRunItemSummary;
  /** The item in the other run. */
  there?: TestRunItemSummary;
}

/** One figure of both runs. Repetitions of an item are averaged first. */
export interface ComparedFigure {
  /** Over all items of this run that have the figure. */
  here?: { n: number; mean: number };
  there?: { n: number; mean: number };
  /** This run minus the other, over items with the figure in both. Absent if there are none. */
  delta?: FigureDifference;
  /**
   * Items with the figure in only one run, such as after model calls stopped reporting usage. `delta` excludes them. Absent if
   * there are none.
   */
  unknown?: { here: number; there: number };
}

/** A mean of paired differences with its interval. See docs/evaluation.md. */
export interface FigureDifference {
  mean: number;
  /** Absent if there are too few items, such as one. */
  interval?: { low: number; high: number };
  /** Two-sided p-value of "no difference". */
  p: number;
  /** Number of items with the figure in both runs. */
  n: number;
}

/**
 * `GET` {@link ROUTES.compareTestRun}. Query: `with`, the other run; `relation`, only these items; `limit`, `cursor`. Items match if
 * they replayed the same call or dataset item in the same repetition; items of a list match by number and input.
 */
export interface RunComparison {
  here: TestRunRecord;
  there: TestRunRecord;
  totals: Record<PairRelation, number>;
  /** Only on the first page. */
  figures?: RunFigures;
  /** In the order of this run, then the items that only the other run has. */
  items: ComparedItem[];
  next_cursor?: string;
}

export interface RunFigures {
  /** Confidence level of all intervals, such as 0.95. */
  confidence: number;
  /** Share of items with the verdict `same`. */
  same: ComparedFigure;
  duration_ms: ComparedFigure;
  /** Input plus output tokens. */
  tokens: ComparedFigure;
  cost_usd: ComparedFigure;
  /** By name; true counts as 1 and false as 0. */
  scores: Record<string, ComparedFigure>;
}
