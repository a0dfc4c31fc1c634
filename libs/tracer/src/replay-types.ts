import type { Divergence, NoiseSummary, Run, RunItem } from '@dacapo/evaluation';
import type { NormalizedCalls, SpanType } from '@dacapo/protocol';

/** One difference between the calls inside a replayed call and those of its recording. */
export type ReplayDivergence = Divergence;

/**
 * One call that was played, and what it is compared with (SPEC 2.8).
 *
 * @typeParam A arguments of the function
 * @typeParam R what it gives: a promise's value, of a stream the list
 */
export interface ReplayItem<A extends unknown[] = unknown[], R = unknown> extends RunItem<A, R> {
  sourceType?: SpanType;
  /** What was not as the function expects it, though it was called; absent when there is nothing to say. */
  notes?: string[];
  /** Calls inside that were found by `normalize`, by key; absent when there are none. */
  normalized?: NormalizedCalls[];
  /** Where code inside would have connected to, under `network: 'deny'`; absent when it did not try. */
  deniedConnections?: string[];
}

/** The outcome of a replay or an evaluation (SPEC 2.8). */
export interface ReplayResult<A extends unknown[] = unknown[], R = unknown> extends Omit<Run<A, R>, 'items'> {
  /** `interrupted`: it ended early, by `signal` or because calls could not be had; `resume` goes on with it. */
  status: 'finished' | 'interrupted';
  /**
   * One for each replayed call that is kept, in the order of the selection; see `keep`. Of calls that were played before the
   * run was resumed, values and errors are made of what was recorded, and `sourceType`, `notes` and `deniedConnections` are absent.
   */
  items: ReplayItem<A, R>[];
  /** How often each wrapped function ran inside the replayed calls, by its key: what was not answered from the recording, side effects
   * included. Of calls that were played before the run was resumed nothing is counted. */
  ranLive: Record<string, number>;
  /**
   * Calls inside that were found in the recording by `normalize`, by key, of all items. With `keep: 'none'`, those that were replayed
   * before the run was resumed are not counted.
   */
  normalized: NormalizedCalls[];
  /** With `baseline: 'self'`: how much unchanged code differs from itself. */
  noise?: NoiseSummary;
  /** Sentences on what is not as it was asked for: a key without calls, calls that could not be had or told. */
  warnings: string[];
}

/** Where a replayed call comes from: the call that was recorded, and what is known of its trace. */
export interface ReplaySource {
  /** Empty where nothing was recorded: an item of a list. */
  readonly traceId: string;
  /** Empty where nothing was recorded. */
  readonly spanId: string;
  /** ISO 8601, UTC; of an item of a list, now. */
  readonly startedAt: string;
  readonly sessionId?: string;
  /** What `setMetadata` gave, or `enrich`; of an item of a list, its own. Empty when there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** What the trace's `addContext` gave; empty when there is none. */
  readonly contexts: Readonly<Record<string, unknown>>;
}
