import {
  type ContextFrame,
  contextStorage,
  type ExternalSpanIds,
  isInReplay,
} from '../context/context-storage.js';
import type { ActiveSpan, CallPosition } from './active-span.js';
import type { ActiveTrace } from './active-trace.js';
import type { RecordingFrame } from './recording-frame.js';
import type { ReplayScope } from './replay-scope.js';

/**
 * How far one asynchronous branch has come inside a frame: the span that it opened last. It replaces the frame in the context
 * of the code that follows, and acts as that frame for everything but the order of calls.
 *
 * It holds the ids of two spans and no earlier position, so a loop of any length keeps one position in memory.
 */
export class BranchPosition implements RecordingFrame, CallPosition {
  /** That span has ended, so the next call of the branch comes after it. */
  hasEnded = false;

  /**
   * @param frame the frame itself, never a position in it
   * @param spanId the span that was opened last
   * @param after the last span of the branch that had ended when that one began; absent: none is known
   */
  constructor(
    readonly frame: RecordingFrame,
    readonly spanId: string,
    readonly after: string | undefined,
  ) {}

  /** Moves the branch that runs right now to a span that opens in `frame`; `undefined` when the branch runs in another frame. */
  static advance(frame: RecordingFrame, spanId: string): BranchPosition | undefined {
    const current = contextStorage.getStore();
    let after: string | undefined;
    if (isPosition(current)) {
      if (current.frame !== frame) return undefined;
      after = current.hasEnded ? current.spanId : current.after;
    } else if (current !== frame) return undefined;
    const position = new BranchPosition(frame, spanId, after);
    // The frame stays the same, so nothing that inherits this context can join another trace.
    contextStorage.enterWith(position);
    return position;
  }

  get trace(): ActiveTrace | undefined {
    return this.frame.trace;
  }

  get parentId(): string | undefined {
    return this.frame.parentId;
  }

  get span(): ActiveSpan | undefined {
    return this.frame.span;
  }

  get replay(): ReplayScope | undefined {
    return this.frame.replay;
  }

  get isInReplay(): boolean {
    return isInReplay(this.frame);
  }

  get isOver(): boolean {
    return this.frame.isOver === true;
  }

  get outgoing(): RecordingFrame['outgoing'] {
    return 'outgoing' in this.frame ? this.frame.outgoing : this.frame;
  }

  get within(): RecordingFrame['within'] {
    return this.frame.within;
  }

  get externalIds(): ExternalSpanIds | undefined {
    return this.frame.externalIds;
  }

  joined(): void {
    this.frame.joined?.();
  }
}

/** Only positions have a frame, whichever build of this package made them. */
function isPosition(current: ContextFrame | undefined): current is BranchPosition {
  return current?.frame !== undefined;
}
