import { LIMITS, newTraceId } from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import { type Clock, realEpochMs } from '../context/clock.js';
import type { ContextFrame, FrameTrace } from '../context/context-storage.js';
import { isJsonLike, type JsonLike } from '../context/current-span.js';
import type { FieldCapture } from './field-capture.js';
import type { IncomingWork } from './incoming-policy.js';
import type { OpenedCall, ReplayedCalls } from './replay-scope.js';
import type { PendingTrace } from './tail-sampler.js';
import { TraceNotes } from './trace-notes.js';

/** What a trace needs from the recorder that opened its first span. */
export interface TraceRecorder {
  readonly fields: FieldCapture;
  /** Decides whether work continues its incoming trace. */
  receive(work: IncomingWork): ReceivedTrace;
  refuseNote(method: string, value: unknown): void;
  writePatch(trace: ActiveTrace): void;
}

/** The place of a span. */
export interface SpanPosition {
  readonly traceId: string;
  readonly spanId: string;
}

/** A tracer's decision on an incoming trace. */
export interface ReceivedTrace {
  readonly traceId: string;
  readonly sampled: boolean;
  readonly pending?: PendingTrace | undefined;
  /** The caller's span, if its trace is continued. */
  readonly parentId?: string | undefined;
  readonly link?: SpanPosition | undefined;
}

const NOTHING = '' as ByteString;

/**
 * A trace while its spans are open. Each span record carries its session, and the root carries the other notes. A patch
 * carries notes that no span can.
 */
export class ActiveTrace implements FrameTrace {
  traceId: string;
  /** Whether its spans are captured. They are also sent, unless they are pending. */
  sampled: boolean;
  /** Its held lines, if sampling skipped it and an error may still send it. */
  pending: PendingTrace | undefined;
  /** The test run whose replay made this trace. */
  readonly testRunId: string | undefined;
  /** What that replay does with inner calls. */
  readonly replayedCalls: ReplayedCalls | undefined;
  /** The ended span in whose context this trace began; recorded on its outermost spans. */
  readonly startedBy: SpanPosition | undefined;
  /** The caller's span, if the trace does not continue the caller's; recorded on its outermost spans. */
  link: SpanPosition | undefined;
  /** The request or message of this trace. */
  within: ContextFrame | undefined;
  /** Traces that began in its context after the frame's end. */
  leftBehind = 0;
  /** The session that was set last. */
  session: string | undefined;
  /** The user that was set last. */
  user: string | undefined;

  private recorder: TraceRecorder | undefined;
  private epochOffsetMs = 0;
  private latestUs = -Infinity;
  private openCount = 0;
  private openRoots = 0;
  /** Whether it has spans, here or in another process. Notes before the first span wait for it. */
  protected hasBegun = false;
  private notes: TraceNotes | undefined;

  constructor(start: {
    traceId: string;
    sampled: boolean;
    testRunId?: string | undefined;
    replayedCalls?: ReplayedCalls | undefined;
    pending?: PendingTrace | undefined;
    sessionId?: string | undefined;
    userId?: string | undefined;
    startedBy?: SpanPosition | undefined;
  }) {
    this.traceId = start.traceId;
    this.sampled = start.sampled;
    this.testRunId = start.testRunId;
    this.replayedCalls = start.replayedCalls;
    this.pending = start.pending;
    this.startedBy = start.startedBy;
    this.session = start.sessionId;
    this.user = start.userId;
  }

  /** The trace of work that is not recorded; inside a replay, `replayedCalls` still receives its calls. */
  static unrecorded(replayedCalls: ReplayedCalls | undefined): ActiveTrace {
    return new ActiveTrace({ traceId: newTraceId(realEpochMs()), sampled: false, replayedCalls });
  }

  /**
   * The first recorder to open a span here captures the trace's notes, and sets its zero of time: within a trace,
   * times come from the monotonic clock alone, so a jump of the wall clock never puts a child before its parent.
   */
  joinedBy(recorder: TraceRecorder, clock: Clock, wallMs?: number, nowMs?: number): void {
    if (this.recorder !== undefined) return;
    this.recorder = recorder;
    if (this.sampled && this.notes === undefined) {
      if (this.session !== undefined) this.noting.setLabel('session_id', this.session, recorder.fields);
      if (this.user !== undefined) this.noting.setLabel('user_id', this.user, recorder.fields);
    }
    this.epochOffsetMs = (wallMs ?? clock.wallMs()) - (nowMs ?? clock.monotonicMs());
  }

