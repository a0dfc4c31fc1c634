import type { SpanType } from '@dacapo/protocol';

export interface ReplayOptions {
  /** At most this many traces, the newest first. Default: all traces of the key. */
  limit?: number | undefined;
  /** Only these traces, in this order. */
  traceIds?: readonly string[] | undefined;
  /** How many traces are replayed at one time. Default: 10. */
  maxConcurrency?: number | undefined;
  /** What the test run is called in the dashboard. */
  name?: string | undefined;
}

/** One recorded call, played again (SPEC 2.8). */
export interface ReplayItem {
  /** The recorded arguments, as the function got them again. */
  input: unknown;
  /** The new output; for a stream or a generator the list of what it gave. Absent when it threw. */
  result?: unknown;
  /** The recorded output. */
  originalOutput?: unknown;
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
}

/** The outcome of a replay (SPEC 2.8). */
export interface ReplayResult {
  testRunId: string;
  /** The dashboard's page of this run. */
  testRunUrl: string;
  /** One for each replayed trace, in the order of the selection. */
  items: ReplayItem[];
}
