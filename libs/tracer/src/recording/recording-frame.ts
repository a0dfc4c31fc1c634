import { type ContextFrame, isInReplay } from '../context/context-storage.js';
import { currentFrame, type ExternalContext } from '../context/external-context.js';
import type { ActiveSpan } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';
import type { ReplayedCalls, ReplayScope } from './replay-scope.js';

/** A frame with all of its trace, span and replay, of which the context knows less. */
export interface RecordingFrame extends ContextFrame {
  /** @internal */
  readonly trace: ActiveTrace | undefined;
  /** @internal */
  readonly span: ActiveSpan | undefined;
  /** @internal */
  readonly replay: ReplayScope | undefined;
  readonly reentered?: RecordingFrame;
  /** Told of each span that is opened inside, and of each that what it left behind opens. */
  joined?(): void;
}

/**
 * Whether a span that is opened in a frame starts a trace of its own: the frame's work has ended, and what still runs in its
 * context may be anyone's, such as a connection that it was the first to open.
 */
export function adoptsNothing(frame: RecordingFrame | undefined): boolean {
  // A replay answers the calls of what its function left behind too.
  return frame?.isOver === true && !isInReplay(frame);
}

/** The innermost frame of the code that runs right now; see `currentFrame`. */
export function currentRecordingFrame(except?: ExternalContext): RecordingFrame | undefined {
  // Frames are made by recording and by replays alone, of whichever copy of this package.
  return currentFrame(except) as RecordingFrame | undefined;
}

/**
 * The frame of the code that runs right now, if that is part of a replay. Work inside stays in the replay's trace, whatever
 * trace it would join elsewhere: outside of it a replay that mocks could not answer a call.
 */
export function currentReplayFrame(): RecordingFrame | undefined {
  const frame = currentRecordingFrame();
  return isInReplay(frame) ? frame : undefined;
}

/** What answers the calls of a frame that is part of a replay; `undefined` if nothing does. */
export function findReplayedCalls(frame: RecordingFrame | undefined): ReplayedCalls | undefined {
  return frame?.replay?.calls ?? frame?.trace?.replayedCalls;
}
