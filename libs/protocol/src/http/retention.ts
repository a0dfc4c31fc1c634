import type { DeletionPreview } from './deletions.js';

/** How long traces are kept. Traces without a rule are kept until they are deleted. */
export interface RetentionPolicy {
  /** Days for traces without a call whose key has its own rule. Absent: forever. */
  days?: number;
  /** Days for traces that hold a call with the key. If several rules apply to a trace, the shortest counts. Sorted by key. */
  keys: { trace_function_key: string; days: number }[];
}

export interface SetRetentionRequest {
  /** Absent: the account's default rule. */
  trace_function_key?: string;
  /** 1 to 36500; `null` removes the rule. */
  days: number | null;
}

export interface PreviewRetentionRequest {
  /** Absent: the account's default rule. */
  trace_function_key?: string;
  /** 1 to 36500. */
  days: number;
}

/** What the rule would delete now, together with the existing rules. */
export interface RetentionPreview extends DeletionPreview {
  /** Number of traces that the rule applies to, whatever their age. */
  of_traces: number;
}
