/** Which traces a deletion removes completely. A trace must match all conditions; at least one is required. */
export interface DeletionScope {
  /** At most `LIMITS.deletedTraces`. */
  trace_ids?: string[];
  /** Everything recorded for this session until now. When the deletion is done, its hex SHA-256 replaces the id. */
  session_id?: string;
  /** Everything recorded for this user until now. When the deletion is done, its hex SHA-256 replaces the id. */
  user_id?: string;
  /** Traces that hold a call with this key. */
  trace_function_key?: string;
  /** Traces that started before this time; with a key, traces whose first call with the key started before it. */
  before?: string;
  /** Excludes traces that hold a call with one of these keys, which have their own rules. Only set by a retention rule. */
  except_keys?: string[];
}

export interface CreateDeletionRequest extends Omit<DeletionScope, 'except_keys'> {
  /**
   * Keeps the copies that people made: dataset items and accepted outcomes. Default: false, they are erased.
   */
  keep_copies?: boolean;
}

/** What a deletion would remove now. */
export interface DeletionPreview {
  traces: number;
  spans: number;
}

/**
 * `waiting`: not started. `running`: started; it continues after a restart. `done`: no byte of the deleted data is left in the
 * database or its log.
 */
export const DELETION_STATES = ['waiting', 'running', 'done'] as const;
export type DeletionState = (typeof DELETION_STATES)[number];

/** What was deleted so far. The counts are exact even if the service was killed in between. */
export interface DeletionCounts extends DeletionPreview {
  scores: number;
  /** Dataset items whose content was erased. */
  dataset_items: number;
  /** Test run items whose content was erased. */
  run_items: number;
  accepted_outcomes: number;
}

/** A deletion: a background job that runs in small steps. */
export interface DeletionRecord {
  id: string;
  /** `request`: an API request. `retention`: a rule of the account. `account`: the account was deleted. */
  reason: 'request' | 'retention' | 'account';
  scope: DeletionScope;
  keep_copies?: true;
  state: DeletionState;
  counts: DeletionCounts;
  created_at: string;
  started_at?: string;
  ended_at?: string;
  /** The key that requested it, directly or by a browser that it signed in. */
  api_key_id?: string;
  browser_session_id?: string;
  /** All rows are deleted, but the last bytes wait for this, such as a reader that opened the database earlier. */
  waiting_for?: string;
  /** Why the last attempt failed. The service retries within a minute. */
  error?: string;
}
