import type { DivergenceKind, ItemTiming } from '@dacapo/protocol';
import type { ValueDiff } from '../diff/value-diff.js';
import type { NamedScore } from './score.js';

/**
 * How a call's outcome compares with its baseline. `same`: equal, types and all bytes included, or the same error.
 * `changed`: known to differ. `unknown`: what is recorded cannot tell. `error`: the call failed and had not before, failed
 * otherwise, could not be made, or an evaluator failed.
 */
export type Verdict = 'same' | 'changed' | 'unknown' | 'error';

/** One difference between the calls inside a replayed call and those of its recording; see the protocol's `DivergenceKind`. */
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
  /** Why the recorded outcome could not be given; on `unanswerable`. */
  reason?: string;
}

/** What the model calls of an item used: docs/usage.md says which calls count. */
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
 * How many model calls an item made, and how many of them told what. A request that failed and told nothing is none: it used
 * nothing that anyone tells.
 */
export interface ModelCalls {
  made: number;
  inputTokens: number;
  outputTokens: number;
  /** `made`, or 0 where one of them has no price. */
  costUsd: number;
}

/** One call, played again and compared with its baseline (SPEC 2.8). */
export interface RunItem<A extends unknown[] = unknown[], R = unknown> {
  /** From 0, in the order of the selection. Repeats of one item share it. */
  itemNo: number;
  /** From 0; absent when items are not repeated. */
  repetition?: number;
  /** The arguments that the function got. */
  input: A;
  /** The new output. Absent when it threw. */
  result?: R;
  /** What it is compared with: the recorded, the accepted or an earlier run's output. */
  originalOutput?: R;
  /** What the new call threw, the very object; why it could not be made; or what an evaluator threw. */
  error?: unknown;
  originalError?: unknown;
  verdict: Verdict;
  /** Where the outcomes differ; absent unless `changed` or `unknown`. */
  diff?: ValueDiff[];
  /** It failed before, and does not now. */
  fixed?: true;
  /** It fails with the same error as before. */
  failingAsBefore?: true;
  /** It failed, and its baseline did not fail or has no outcome. */
  newError?: true;
  /** The output is another than recorded, and a person accepted it. */
  accepted?: true;
  /** Its repeats disagree. */
  flaky?: true;
  /** How the calls inside differ from the recorded ones. */
  divergences: Divergence[];
  scores: NamedScore[];
  /** What the same evaluators say of the baseline. */
  originalScores?: NamedScore[];
  durationMs?: number;
  originalDurationMs?: number;
  /**
   * Whether the two durations can be compared. `paired`: both versions ran in this process, one after the other, and none of their
   * calls was mocked. `mocked`: a call was answered from the recording, so its time is unknown. Absent: the two sides did not run alike.
   */
  timing?: ItemTiming;
  usage?: Usage;
  originalUsage?: Usage;
  /** Absent where it is not known, as of a model call that was answered from the recording; and where neither side made any. */
  modelCalls?: ModelCalls;
  originalModelCalls?: ModelCalls;
  /** Calls of one session are no independent evidence. */
  sessionId?: string;
  /** Absent on an item that comes from a list. */
  sourceTraceId?: string;
  sourceSpanId?: string;
  /** The trace that the new call made. */
  traceId?: string;
  spanId?: string;
}
