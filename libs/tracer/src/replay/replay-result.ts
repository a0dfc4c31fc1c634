import type { DivergenceKind, SpanType } from '@dacapo/protocol';

/**
 * One difference between the calls inside a replayed call and those of its recording; see `DivergenceKind` of the
 * protocol. Arguments are JSON, cut after 1000 characters.
 */
export interface ReplayDivergence {
  kind: DivergenceKind;
  /** Trace function keys from below the replayed call down to the call itself. */
  path: string[];
  /** The recorded call; absent on `extra`. */
  sourceSpanId?: string;
  /** The new call; absent on `missing`. */
  spanId?: string;
  recordedArguments?: string;
  newArguments?: string;
  /** Why the recorded outcome could not be given; on `unanswerable`. */
  reason?: string;
}

/**
 * One recorded call, played again (SPEC 2.8).
 *
 * @typeParam A arguments of the function
 * @typeParam R what it gives, a promise's value, of a stream the list
 */
export interface ReplayItem<A extends readonly unknown[] = unknown[], R = unknown> {
  /** The recorded arguments; of a trace that holds no call of the key, none. */
  input: A;
  /** The new output; for a stream or a generator the list of what it gave. Absent when it threw. */
  result?: R;
  /** The recorded output. */
  originalOutput?: R;
  /** What the new call threw, the very object; or why it could not be made. */
  error?: unknown;
  /** The trace that was replayed. */
  sourceTraceId: string;
  /** The span that was replayed; absent when the trace holds none of the key. */
  sourceSpanId?: string;
  sourceType?: SpanType;
  /** The trace that the new call made. */
  traceId?: string;
  /** The span of the new call. */
  spanId?: string;
  durationMs?: number;
  /** What was not as the function expects it, though it was called; absent when there is nothing to say. */
  notes?: string[];
  /** Where code inside would have connected to, under `network: 'deny'`; absent when it did not try. */
  deniedConnections?: string[];
  /** How the calls inside differed from the recorded ones, empty when they did not; absent when `mock` is `none`. */
  divergences?: ReplayDivergence[];
}

/** The outcome of a replay (SPEC 2.8). */
export interface ReplayResult<A extends readonly unknown[] = unknown[], R = unknown> {
  testRunId: string;
  /** The dashboard's page of this run. */
  testRunUrl: string;
  /** One for each replayed trace, in the order of the selection. */
  items: ReplayItem<A, R>[];
  /** How often each wrapped function ran inside the replayed calls, by its key: what was not answered from the recording. */
  ranLive: Record<string, number>;
}
