/**
 * How the calls inside a replayed call differ from those of its recording: `missing`, recorded and not made; `extra`, made
 * and not recorded; `changed_arguments`, made with other arguments; `reordered`, made in another order than the recorded one;
 * `unanswerable`, the same call, and its recorded outcome cannot be given again.
 */
export const DIVERGENCE_KINDS = [
  'missing',
  'extra',
  'changed_arguments',
  'reordered',
  'unanswerable',
] as const;
export type DivergenceKind = (typeof DIVERGENCE_KINDS)[number];

/** One difference between the calls of a replay and those of the recording. */
export interface Divergence {
  kind: DivergenceKind;
  /**
   * Trace function keys from below the replayed call down to the call itself. Longer ones than `LIMITS.divergencePath` are
   * cut in the middle, where `…` is.
   */
  path: string[];
  /** Absent where nothing was recorded. */
  source_span_id?: string;
  /** Absent where no call was made. */
  new_span_id?: string;
  /** The recorded arguments as JSON, cut; of `changed_arguments` and `missing`. */
  recorded_arguments?: string;
  /** The new arguments as JSON, cut; of `changed_arguments` and `extra`. */
  new_arguments?: string;
  /** Why the recorded outcome cannot be given again; of `unanswerable`. */
  reason?: string;
}
