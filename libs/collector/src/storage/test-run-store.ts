import type { TestRunItemRecord, TestRunRecord, TestRunTotals } from '@dacapo/protocol';
import type { Range } from './span-store.js';

/** A test run without its address, which only the service knows. */
export type StoredTestRun = Omit<TestRunRecord, 'url'>;

export const NO_TOTALS: Readonly<TestRunTotals> = {
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
};

export interface NewTestRun {
  id: string;
  traceFunctionKey: string;
  name?: string;
  createdAt: string;
}

export interface ListedItem {
  item_no: number;
  payload_bytes: number;
}

export interface TestRunStore {
  create(accountId: string, run: NewTestRun): Promise<void>;
  find(accountId: string, id: string): Promise<StoredTestRun | undefined>;
  /** The newest first. */
  list(accountId: string, filter: { traceFunctionKey?: string }, range: Range): Promise<StoredTestRun[]>;
  /** A run that is finished already keeps its time. */
  finish(accountId: string, id: string, finishedAt: string): Promise<void>;
  /** Items with a known `item_no` are replaced. */
  putItems(accountId: string, runId: string, items: TestRunItemRecord[]): Promise<void>;
  /** By `item_no`. */
  listItems(accountId: string, runId: string, range: Range<number>): Promise<ListedItem[]>;
  /** These items, by `item_no`; those that are not there are left out. */
  readItems(accountId: string, runId: string, itemNos: number[]): Promise<TestRunItemRecord[]>;
}
