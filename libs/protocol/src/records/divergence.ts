/**
 * How the calls inside a replayed call differ from the recording:
 *
 * - `missing`: recorded, but not made.
 * - `extra`: made, but not recorded.
 * - `changed_arguments`: made with other arguments.
 * - `reordered`: made in another order.
 * - `unanswerable`: the same call, but its recorded outcome cannot be reproduced.
 */
export const DIVERGENCE_KINDS = [
  'missing',
  'extra',
  'changed_arguments',
  'reordered',
  'unanswerable',
] as const;
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

/** One difference between the calls of a replay and the recorded calls. */
export interface Divergence {
  kind: DivergenceKind;
  /**
   * Trace function keys from the replayed call (exclusive) down to this call. A path longer than `LIMITS.divergencePath` is cut in
   * the middle and marked with `…`.
   */
  path: string[];
  /** The recorded call. Absent for `extra`. */
  source_span_id?: string;
  /** The new call. Absent for `missing`. */
  new_span_id?: string;
  /** For `changed_arguments` and `missing`: the recorded arguments as JSON, cut. */
  recorded_arguments?: string;
  /** For `changed_arguments` and `extra`: the new arguments as JSON, cut. */
  new_arguments?: string;
  /** For `unanswerable`: why the recorded outcome cannot be reproduced. */
  reason?: string;
}
