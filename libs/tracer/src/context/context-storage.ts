import { AsyncLocalStorage } from 'node:async_hooks';
import type { CurrentSpan, CurrentTrace } from './current-span.js';

/** What the context needs to know about the trace of a frame. */
export interface FrameTrace extends CurrentTrace {
  /** Whether other services that join it should record it. */
  readonly isKept: boolean;
  /** The test run whose replay made this trace. */
  readonly testRunId: string | undefined;
  /** What that replay does with inner calls. */
  readonly replayedCalls: object | undefined;
}

/** What the context needs to know about the span of a frame. */
export interface FrameSpan extends CurrentSpan {
  readonly start: { readonly recorder: object };
}

/**
 * The current span of each library with its own, at the time when our span opened. With it, a later span decides which of the
 * two is nearer.
 */
export type ExternalSpanIds = ReadonlyMap<object, string>;

/**
 * The trace, span and replay that the running code belongs to.
 *
 * An open span is the frame of the code inside it. Other frames have no span, or not yet: a remote parent
 * (`runWithTraceContext`), a replay that has not called its function yet, and a request with nothing traced inside.
 */
export interface ContextFrame {
  /**
   * The trace that a span opened here joins; absent: it starts a new one.
   *
   * @internal
   */
  readonly trace: FrameTrace | undefined;
  /** The parent id of spans opened here. */
  readonly parentId: string | undefined;
  /**
   * The span whose handle `getCurrentSpan` returns.
   *
   * @internal
   */
  readonly span: FrameSpan | undefined;
  /**
   * The replay that is about to call its function here.
   *
   * @internal
   */
  readonly replay: object | undefined;
  /** Whether it is part of a replay, for a frame without a replay scope or a trace. */
  readonly isInReplay?: boolean;
  /** Whether the work of the frame has ended; code that still runs in it is late. */
  readonly isOver?: boolean;
  /** The ended frame that `bind` entered again: work that starts here belongs to it. */
  readonly reentered?: ContextFrame;
  /** The parent for calls to other services, if it is not this frame. */
  readonly outgoing?: ContextFrame | undefined;
  /** The request or message of this frame. */
  readonly within?: ContextFrame | undefined;
  /** @internal */
  readonly externalIds?: ExternalSpanIds | undefined;
  /** For a branch position: its frame. */
  readonly frame?: ContextFrame;
}

/** Whether code in a frame is part of a replay. */
export function isInReplay(frame: ContextFrame | undefined): boolean {
  if (frame === undefined) return false;
  if (frame.isInReplay !== undefined) return frame.isInReplay;
  const { replay, trace } = frame;
  return replay !== undefined || trace?.testRunId !== undefined || trace?.replayedCalls !== undefined;
}

/**
 * Whether the request or message of a frame has ended. Code that still runs in its context may serve anyone, such as a shared connection
 * that the request was the first to open.
 */
export function hasOutlivedRequest(frame: ContextFrame | undefined): boolean {
  if (frame?.isOver !== true || frame.reentered !== undefined || isInReplay(frame)) return false;
  return frame.within?.isOver === true;
}

/** The context of an ended frame, for work that is known to belong to it. */
export function reenterFrame(frame: ContextFrame): ContextFrame {
  const { trace, parentId, span } = frame;
  return { trace, parentId, span, replay: undefined, isOver: true, reentered: frame };
}

const KEY = Symbol.for('@dacapo/context');

const globals: typeof globalThis & { [KEY]?: AsyncLocalStorage<ContextFrame> | undefined } = globalThis;

/** The process's context, shared by the CommonJS and ES module copies of this package. */
export const contextStorage = (globals[KEY] ??= new AsyncLocalStorage<ContextFrame>());

/** The frame that the running code entered, regardless of later calls in its branch. */
export function enteredFrame(): ContextFrame | undefined {
  const entered = contextStorage.getStore();
  return entered?.frame ?? entered;
}
