import type { Divergence, NoiseSummary, Run, RunItem } from '@dacapo/evaluation';
import type { NormalizedCalls, SpanType, UsageRecord } from '@dacapo/protocol';

/** One difference between the calls inside a replayed call and those of its recording. */
export type ReplayDivergence = Divergence;

/**
 * One replayed call with its baseline (SPEC 2.8).
 *
 * @typeParam A arguments of the function
 * @typeParam R its return value: a promise's value, or the list of a stream's items
 */
export interface ReplayItem<A extends unknown[] = unknown[], R = unknown> extends RunItem<A, R> {
  sourceType?: SpanType;
  /** Differences between the recorded call and what the function received; absent without any. */
  notes?: string[];
  /** Number of inner calls that matched only with `normalize`, by key; absent without any. */
  normalized?: NormalizedCalls[];
  /** Addresses of connections that `network: 'deny'` refused; absent without any. */
  deniedConnections?: string[];
}

/** The outcome of a replay or an evaluation (SPEC 2.8). */
export interface ReplayResult<A extends unknown[] = unknown[], R = unknown> extends Omit<Run<A, R>, 'items'> {
  /** `interrupted`: it ended early, by `signal` or because calls could not be fetched. `resume` continues it. */
  status: 'finished' | 'interrupted';
  /**
   * One item per kept replayed call, in the order of the selection; see `keep`. For calls that were replayed before the run was resumed,
   * values and errors are restored from their records, and `sourceType`, `notes` and `deniedConnections` are absent.
   */
  items: ReplayItem<A, R>[];
  /** How often each wrapped function ran inside the replayed calls, by its key: what was not answered from the recording, side effects
   * included. Calls that were replayed before the run was resumed are not counted. */
  ranLive: Record<string, number>;
  /**
   * Number of inner calls of all items that matched only with `normalize`, by key. With `keep: 'none'`, calls that were replayed before
   * the run was resumed are not counted.
   */
  normalized: NormalizedCalls[];
  /** With `baseline: 'self'`: how much unchanged code differs from itself. */
  noise?: NoiseSummary;
  /** Sentences on unmet requests: a key without calls, calls that could not be fetched or reported. */
  warnings: string[];
}

/** A span that arrived by OTLP, from which `args` makes the arguments of a call. */
export interface OtlpCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly name: string;
  readonly sessionId?: string;
  /** The messages of a model or an agent, the arguments of a tool, or another input; absent if the sender recorded none. */
  readonly input?: unknown;
  readonly output?: unknown;
  readonly usage?: UsageRecord;
  /** Settings of the request. The member `otel` has everything that no convention names: `attributes`, `resource`, `scope` and `events`. */
  readonly contexts: readonly Readonly<Record<string, unknown>>[];
  /** Attributes that no convention names. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Metadata of the trace. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

export type OtlpArguments = (span: OtlpCall) => readonly unknown[];

/** The origin of a replayed call: the recorded call and the facts of its trace. */
export interface ReplaySource {
  /** Empty for an item of a list, which has no recording. */
  readonly traceId: string;
  /** Empty without a recording. */
  readonly spanId: string;
  /** ISO 8601, UTC; for an item of a list, the current time. */
  readonly startedAt: string;
  readonly sessionId?: string;
  /** Metadata from `setMetadata` or `enrich`; for an item of a list, its own. Empty without any. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Contexts from the trace's `addContext`; empty without any. */
  readonly contexts: Readonly<Record<string, unknown>>;
}
