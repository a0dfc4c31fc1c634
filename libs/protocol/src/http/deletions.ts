/** Which traces a deletion takes away, whole. Conditions hold together; there is one at least. */
export interface DeletionScope {
  /** At most `LIMITS.deletedTraces`. */
  trace_ids?: string[];
  /** What was recorded of this session until now. Once the deletion is done, its SHA-256 in hex takes the place of the id. */
  session_id?: string;
  /** What was recorded of this user until now. Once the deletion is done, its SHA-256 in hex takes the place of the id. */
  user_id?: string;
  /** Traces that hold a call of this key. */
  trace_function_key?: string;
  /** Traces that started before; of a key, in which it was first called before. */
  before?: string;
  /** Not those that hold a call of one of these keys, which have rules of their own. Only a rule says so. */
  except_keys?: string[];
}

export interface CreateDeletionRequest extends Omit<DeletionScope, 'except_keys'> {
  /**
   * Leaves the copies that somebody made on purpose: items of datasets and accepted outcomes. Absent or false: they are
   * erased, too.
   */
  keep_copies?: boolean;
}

/** What a deletion would take away now. */
export interface DeletionPreview {
  traces: number;
  spans: number;
}

/**
 * `waiting`: it has not begun. `running`: it has, and continues after a restart. `done`: no byte of what it deleted is left in the
 * database or its log.
 */
export const DELETION_STATES = ['waiting', 'running', 'done'] as const;
export type DeletionState = (typeof DELETION_STATES)[number];

/** What was deleted so far, exactly, also when the service was killed in the middle. */
export interface DeletionCounts extends DeletionPreview {
  scores: number;
  /** Items of datasets whose content was erased. */
  dataset_items: number;
  /** Items of test runs whose content was erased. */
  run_items: number;
  accepted_outcomes: number;
}

/** A deletion, as it is kept: a job that is done bit by bit, beside everything else. */
export interface DeletionRecord {
  id: string;
  /** `request`: somebody asked for it. `retention`: a rule of the account. `account`: the account is gone. */
  reason: 'request' | 'retention' | 'account';
  scope: DeletionScope;
  keep_copies?: true;
  state: DeletionState;
  counts: DeletionCounts;
  created_at: string;
  started_at?: string;
  ended_at?: string;
  /** The key that asked for it, directly or by the browser that it signed in. */
  api_key_id?: string;
  browser_session_id?: string;
  /** Everything is deleted, and the last bytes wait for this, such as a reader that opened the database before. */
  waiting_for?: string;
  /** Why the last try did not go on; it is tried again within a minute. */
  error?: string;
}
