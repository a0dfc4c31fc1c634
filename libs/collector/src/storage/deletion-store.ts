import type { DeletionRecord } from '@dacapo/protocol';
import type { Position, Range } from './range.js';

/** How far a deletion is. */
export interface DeletionProgress {
  /** Traces that are being taken away: a process may have died in the middle. */
  traceIds?: readonly string[];
  /** Where traces are looked for next. */
  after?: Position;
  /** All is deleted, and the stores are scrubbed next. */
  isRemoved?: true;
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
  /** The one to go on with, of all accounts: what somebody asked for before what a rule does, then the oldest. None that is removed. */
  findNext(): Promise<StoredDeletion | undefined>;
  /** Those of all accounts that are removed and not done, the oldest first. */
  listRemoved(): Promise<StoredDeletion[]>;
  /** Removes those that are done and were made before that time. */
  prune(before: string): Promise<void>;
  /** All of an account, except one. */
  remove(accountId: string, exceptId?: string): Promise<void>;
  /**
   * Removes what was deleted from logs and files of the store. One try, which delays no write.
   *
   * @returns what it waits for, a phrase; undefined when nothing is left
   */
  scrub(): Promise<string | undefined>;
}
