import type { Difference, Interval } from '../statistics/interval.js';
import type { RepeatSummary } from '../statistics/repeats.js';
import type { RunItem } from './run-item.js';

/** Counts of a run's items; each repetition counts. */
export interface RunTotals {
  items: number;
  same: number;
  changed: number;
  unknown: number;
  error: number;
  /** Part of `changed`: the baseline failed, the candidate does not. */
  fixed: number;
  /** Part of `same`: the same error as the baseline. */
  failingAsBefore: number;
  /** Part of `error`: the baseline did not fail, or has no outcome. */
  newErrors: number;
  /** Part of `same`: an output that differs from the recording and was accepted by a person. */
  accepted: number;
  /** Items whose inner calls differ from the recorded ones, with any verdict. */
  diverged: number;
  /** Items whose repetitions disagree; each item counts once. */
  flaky: number;
  /** Selected items that were not replayed; these fail every gate. */
  missing: number;
  /** Replayed items that the service did not store; these fail every gate. */
  unstored: number;
  /** Calls that the selection skipped, by reason. */
  skipped: Record<string, number>;
}

/** One score over all items. Repetitions of an item are averaged first. */
export interface ScoreSummary {
  /** `null` if no item has a number, as with labels. */
  mean: number | null;
  /** Wilson's interval if every number is 0 or 1, else that of the randomization test. Absent with too few items. */
  interval?: Interval;
  /** Items with a score. */
  n: number;
  /** Items that the score does not apply to. */
  notApplicable: number;
  /** Items without the score, such as after a failed evaluator. */
  missing: number;
  /**
   * Items whose baseline has a number that a repetition lacks, because the score no longer applies or is a label. Excludes `missing`
   * items. They are not compared. Absent if 0.
   */
  lost?: number;
  /** Items whose baseline score comes from an earlier run. Absent if 0. */
  reused?: number;
  /** Counts by label, for scores that are labels. */
  labels?: Record<string, number>;
  /** Candidate minus baseline, over items with both. Absent without a baseline. */
  delta?: Difference;
  /** Ids of items that score lower than the baseline, the worst first: see `itemId`. */
  worse: string[];
  /** Number of items that score higher than the baseline. */
  better: number;
}

/** Durations in milliseconds, tokens or dollars over all items. Repetitions of an item are averaged first. */
export interface MeasureSummary {
  n: number;
  total: number;
  mean: number;
  p95: number;
  /** Change of the mean, over items with both sides; for durations, only over comparable ones. */
  delta?: Difference;
  /** Change of the 95th percentile, without an interval. */
  p95Delta?: Difference;
}

/** The measures of `Usage`, and `tokens`: input plus output. Only those that some item has. */
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
 * Items that lack a measure of their baseline, by reason. They are in no mean and no difference. Each item counts once.
 */
export interface UnmeasuredSummary {
  items: number;
  /** The item failed before anything was measured. */
  failed: number;
  /** More model calls without usage (for costs: or without a price) than in the baseline. */
  untold: number;
  /** No model call was seen. */
  unseen: number;
  /** The number of model calls is unknown, such as when the recording answered them. */
  unknown: number;
  /** Durations only: an inner call was answered from the recording. Absent if 0. */
  mocked?: number;
  /** Durations only: the baseline did not run in the same process, but other baselines did. Absent if 0. */
  unpaired?: number;
}

/** The figures of a run, which gates check and reports show. Plain data. */
export interface RunSummary {
  confidence: number;
  totals: RunTotals;
  /**
   * Nothing random ran: every item was repeated with equal outcomes and scores, and no model ran. Differences of scores are then exact,
   * without an interval. Absent if unknown.
   */
  deterministic?: true;
  scores: Record<string, ScoreSummary>;
  /** Absent when nothing was measured. */
  durations?: MeasureSummary;
  usage: UsageSummary;
  /** Only for measures that some item lacks. */
  unmeasured?: Partial<Record<'durationMs' | 'tokens' | 'costUsd', UnmeasuredSummary>>;
  /** Repetitions that failed before the call was made; part of the errors. Absent if 0. */
  unplayed?: number;
  /** Items recorded before the upgrade, with usage but no number of calls: usage may be incomplete. Absent if 0. */
  uncounted?: number;
  /** Number of distinct items. Absent unless items were repeated. */
  repeatedItems?: number;
  /** Absent unless items were repeated: how often an item is `same`, and how often each true-or-false score is true. */
  repeats?: { same: RepeatSummary; scores: Record<string, RepeatSummary> };
}

/** One limit of a gate, or a check of every gate: that there are items, all are stored, and no error is new. */
export interface Check {
  /** Path of the limit: `changed`, `scores.accuracy.min`; `complete` and `newErrors` for checks of every gate. */
  name: string;
  /** The score that it limits, if any. */
  score?: string;
  /** Minimum of the score's mean. */
  min?: number;
  /** The limit as text: `at most 2`. */
  limit: string;
  /** The run's value as text. */
  measured: string;
  passed: boolean;
  /** Why it failed; empty if it passed. */
  failures: string[];
}

/** The gate's decision. */
export interface Decision {
  passed: boolean;
  /** All checks, in the order of the gate's limits. */
  checks: Check[];
  /** Why it failed, most severe first; empty if it passed. */
  failures: string[];
  /** Remarks on passed limits that lack evidence or coverage. */
  notes: string[];
}

/** The item's id in lists: its recorded span, else its number in the selection. */
export function itemId({ sourceSpanId, itemNo }: Pick<RunItem, 'sourceSpanId' | 'itemNo'>): string {
  return sourceSpanId ?? `#${itemNo}`;
}
