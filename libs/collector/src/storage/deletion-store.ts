import type { DeletionRecord } from '@dacapo/protocol';
import type { Position, Range } from './range.js';

/** How far a deletion is. */
export interface DeletionProgress {
  /** Traces that are being taken away: a process may have died in the middle. */
  traceIds?: readonly string[];
  /** Where traces are looked for next. */
  after?: Position;
}

export interface StoredDeletion {
  accountId: string;
  record: DeletionRecord;
  progress: DeletionProgress;
}

/** Deletions, as jobs that outlive the process. */
export interface DeletionStore {
  /** One of a known id is replaced. */
  put(deletion: StoredDeletion): Promise<void>;
  find(accountId: string, id: string): Promise<DeletionRecord | undefined>;
  /** The newest first. */
  list(accountId: string, range: Range): Promise<DeletionRecord[]>;
  /** The one to go on with, of all accounts: what somebody asked for before what a rule does, then the oldest. */
  findNext(): Promise<StoredDeletion | undefined>;
  /** Removes those that are done and were made before that time. */
  prune(before: string): Promise<void>;
  /** All of an account. */
  remove(accountId: string): Promise<void>;
  /** Sees that nothing of what was deleted is left in the files of the store. */
  scrub(): Promise<void>;
}
