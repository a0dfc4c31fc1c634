import type { Page, TestRunItemRecord, TestRunRecord } from '@dacapo/protocol';
import type { PageRequest } from './pages.js';

/** A test run without its address, which only the service knows. */
export type StoredTestRun = Omit<TestRunRecord, 'url'>;

export interface NewTestRun {
  id: string;
  traceFunctionKey: string;
  name?: string;
  createdAt: string;
}

export interface TestRunStore {
  create(accountId: string, run: NewTestRun): Promise<void>;
  find(accountId: string, id: string): Promise<StoredTestRun | undefined>;
  /** The newest first. @throws InvalidCursorError */
  list(
    accountId: string,
    filter: { traceFunctionKey?: string },
    page: PageRequest,
  ): Promise<Page<StoredTestRun>>;
  /** A run that is finished already keeps its time. */
  finish(accountId: string, id: string, finishedAt: string): Promise<void>;
  /** Items with a known `item_no` are replaced. */
  putItems(accountId: string, runId: string, items: TestRunItemRecord[]): Promise<void>;
  /** By `item_no`. A page of great payloads ends early. @throws InvalidCursorError */
  listItems(accountId: string, runId: string, page: PageRequest): Promise<Page<TestRunItemRecord>>;
}
