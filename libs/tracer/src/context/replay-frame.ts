import type { ReplayedCalls } from '../recording/replayed-calls.js';
import { currentFrame } from './ambient-frames.js';
import { type ContextFrame, isInReplay } from './context-frame.js';

/**
 * The frame of the code that runs right now, if that is part of a replay. Work inside stays in the replay's trace, whatever
 * trace it would join elsewhere: outside of it a replay that mocks could not answer a call.
 */
export function currentReplayFrame(): ContextFrame | undefined {
  const frame = currentFrame();
  return isInReplay(frame) ? frame : undefined;
}

/** What answers the calls of a frame that is part of a replay; `undefined` if nothing does. */
export function replayedCallsOf(frame: ContextFrame | undefined): ReplayedCalls | undefined {
  return frame?.replay?.calls ?? frame?.trace?.replayedCalls;
}
