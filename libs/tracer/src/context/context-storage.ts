import { AsyncLocalStorage } from 'node:async_hooks';
import type { CurrentSpan, CurrentTrace } from './current-span.js';

/** What the context needs to know of the trace of a frame. */
export interface FrameTrace extends CurrentTrace {
  /** Whether other services that join it are to record it. */
  readonly isKept: boolean;
  /** The test run whose replay made this trace. */
  readonly testRunId: string | undefined;
  /** What that replay does with the calls inside. */
  readonly replayedCalls: object | undefined;
}

/** What the context needs to know of the span of a frame. */
export interface FrameSpan extends CurrentSpan {
  readonly start: { readonly recorder: object };
}

/**
 * The current span of each library that keeps one, when a span of ours opened: by it a later span tells which of the
 * two is nearer.
 */
export type ExternalSpanIds = ReadonlyMap<object, string>;

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
  readonly trace: FrameTrace | undefined;
  /** The id that a span opened here takes for its parent. */
  readonly parentId: string | undefined;
  /**
   * The span whose handle `getCurrentSpan` gives.
   *
   * @internal
   */
  readonly span: FrameSpan | undefined;
  /**
   * The replay whose function is about to be called here.
   *
   * @internal
   */
  readonly replay: object | undefined;
  /** Whether it is part of a replay, of a frame that does not tell by its replay or its trace. */
  readonly isInReplay?: boolean;
  /** The work of the frame has ended; what still runs in it was left behind. */
  readonly isOver?: boolean;
  /** The frame that has ended, where `bind` enters it again: the work that starts here belongs to it. */
  readonly reentered?: ContextFrame;
  /** Where calls to other services belong, if that is not this frame. */
  readonly outgoing?: ContextFrame | undefined;
  /** The request or message that this frame is part of, or is. */
  readonly within?: ContextFrame | undefined;
  /** @internal */
  readonly externalIds?: ExternalSpanIds | undefined;
  /** Of a position of a branch inside a frame: that frame. */
  readonly frame?: ContextFrame;
}

/** Whether what runs in a frame is part of a replay. */
export function isInReplay(frame: ContextFrame | undefined): boolean {
  if (frame === undefined) return false;
  if (frame.isInReplay !== undefined) return frame.isInReplay;
  const { replay, trace } = frame;
  return replay !== undefined || trace?.testRunId !== undefined || trace?.replayedCalls !== undefined;
}

/**
 * Whether the request or message of a frame has ended. What still runs in its context may belong to anyone, such as a
 * connection that the request was the first to open.
 */
export function hasOutlivedRequest(frame: ContextFrame | undefined): boolean {
  if (frame?.isOver !== true || frame.reentered !== undefined || isInReplay(frame)) return false;
  return frame.within?.isOver === true;
}

/** The context of a frame that has ended, for work that is known to belong to it. */
export function reenterFrame(frame: ContextFrame): ContextFrame {
  const { trace, parentId, span } = frame;
  return { trace, parentId, span, replay: undefined, isOver: true, reentered: frame };
}

const KEY = Symbol.for('@dacapo/context');

const globals: typeof globalThis & { [KEY]?: AsyncLocalStorage<ContextFrame> | undefined } = globalThis;

/** The one context of the process: the CommonJS and the ES module copy of this package share it. */
export const contextStorage = (globals[KEY] ??= new AsyncLocalStorage<ContextFrame>());

/** The frame that the running code entered, whatever its branch has called inside since. */
export function enteredFrame(): ContextFrame | undefined {
  const entered = contextStorage.getStore();
  return entered?.frame ?? entered;
}
