import type {
  Baseline,
  BaselineScore,
  ItemFlag,
  JsonObject,
  SelectionRecord,
  TestRunItemRecord,
  TestRunItemSummary,
  TestRunTotals,
  Verdict,
} from '@dacapo/protocol';
import type { ScoreFilter } from './score-log.js';
import type { Range } from './span-store.js';

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
  verdict?: Verdict;
  flag?: ItemFlag;
  newTraceId?: string;
  /** Whether a person accepted its outcome: in this run, or before it. */
  accepted?: boolean;
  /** Items whose report has such a score, or that are among `given`. */
  score?: ScoreFilter & { given: readonly ItemKey[] };
  isPending?: true;
  /**
   * New errors first, then other errors, changes, lower scores, what cannot be compared, and different calls inside; then by number.
   * Reports have the same order. Otherwise by number.
   */
  worstFirst?: boolean;
}

export interface ListedItem {
  summary: TestRunItemSummary;
  payload_bytes: number;
}

export interface TestRunStore {
  /** A run without items. `selected` are the calls that it plays, by their numbers. */
  create(accountId: string, run: NewTestRun, selected: readonly SelectedRef[]): Promise<void>;
  find(accountId: string, id: string): Promise<StoredTestRun | undefined>;
  /** The newest first. */
  list(accountId: string, filter: { traceFunctionKey?: string }, range: Range): Promise<StoredTestRun[]>;
  /**
   * Changes a run that is not finished; a finished run stays as it is, also when both requests arrive at once.
   *
   * @returns whether it was changed
   */
  update(accountId: string, id: string, changes: TestRunChanges): Promise<boolean>;
  /** Stores what a finished run came to. Only the first call counts. */
  settle(accountId: string, id: string, result: RunSettlement): Promise<void>;
  /** Counts the items of a run. */
  count(accountId: string, id: string): Promise<TestRunTotals>;
  /** By `item_no`. @param options `left`: only those of which no item is stored */
  listSelected(
    accountId: string,
    runId: string,
    options: { left: boolean },
    range: Range<number>,
  ): Promise<SelectedRef[]>;
  /**
   * Items with a known identity are replaced. A finished run takes none.
   *
   * @param options `heardOfAt`: the items are also a sign of life of the run
   * @returns whether they were stored
   */
  putItems(
    accountId: string,
    runId: string,
    items: readonly StoredItem[],
    options?: { heardOfAt: string },
  ): Promise<boolean>;
  /** By `item_no`, then by repetition. */
  listItems(
    accountId: string,
    runId: string,
    filter: ItemFilter,
    range: Range<ItemKey>,
  ): Promise<ListedItem[]>;
  /** Of items that played these sources (`sourceOf`), the first repetition of each, by source. */
  readItemsBySource(
    accountId: string,
    runId: string,
    sources: readonly string[],
  ): Promise<Map<string, TestRunItemRecord>>;
  /** The baseline's scores of items with this `baseline_hash`, in whatever run: those of the item that was stored last come first. */
  listBaselineScores(accountId: string, hash: string): Promise<BaselineScore[]>;
  /** In any order; missing ones are skipped. */
  readItems(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<Pick<StoredItem, 'record' | 'isPending'>[]>;
}
