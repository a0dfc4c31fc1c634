import type { DatasetItemInput, DatasetVersion } from '../records/dataset.js';
import type { CallSelection } from '../records/call-selection.js';
import type { Verdict } from '../records/test-run.js';
import type { RefusedEntry } from './answers.js';

export interface CreateDatasetRequest {
  /** A letter or a digit, then letters, digits, dots, dashes and underscores; at most 128 characters. */
  name: string;
  description?: string;
}

/**
 * `POST` {@link ROUTES.datasetVersions}: creates the next version of a dataset from an older one. All fields are optional. A
 * request that changes nothing creates no version, and the response describes the base.
 */
export interface AddDatasetVersionRequest {
  /** The version to start from; 0 for none. Default: the latest. */
  base?: number;
  items?: DatasetItemInput[];
  /** Adds recorded calls with a key. Calls that the base already has are skipped. */
  from_calls?: { trace_function_key: string; selection: CallSelection };
  /**
   * Adds items of a run, with their baseline as the expected value. Items that the base already has are skipped. Default: all
   * items; `item_nos` and `verdict` select some.
   */
  from_test_run?: { id: string; item_nos?: number[]; verdict?: Verdict };
  /** Ids of base items to remove. Unknown ids are ignored. */
  remove?: string[];
  note?: string;
}

/** The latest version. `added` and `removed` count the changes of this request, 0 if it created no version. */
export interface AddDatasetVersionAnswer extends DatasetVersion {
  /** Number of entries that the base already has. */
  unchanged: number;
  /** Rejected entries of `items`. The other entries are added. */
  rejected: RefusedEntry[];
  /** Calls that `from_calls` skipped, by reason. */
  skipped?: Record<string, number>;
  /** The account has no call with the key of `from_calls`, so the key may be misspelt. */
  unknown_key?: true;
  /** With `unknown_key`: the account's key with the closest spelling, if one is close. */
  similar_key?: string;
}
