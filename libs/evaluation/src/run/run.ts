import type { Difference, Interval } from '../statistics/interval.js';
import type { RepeatSummary } from '../statistics/repeats.js';
import type { RunItem } from './run-item.js';

/** Counts of a run's items; with repeats, each playing counts. */
export interface RunTotals {
  items: number;
  same: number;
  changed: number;
  unknown: number;
  error: number;
  /** Of `changed`: failed before, do not now. */
  fixed: number;
  /** Of `same`: fail with the same error as before. */
  failingAsBefore: number;
  /** Of `error`: the baseline did not fail, or has no outcome. */
  newErrors: number;
  /** Of `same`: another output than recorded, which a person accepted. */
  accepted: number;
  /** Items whose calls inside are not the recorded ones, whatever their verdict. */
  diverged: number;
  /** Items whose repeats disagree; each item counts once. */
  flaky: number;
  /** Items that were selected and not replayed; a gate fails. */
  missing: number;
  /** Items that were replayed and not stored by the service; a gate fails. */
  unstored: number;
  /** What the selection left out, by reason. */
  skipped: Record<string, number>;
}

/** What one evaluator said of all items. Repeats of an item are averaged first. */
export interface ScoreSummary {
  /** `null` where no item has a number, as with scores that sort. */
  mean: number | null;
  /** Wilson's where every number is 0 or 1, else that of the randomization test. Absent where there are too few items. */
  interval?: Interval;
  /** Items with a score. */
  n: number;
  /** Items that it does not apply to. */
  notApplicable: number;
  /** Items that have none, as when the evaluator failed. */
  missing: number;
  /**
   * Items of which the baseline has a number and some playing has none now, because it does not apply any more or sorts now; those
   * that miss it are not among them. They are in no difference. Absent when there are none.
   */
  lost?: number;
  /** Items of which a baseline's score is that of an earlier run. Absent when there are none. */
  reused?: number;
  /** How often each text was said, of scores that sort. */
  labels?: Record<string, number>;
  /** Now less the baseline, over items with both. Absent without a baseline. */
  delta?: Difference;
  /** Items that scored less than before, the worst first: see `itemId`. */
  worse: string[];
  /** Items that scored more than before. */
  better: number;
}

/** Durations in milliseconds, tokens or dollars of items. Repeats of an item are averaged first. */
export interface MeasureSummary {
  n: number;
  total: number;
  mean: number;
  p95: number;
  /** Of the mean, now less before, over items with both. Of durations, only over items whose two versions ran alike. */
  delta?: Difference;
  /** Of the 95th percentile; without an interval. */
  p95Delta?: Difference;
}

/** The measures of `Usage`, and `tokens`, input and output together. Only those that some item has. */
export type UsageSummary = Partial<
  Record<
    | 'tokens'
    | 'inputTokens'
    | 'outputTokens'
    | 'cachedInputTokens'
    | 'cacheWriteTokens'
    | 'reasoningTokens'
    | 'audioTokens'
    | 'costUsd',
    MeasureSummary
  >
>;

/**
 * Items of which something is not known now, though their baseline has it: it is in no mean and no difference. Each counts once,
 * with its repeats.
 */
export interface UnmeasuredSummary {
  items: number;
  /** They failed before anything was measured. */
  failed: number;
  /** More of their model calls than before told no usage; of a cost, or have no price. */
  untold: number;
  /** No model call was seen. */
  unseen: number;
  /** It is not said how many model calls were made, as where the recording answered them. */
  unknown: number;
  /** Of durations: a call was answered from the recording, so its time is unknown. Absent when there are none. */
  mocked?: number;
  /** Of durations: the baseline did not run beside the item, though it did beside others. Absent when there are none. */
  unpaired?: number;
}

/** What a run's figures say: what the gate decides on and reports show. Plain data. */
export interface RunSummary {
  confidence: number;
  totals: RunTotals;
  /**
   * Nothing random ran: every item was repeated, its repetitions gave equal outcomes and scores, and no model ran. Differences
   * of scores are facts then, without an interval. Absent unless that is known.
   */
  deterministic?: true;
  scores: Record<string, ScoreSummary>;
  /** Absent when nothing was measured. */
  durations?: MeasureSummary;
  usage: UsageSummary;
  /** Only of measures that some item lacks. */
  unmeasured?: Partial<Record<'durationMs' | 'tokens' | 'costUsd', UnmeasuredSummary>>;
  /** Playings that failed before the call was made: they are among the errors. Absent when none. */
  unplayed?: number;
  /** Items that say what they used and not in how many calls, as reported by version 0.1: it may not be all. Absent when none. */
  uncounted?: number;
  /** How many items the playings in `totals` are of. Absent unless items were repeated. */
  repeatedItems?: number;
  /** Absent unless items were repeated: how often an item is `same`, and how often each true-or-false score is true. */
  repeats?: { same: RepeatSummary; scores: Record<string, RepeatSummary> };
}

/** One limit of a gate, or what every gate checks: that there are items, that all are stored, that no error is new. */
export interface Check {
  /** The limit's path in the gate: `changed`, `scores.accuracy.min`; `complete` and `newErrors` for what every gate checks. */
  name: string;
  /** The score that it limits, if any. */
  score?: string;
  /** What the mean of the score must reach. */
  min?: number;
  /** What the gate allows, in words: `at most 2`. */
  limit: string;
  /** What the run has, in words. */
  measured: string;
  passed: boolean;
  /** Why it failed, in sentences; empty when it passed. */
  failures: string[];
}

/** The gate's decision. */
export interface Decision {
  passed: boolean;
  /** Every check that was made, in the order of the gate's limits. */
  checks: Check[];
  /** Sentences, the gravest first; empty when it passed. */
  failures: string[];
  /** What the gate let pass and could not tell well, in sentences. */
  notes: string[];
}

/** How an item is named in lists: the span that was played, else its number in the selection. */
export function itemId({ sourceSpanId, itemNo }: Pick<RunItem, 'sourceSpanId' | 'itemNo'>): string {
  return sourceSpanId ?? `#${itemNo}`;
}