  spanOpened(span: OpenedCall): void {
    this.hasBegun = true;
    this.openCount++;
    if (span.start.parentId === undefined) this.openRoots++;
    this.replayedCalls?.opened(span);
  }

  spanClosed(span: OpenedCall): void {
    this.openCount--;
    if (span.start.parentId === undefined) this.openRoots--;
    this.replayedCalls?.ended(span);
    if (this.pending !== undefined && this.openCount === 0) this.pending.sampler.release(this.pending);
  }

  /** Whether a span of it is open. */
  get isOpen(): boolean {
    return this.openCount > 0;
  }

  /** Whether other services that join it should record it. */
  get isKept(): boolean {
    return this.sampled && this.pending === undefined;
  }

  epochMs(monotonicMs: number): number {
    return this.epochOffsetMs + monotonicMs;
  }

  /** A moment of another clock, in whole microseconds since the epoch. */
  momentAt(monotonicMs: number): number {
    return Math.floor(this.epochMs(monotonicMs) * 1000);
  }

  /** The current moment, later than all earlier ones: times alone define the order in a trace. */
  nextMoment(monotonicMs: number): number {
    const us = this.momentAt(monotonicMs);
    return (this.latestUs = us > this.latestUs ? us : this.latestUs + 1);
  }

  setSessionId(sessionId: string): void {
    if (typeof sessionId !== 'string' || sessionId.trim() === '') {
      this.recorder?.refuseNote('setSessionId', sessionId);
      return;
    }
    this.session = sessionId.slice(0, LIMITS.labelLength);
    if (this.recorder === undefined || !this.sampled) return;
    this.noting.setLabel('session_id', this.session, this.recorder.fields);
    this.noted();
  }

  /** Rejects ids that are too long, because their beginning may be another user's id. */
  setUserId(userId: string): void {
    if (typeof userId !== 'string' || userId.trim() === '' || userId.length > LIMITS.labelLength) {
      this.recorder?.refuseNote('setUserId', userId);
      return;
    }
    this.user = userId;
    if (this.recorder === undefined || !this.sampled) return;
    this.noting.setLabel('user_id', userId, this.recorder.fields);
    this.noted();
  }

  setTags(tags: readonly string[]): void {
    const { recorder } = this;
    if (recorder === undefined || !this.sampled) return;
    const isWhole = this.noting.addTags(tags, recorder.fields);
    if (!isWhole) recorder.refuseNote('setTags', tags);
    this.noted();
  }

  setMetadata(metadata: JsonLike): void {
    if (!this.takes('setMetadata', metadata) || this.recorder === undefined || !this.sampled) return;
    this.noting.addMetadata(metadata, this.recorder.fields);
    this.noted();
  }

  addContext(context: JsonLike): void {
    if (!this.takes('addContext', context) || this.recorder === undefined || !this.sampled) return;
    this.noting.addContext(context, this.recorder.fields);
    this.noted();
  }

  private get noting(): TraceNotes {
    return (this.notes ??= new TraceNotes());
  }

  private takes(method: string, note: unknown): boolean {
    if (!isJsonLike(note)) this.recorder?.refuseNote(method, note);
    return isJsonLike(note);
  }

  /** Trace facts of a span that ends now, as members of its record. */
  factsFor(span: OpenedCall): ByteString {
    return this.notes?.takeForSpan(span.start.parentId === undefined) ?? NOTHING;
  }

  /** Whether no later span will carry the noted facts, now that this span was sent. */
  needsPatch(span: OpenedCall, isUnfinished: boolean): boolean {
    if (this.notes?.isWaiting !== true) return false;
    return isUnfinished || span.start.parentId === undefined || this.openRoots === 0;
  }

  /** Facts that no span has carried, as the line of a patch; `undefined` without any. */
  takePatch(now: () => string): ByteString | undefined {
    return this.notes?.takePatch(this.traceId, now);
  }

  /** Notes travel with the spans that end next, unless no span is open or the notes are large. */
  private noted(): void {
    const mustLeave = this.hasBegun && this.openCount === 0 && this.pending === undefined;
    if (mustLeave || this.notes?.isLarge === true) this.recorder?.writePatch(this);
  }
}
