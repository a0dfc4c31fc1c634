import type { DatasetItemInput, DatasetVersion } from '../records/dataset.js';
import type { CallSelection } from '../records/call-selection.js';
import type { Verdict } from '../records/test-run.js';
import type { RefusedEntry } from './answers.js';

export interface CreateDatasetRequest {
  /** A letter or a digit, then letters, digits, dots, dashes and underscores; 128 characters at most. */
  name: string;
  description?: string;
}

/**
 * `POST` {@link ROUTES.datasetVersions}: makes the next version of a dataset from an older one. Every field may be absent. A
 * request that changes nothing makes no version: the answer says how the base is.
 */
export interface AddDatasetVersionRequest {
  /** The version to start from: the latest when absent; 0 for none. */
  base?: number;
  items?: DatasetItemInput[];
  /** Adds calls of a key. Those that the base has already are left out. */
  from_calls?: { trace_function_key: string; selection: CallSelection };
  /**
   * Adds items of a run, with their baseline as the expected value. Those that the base has already are left out. All of
   * them when neither numbers nor a verdict are given.
   */
  from_test_run?: { id: string; item_nos?: number[]; verdict?: Verdict };
  /** Ids of items that the version does not take over; unknown ones change nothing. */
  remove?: string[];
  note?: string;
}

/** The latest version; `added` and `removed` are what this request did, 0 where it made none. */
export interface AddDatasetVersionAnswer extends DatasetVersion {
  /** Entries that the base has already. */
  unchanged: number;
  /** Entries of `items` that were not taken. They never harm their neighbours. */
  rejected: RefusedEntry[];
  /** What `from_calls` left out, by reason. */
  skipped?: Record<string, number>;
  /** The account has no call with the key of `from_calls`: it may be misspelt. */
  unknown_key?: true;
  /** Beside `unknown_key`: the account's key that is spelt most like it, if one is near. */
  similar_key?: string;
}
