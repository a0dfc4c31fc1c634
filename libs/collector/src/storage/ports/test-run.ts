import type {
  Baseline,
  ItemFlag,
  JsonObject,
  SelectionRecord,
  TestRunItemRecord,
  TestRunItemSummary,
  TestRunTotals,
  Verdict,
} from '@dacapo/protocol';
import type { ScoreFilter } from './score.js';

export const NO_TOTALS: Readonly<Required<TestRunTotals>> = {
  items: 0,
  same: 0,
  changed: 0,
  unknown: 0,
  error: 0,
  fixed: 0,
  failing_as_before: 0,
  accepted: 0,
  diverged: 0,
  flaky: 0,
  new_errors: 0,
};

/** The total that counts a flag. */
export function countOf(flag: ItemFlag): Exclude<ItemFlag, 'new_error'> | 'new_errors' {
  return flag === 'new_error' ? 'new_errors' : flag;
}

export interface NewTestRun {
  id: string;
  traceFunctionKey: string;
  name?: string;
  createdAt: string;
  selection?: SelectionRecord;
  dataset?: { name: string; version: number; items: number };
  baseline?: Baseline;
  repeat?: number;
  /** The run whose stored outcomes are judged again. */
  rescoreOf?: string;
}

/** `undecided`: its reporter let it pass, and what is counted here does not keep its gate. */
export type RunDecision = 'passed' | 'failed' | 'undecided';

/** A test run as it is kept. What its status is now depends on the time. */
export interface StoredTestRun extends NewTestRun {
  heartbeatAt: string;
  finishedAt?: string;
  /** Its reporter said that it stopped early. */
  isStopped: boolean;
  expectedItems?: number;
  skipped?: Record<string, number>;
  /** Kept when the run is finished; before, they are counted. */
  totals?: TestRunTotals;
  /** What its gate decided; absent without a gate. */
  decision?: RunDecision;
  /** Absent in lists. */
  summary?: JsonObject;
}

/** `null` removes a value; absent members stay. */
export interface TestRunChanges {
  heartbeatAt?: string;
  finishedAt?: string;
  isStopped?: boolean;
  expectedItems?: number;
  skipped?: Record<string, number>;
  decision?: RunDecision | null;
  summary?: JsonObject | null;
}

/** What a finished run came to: all of it is stored at once, and once. */
export interface RunSettlement {
  totals: TestRunTotals;
  /** Absent without a gate. */
  decision?: RunDecision;
}

/** What an item of a run plays: a call, without a span where its trace holds none of the key, or an item of a dataset. */
export interface SelectedRef {
  item_no: number;
  trace_id?: string;
  span_id?: string;
  dataset_item_id?: string;
  /** The accepted outcome that it is compared with. */
  accepted_no?: number;
}

/** The identity of an item within its run. */
export type ItemKey = readonly [itemNo: number, repetition: number];

export interface StoredItem {
  record: TestRunItemRecord;
  /** The approximate size of what is read with it: it counts towards the item's payload. */
  besideBytes?: number;
  summary: TestRunItemSummary;
  flags: Record<ItemFlag, boolean>;
  /** The recorded call that it is to be compared with could not be read yet. */
  isPending: boolean;
}

export interface ItemFilter {
  verdict?: Verdict | undefined;
  flag?: ItemFlag | undefined;
  newTraceId?: string | undefined;
  /** Whether a person accepted its outcome: in this run, or before it. */
  accepted?: boolean | undefined;
  /** Items with such a score in their report, or given apart from it. */
  score?: ScoreFilter;
  isPending?: true;
  /**
   * New errors first, then other errors, changes, lower scores, what cannot be compared, and different calls inside; then by number.
   * Reports have the same order. Otherwise by number.
   */
  worstFirst?: boolean | undefined;
}

export interface ListedItem {
  summary: TestRunItemSummary;
  payload_bytes: number;
}
