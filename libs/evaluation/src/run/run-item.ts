import type { DivergenceKind, ItemTiming, Verdict } from '@dacapo/protocol';
import type { ValueDiff } from '../diff/value-diff.js';
import type { NamedScore } from './score.js';

/** One difference between the inner calls of a replayed call and its recording; see the protocol's `DivergenceKind`. */
export interface Divergence {
  kind: DivergenceKind;
  /** Trace function keys from below the replayed call down to the call itself. */
  path: string[];
  /** The recorded call; absent on `extra`. */
  sourceSpanId?: string;
  /** The new call; absent on `missing`. */
  spanId?: string;
  /** JSON, cut. */
  recordedArguments?: string;
  /** JSON, cut. */
  newArguments?: string;
  /** On `unanswerable`: why the recorded outcome could not be returned. */
  reason?: string;
}

/** Usage of an item's model calls. docs/usage.md defines which calls count. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  cachedInputTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
  audioTokens?: number;
  costUsd?: number;
}

/**
 * The number of an item's model calls, and how many of them have each measure. A failed request without usage does not count.
 */
export interface ModelCalls {
  made: number;
  inputTokens: number;
  outputTokens: number;
  /** `made`, or 0 if one of them has no price. */
  costUsd: number;
}

/** One call, replayed and compared with its baseline (SPEC 2.8). */
export interface RunItem<A extends unknown[] = unknown[], R = unknown> {
  /** From 0, in the order of the selection. Repeats of one item share it. */
  itemNo: number;
  /** From 0; absent when items are not repeated. */
  repetition?: number;
  /** The function's arguments. */
  input: A;
  /** The new output. Absent when it threw. */
  result?: R;
  /** The baseline's output: recorded, accepted or of an earlier run. */
  originalOutput?: R;
  /** The object that the new call threw, why it could not be made, or the evaluator's error. */
  error?: unknown;
  originalError?: unknown;
  verdict: Verdict;
  /** Where the outcomes differ; only on `changed` and `unknown`. */
  diff?: ValueDiff[];
  /** The baseline failed, and the candidate does not. */
  fixed?: true;
  /** It fails with the same error as the baseline. */
  failingAsBefore?: true;
  /** It failed, and its baseline did not, or has no outcome. */
  newError?: true;
  /** The output differs from the recording, and a person accepted it. */
  accepted?: true;
  /** Its repetitions disagree. */
  flaky?: true;
  /** How the inner calls differ from the recorded ones. */
  divergences: Divergence[];
  scores: NamedScore[];
  /** The same evaluators' scores of the baseline. */
  originalScores?: NamedScore[];
  durationMs?: number;
  originalDurationMs?: number;
  /**
   * Whether the two durations can be compared. `paired`: both versions ran in this process, one after the other, without mocked calls.
   * `mocked`: an inner call was answered from the recording, so its time is unknown. Absent: the sides ran under different conditions.
   */
  timing?: ItemTiming;
  usage?: Usage;
  originalUsage?: Usage;
  /** Absent if unknown, such as with a mocked model call, or if neither side made any. */
  modelCalls?: ModelCalls;
  originalModelCalls?: ModelCalls;
  /** Calls of one session are not independent evidence. */
  sessionId?: string;
  /** Absent for items from a list. */
  sourceTraceId?: string;
  sourceSpanId?: string;
  /** The trace of the new call. */
  traceId?: string;
  spanId?: string;
}
