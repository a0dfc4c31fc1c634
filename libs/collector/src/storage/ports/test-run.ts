import type {
  Baseline,
  ItemFlag,
  Judgement,
  JsonObject,
  SelectionRecord,
  TestRunItemRecord,
  TestRunItemSummary,
  TestRunRecord,
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

/** The name of the total that counts a flag. */
export function toTotalName(flag: ItemFlag): Exclude<ItemFlag, 'new_error'> | 'new_errors' {
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
  /** Paths that the client ignores because of earlier decisions. */
  ignore?: readonly string[];
}

/** `undecided`: the client reported a pass, but the stored results fail the gate. */
export type RunDecision = 'passed' | 'failed' | 'undecided';

/** A test run as stored. Its status also depends on the current time. */
export interface StoredTestRun extends NewTestRun {
  heartbeatAt: string;
  finishedAt?: string;
  /** The client reported that the run stopped early. */
  isStopped: boolean;
  /** The number of times it was resumed. */
  resumes: number;
  expectedItems?: number;
  skipped?: Record<string, number>;
  /** Stored when the run is finished; until then, totals are counted on each read. */
  totals?: TestRunTotals;
  /** The decision of the gate; absent without a gate. */
  decision?: RunDecision;
  /** Not in lists. */
  summary?: JsonObject;
  /** A person's latest decision. */
  decided?: NonNullable<TestRunRecord['decision']>;
}

/** `null` removes a value; absent members stay unchanged. */
export interface TestRunChanges {
  heartbeatAt?: string;
  finishedAt?: string;
  isStopped?: boolean;
  /** Adds 1 to the number of resumes. */
  isResumed?: true;
  expectedItems?: number;
  skipped?: Record<string, number>;
  decision?: RunDecision | null;
  summary?: JsonObject | null;
}

/** The result of a finished run, stored once and in one transaction. */
export interface RunSettlement {
  totals: TestRunTotals;
  /** Absent without a gate. */
  decision?: RunDecision;
}

/** What an item replays: a dataset item, or a call (without a span id if its trace has no call with the key). */
export interface SelectedRef {
  item_no: number;
  trace_id?: string;
  span_id?: string;
  dataset_item_id?: string;
  /** The accepted outcome that the item is compared with. */
  accepted_no?: number;
}

/** The identity of an item within its run. */
export type ItemKey = readonly [itemNo: number, repetition: number];

/** The state of an item, as decisions count it. */
export interface ItemState {
  item: ItemKey;
  verdict: Verdict;
  flags: Record<ItemFlag, boolean>;
  isErased: boolean;
  judgement?: Judgement;
  /** The item differs only at ignored paths. */
  isIgnored: boolean;
}

export interface StoredItem {
  record: TestRunItemRecord;
  /** The approximate size of what is read along with the item. It counts towards the item's payload. */
  besideBytes?: number;
  summary: TestRunItemSummary;
  flags: Record<ItemFlag, boolean>;
  /** The recorded call to compare with could not be read yet. */
  isPending: boolean;
}

export interface ItemFilter {
  verdict?: Verdict | undefined;
  flag?: ItemFlag | undefined;
  newTraceId?: string | undefined;
  /** Whether a person accepted the outcome, in this run or earlier. */
  accepted?: boolean | undefined;
  /** Whether a person judged the item, or a decision ignores its differences. */
  judged?: boolean | undefined;
  /** Items with a matching score, in their report or added later. */
  score?: ScoreFilter;
  isPending?: true;
  /**
   * Sorts as reports do: new errors, other errors, changes, lower scores, items that cannot be compared, different inner calls; then
   * by number. Default: by number alone.
   */
  worstFirst?: boolean | undefined;
}

export interface ListedItem {
  summary: TestRunItemSummary;
  payload_bytes: number;
}
