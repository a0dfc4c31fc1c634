import { type ContextFrame, isInReplay } from '../context/context-storage.js';
import { currentFrame, type ExternalContext } from '../context/external-context.js';
import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';
import type { ReplayedCalls, ReplayScope } from './replay-scope.js';

/** A context frame with the full types of its trace, span and replay. */
export interface RecordingFrame extends ContextFrame {
  /** @internal */
  readonly trace: ActiveTrace | undefined;
  /** @internal */
  readonly span: ActiveSpan | undefined;
  /** @internal */
  readonly replay: ReplayScope | undefined;
  readonly reentered?: RecordingFrame;
  /** Called for each span that opens inside, also by code that runs after the frame's end. */
  joined?(): void;
}

/**
 * Whether a span that opens in a frame starts a new trace. It does if the frame's work has ended: code that still runs in its context
 * may serve anyone, such as a shared connection that the work was the first to open.
 */
export function adoptsNothing(frame: RecordingFrame | undefined): boolean {
  // A replay also answers calls that its function makes after it returned.
  return frame?.isOver === true && !isInReplay(frame);
}

/** Returns the innermost frame of the running code; see `currentFrame`. */
export function currentRecordingFrame(except?: ExternalContext): RecordingFrame | undefined {
  // Only recorders and replays create frames, possibly of another copy of this package.
  return currentFrame(except) as RecordingFrame | undefined;
}

/**
 * Returns the frame of the running code if it is part of a replay. Work inside stays in the replay's trace even if it would otherwise
 * join another one, because the replay can only answer calls in its own trace.
 */
export function currentReplayFrame(): RecordingFrame | undefined {
  const frame = currentRecordingFrame();
  return isInReplay(frame) ? frame : undefined;
}

/** Returns the object that answers calls in a frame; `undefined` outside of replays and if every call runs. */
export function findReplayedCalls(frame: RecordingFrame | undefined): ReplayedCalls | undefined {
  return frame?.replay?.calls ?? frame?.trace?.replayedCalls;
}
