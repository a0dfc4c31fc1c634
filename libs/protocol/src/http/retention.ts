import type { DeletionPreview } from './deletions.js';

/** How long traces are kept. What has no rule is kept until somebody deletes it. */
export interface RetentionPolicy {
  /** Of traces that hold no call of a key with a rule of its own; absent: for ever. */
  days?: number;
  /** Of traces that hold a call of the key; where several of them have a rule, the shortest counts. By key. */
  keys: { trace_function_key: string; days: number }[];
}

export interface SetRetentionRequest {
  /** Absent: the rule of the account. */
  trace_function_key?: string;
  /** 1 to 36500; `null` takes the rule away. */
  days: number | null;
}

export interface PreviewRetentionRequest {
  /** Absent: the rule of the account. */
  trace_function_key?: string;
  /** 1 to 36500. */
  days: number;
}

/** What such a rule, beside the others, would delete now. */
export interface RetentionPreview extends DeletionPreview {
  /** Traces that it is the rule of, too old or not. */
  of_traces: number;
}
