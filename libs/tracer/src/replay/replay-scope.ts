import type { ReplayedCalls } from '../recording/replayed-calls.js';

/** Marks the code that a replay runs: the trace it starts belongs to a test run. */
export interface ReplayScope {
  readonly testRunId: string;
  /** The recorded span that is played again. */
  readonly sourceSpanId: string;
  /** Absent: every call inside runs. */
  readonly calls?: ReplayedCalls | undefined;
  /** Set by the first span opened in the scope: the new call. */
  started?: { readonly traceId: string; readonly spanId: string };
}
