import type { AmbientIds } from './ambient-ids.js';
import type { ActiveTrace } from '../recording/active-trace.js';
import type { ActiveSpan } from '../recording/active-span.js';
import type { ReplayScope } from '../replay/replay-scope.js';

/**
 * What the code that runs right now is part of.
 *
 * An open span is the frame of the code inside it. Other frames open no span of ours, or not yet: a remote parent
 * (`runWithTraceContext`), a replay that has not called its function yet, and a request with nothing traced inside.
 */
export interface ContextFrame {
  /**
   * The trace that a span opened here joins; absent: it starts one.
   *
   * @internal
   */
  readonly trace: ActiveTrace | undefined;
  /** The id that a span opened here takes for its parent. */
  readonly parentId: string | undefined;
  /**
   * The span whose handle `getCurrentSpan` gives.
   *
   * @internal
   */
  readonly span: ActiveSpan | undefined;
  /** @internal */
  readonly replay: ReplayScope | undefined;
  /** Whether it is part of a replay, of a frame that does not tell by its replay or its trace. */
  readonly isInReplay?: boolean;
  /** The work of the frame has ended; what still runs in it was left behind. */
  readonly isOver?: boolean;
  /** Where calls to other services belong, if that is not this frame. */
  readonly outgoing?: ContextFrame | undefined;
  /**
   * The current span of each library that keeps one, as it was when this frame opened.
   *
   * @internal
   */
  readonly ambientIds?: AmbientIds | undefined;
}

/** Whether what runs in a frame is part of a replay. */
export function isInReplay(frame: ContextFrame | undefined): boolean {
  if (frame === undefined) return false;
  if (frame.isInReplay !== undefined) return frame.isInReplay;
  const { replay, trace } = frame;
  return replay !== undefined || trace?.testRunId !== undefined || trace?.replayedCalls !== undefined;
}
