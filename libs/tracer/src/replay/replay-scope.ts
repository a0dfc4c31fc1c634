import type { ReplayedCalls } from '../recording/replayed-calls.js';

/** Marks the code that a replay runs: the trace it starts belongs to a test run. */
export interface ReplayScope {
  readonly testRunId: string;
  /** Of the function that is played: its call in the scope is the new call, and no other is. */
  readonly key: string;
  /** The recorded span that is played again. */
  readonly sourceSpanId: string;
  /** Absent: every call inside runs. */
  readonly calls?: ReplayedCalls | undefined;
  /** Set by the span of the new call when it opens; the first, when there are several. */
  started?: { readonly traceId: string; readonly spanId: string };
}
