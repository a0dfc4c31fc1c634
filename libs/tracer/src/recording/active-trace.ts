import { LIMITS, newTraceId } from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';

import type { Clock } from '../context/clock.js';
import type { ContextFrame, FrameTrace } from '../context/context-storage.js';
import { isJsonLike, type JsonLike } from '../context/current-span.js';
import type { FieldCapture } from './field-capture.js';
import type { OpenedCall, ReplayedCalls } from './replay-scope.js';
import type { PendingTrace } from './tail-sampler.js';

/** What a trace needs of the recorder that opened its first span. */
export interface TraceRecorder {
  readonly fields: FieldCapture;
  refuseNote(method: string, given: unknown): void;
  writePatch(trace: ActiveTrace): void;
}

/** Where a span is. */
export interface SpanPosition {
  readonly traceId: string;
  readonly spanId: string;
}

/** Characters of notes that wait in a trace; more are sent at once. */
const MAX_NOTES_LENGTH = 512 * 1024;

/** A trace while its spans are open. Notes on it wait here until a span of it ends. */
export class ActiveTrace implements FrameTrace {
  readonly traceId: string;
  /** Its spans are captured; they are sent too, unless they are pending. */
  readonly sampled: boolean;
  /** What waits for an error in it, if it was left out by sampling and may still be sent. */
  pending: PendingTrace | undefined;
  /** The test run whose replay made this trace. */
  readonly testRunId: string | undefined;
  /** What that replay does with the calls inside. */
  readonly replayedCalls: ReplayedCalls | undefined;
  /** What left the work of this trace behind when it ended; its outermost spans tell. */
  readonly startedBy: SpanPosition | undefined;
  /** The request or message whose trace this is. */
  within: ContextFrame | undefined;
  /** Traces that began in its context after the frame's end. */
  leftBehind = 0;
  /** The session that was set last. */
  session: string | undefined;

  private recorder: TraceRecorder | undefined;
  private epochOffsetMs = 0;
  private latestUs = -Infinity;
  private openCount = 0;
  private sessionId: string | undefined;
  private metadata: Map<string, string> | undefined;
  private contexts: Map<string, string> | undefined;
  private notesSize = 0;

  constructor(start: {
    traceId: string;
    sampled: boolean;
    testRunId?: string | undefined;
    replayedCalls?: ReplayedCalls | undefined;
    pending?: PendingTrace | undefined;
    sessionId?: string | undefined;
    startedBy?: SpanPosition | undefined;
  }) {
    this.traceId = start.traceId;
    this.sampled = start.sampled;
    this.testRunId = start.testRunId;
    this.replayedCalls = start.replayedCalls;
    this.pending = start.pending;
    this.startedBy = start.startedBy;
    this.session = start.sessionId;
    if (this.sampled) this.sessionId = start.sessionId;
  }

  /** The trace of work of which nothing is recorded; inside a replay, `replayedCalls` hears of its calls still. */
  static unrecorded(replayedCalls: ReplayedCalls | undefined): ActiveTrace {
    return new ActiveTrace({ traceId: newTraceId(Date.now()), sampled: false, replayedCalls });
  }

  /**
   * The first recorder to open a span here captures the trace's notes, and sets its zero of time: within a trace,
   * times come from the monotonic clock alone, so a jump of the wall clock never puts a child before its parent.
   */
  joinedBy(recorder: TraceRecorder, clock: Clock, wallMs?: number, nowMs?: number): void {
    if (this.recorder !== undefined) return;
    this.recorder = recorder;
    this.epochOffsetMs = (wallMs ?? clock.wallMs()) - (nowMs ?? clock.monotonicMs());
  }

  spanOpened(span: OpenedCall): void {
    this.openCount++;
    this.replayedCalls?.opened(span);
  }

  spanClosed(span: OpenedCall): void {
    this.openCount--;
    this.replayedCalls?.ended(span);
    if (this.pending !== undefined && this.openCount === 0) this.pending.sampler.release(this.pending);
  }

  /** Whether a span of it is open. */
  get isOpen(): boolean {
    return this.openCount > 0;
  }

  /** Whether other services that join it are to record it. */
  get isKept(): boolean {
    return this.sampled && this.pending === undefined;
  }

  epochMs(monotonicMs: number): number {
    return this.epochOffsetMs + monotonicMs;
  }

  /** A moment that another clock told, in whole microseconds since the epoch. */
  momentAt(monotonicMs: number): number {
    return Math.floor(this.epochMs(monotonicMs) * 1000);
  }

  /** This moment, later than every one before it: what happened first in a trace is told by the times alone. */
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
    if (!this.sampled) return;
    this.sessionId = this.session;
    this.noted();
  }

  setMetadata(metadata: JsonLike): void {
    if (!this.takes('setMetadata', metadata)) return;
    this.metadata = this.merge(this.metadata, metadata);
    this.noted();
  }

  addContext(context: JsonLike): void {
    if (!this.takes('addContext', context)) return;
    this.contexts = this.merge(this.contexts, context);
    this.noted();
  }

  private takes(method: string, note: unknown): boolean {
    if (!isJsonLike(note)) this.recorder?.refuseNote(method, note);
    return isJsonLike(note);
  }

  /** The notes made since the last time, as the line of a trace patch; `undefined` when there are none. */
  takePatch(): ByteString | undefined {
    if (this.sessionId === undefined && this.metadata === undefined && this.contexts === undefined)
      return undefined;
    let line = `{"trace":{"id":"${this.traceId}"`;
    if (this.sessionId !== undefined)
      line += `,"session_id":${JSON.stringify(this.recorder?.fields.maskText(this.sessionId) ?? this.sessionId)}`;
    if (this.metadata !== undefined) line += `,"metadata":${joinEntries(this.metadata)}`;
    if (this.contexts !== undefined) line += `,"contexts":${joinEntries(this.contexts)}`;
    this.sessionId = this.metadata = this.contexts = undefined;
    this.notesSize = 0;
    return encodeText(`${line}}}`);
  }

  /** Notes travel with the next span that ends, unless none is open to take them along, or they grow large. */
  private noted(): void {
    const mustLeave = this.openCount === 0 && this.pending === undefined;
    if (mustLeave || this.notesSize > MAX_NOTES_LENGTH) this.recorder?.writePatch(this);
  }

  private merge(entries: Map<string, string> | undefined, note: JsonLike): Map<string, string> | undefined {
    if (this.recorder === undefined || !this.sampled) return entries;
    const captured = this.recorder.fields.captureEntries(note);
    if (captured.length === 0) return entries;
    const merged = entries ?? new Map<string, string>();
    for (const [key, json] of captured) {
      const before = merged.get(key);
      this.notesSize += before === undefined ? key.length + json.length : json.length - before.length;
      merged.set(key, json);
    }
    return merged;
  }
}

function joinEntries(entries: ReadonlyMap<string, string>): string {
  return `{${Array.from(entries, ([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`;
}
