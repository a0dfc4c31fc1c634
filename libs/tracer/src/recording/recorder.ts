import { newSpanId, newTraceId, type SpanStatus } from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import type { Clock } from '../context/clock.js';
import { currentExternalIds } from '../context/external-context.js';
import type { ScoreInput, ScoreTarget } from '../context/score-input.js';
import type { RecordSink } from '../delivery/record-sink.js';
import type { ErrorReporter } from '../diagnostics/error-reporter.js';
import type { IncomingOption } from '../options/incoming-option.js';
import { ActiveSpan, type ExternalSpanStart, type SpanRecorder } from './active-span.js';
import { ActiveTrace, type ReceivedTrace, type TraceRecorder } from './active-trace.js';
import { BranchPosition } from './branch-position.js';
import { InvalidNoteError, describeKind, RecordingError } from './errors.js';
import { FieldCapture } from './field-capture.js';
import { IncomingPolicy, type IncomingWork } from './incoming-policy.js';
import { LateWork, type LeftBehind } from './late-work.js';
import { Mirroring } from './mirroring.js';
import type { OpenSpans } from './open-spans.js';
import {
  adoptsNothing,
  currentRecordingFrame,
  currentReplayFrame,
  findReplayedCalls,
  type RecordingFrame,
} from './recording-frame.js';
import type { ReplayedCalls, ReplayScope } from './replay-scope.js';
import { writeScoreLine } from './score-line.js';
import type { SpanDefinition } from './span-definition.js';
import { writeSpanLine } from './span-line.js';
import { spanMirror } from './span-mirror.js';
import { SpanTimer } from './span-timer.js';
import type { TailSampler } from './tail-sampler.js';

export interface RecorderParts {
  readonly capturer: Capturer;
  readonly sink: RecordSink;
  readonly clock: Clock;
  /** Share of traces that are recorded, 0 to 1. */
  readonly sampleRate: number;
  /** Sends traces that `sampleRate` skips if they contain an error. Absent: they are dropped. */
  readonly tailSampler: TailSampler | undefined;
  readonly incoming: IncomingOption | undefined;
  readonly environment?: string | undefined;
  readonly release?: string | undefined;
  readonly openSpans: OpenSpans;
  readonly reporter: ErrorReporter;
  readonly warn: (message: string) => void;
}

export interface SpanOrigin {
  readonly frame: RecordingFrame | undefined;
  readonly startedMs: number;
}

/** Opens spans where they are called and writes them where they end. Nothing here throws into the caller. */
export class Recorder implements SpanRecorder, TraceRecorder {
  readonly fields: FieldCapture;
  readonly deployment: ByteString;
  private readonly timer: SpanTimer;
  private readonly incoming: IncomingPolicy;
  private readonly lateWork: LateWork;
  private readonly mirroring: Mirroring;

  constructor(private readonly parts: RecorderParts) {
    this.timer = new SpanTimer(parts.clock);
    this.deployment = writeDeployment(parts);
    this.incoming = new IncomingPolicy(parts.incoming, this);
    this.lateWork = new LateWork(parts.warn);
    this.mirroring = new Mirroring(this, parts.clock);
    this.fields = new FieldCapture(parts.capturer, (doing, cause) => {
      this.failed(doing, cause);
    });
  }

  /**
   * Opens a span in the current frame: a child of the open one, or the root of a new trace.
   *
   * @param at another place and start, for a span that is opened after its work began
   * @returns `undefined` if recording failed, and for calls of a hook, a codec or a toJSON, which could recurse
   * forever. The call then runs without a span.
   */
  open(definition: SpanDefinition, args: readonly unknown[], at?: SpanOrigin): ActiveSpan | undefined {
    if (this.parts.capturer.isCapturing) return undefined;
    try {
      const { clock, openSpans } = this.parts;
      const around = at === undefined ? currentRecordingFrame() : at.frame;
      const startedMs = at?.startedMs ?? clock.monotonicMs();
      const mirrored = spanMirror.current && this.mirroring.open(around, definition, startedMs);
      const newTraceId = around === undefined ? mirrored?.newTraceId : undefined;
      const trace = this.join(around, newTraceId, at === undefined ? startedMs : undefined);
      const frame = adoptsNothing(around) ? undefined : around;
      const replay = frame?.replay?.key === definition.key ? frame.replay : undefined;
      const isFirst = frame?.span?.hasChildren !== true;
      frame?.joined?.();
      const spanId = mirrored?.spanId ?? newSpanId();
      const isOrdered = at === undefined && frame !== undefined && trace.sampled;
      const position = isOrdered ? BranchPosition.advance(frame, spanId) : undefined;
      const span = new ActiveSpan(
        {
          recorder: this,
          definition,
          trace,
          spanId,
          parentId: frame?.parentId,
          position,
          isFirst,
          startedMs,
          startedUs: at === undefined ? trace.nextMoment(startedMs) : trace.momentAt(startedMs),
          externalIds: currentExternalIds(),
          sourceSpanId: replay?.sourceSpanId,
          isReplayRoot: replay !== undefined,
          hasRemoteParent: frame?.span === undefined && frame?.parentId !== undefined,
        },
        trace.sampled || trace.replayedCalls !== undefined
          ? this.fields.captureInput(definition, args)
          : undefined,
      );
      mirrored?.accompany(span);
      if (replay !== undefined)
        replay.started ??= { traceId: trace.traceId, spanId: span.spanId, definition };
      trace.spanOpened(span);
      if (trace.sampled) openSpans.add(span);
      return span;
    } catch (error) {
      this.failed('opening a span', error);
      return undefined;
    }
  }

  /**
   * Returns the trace of a frame. If the frame has none or has ended, starts a new one, with `traceId` if given.
   *
   * @param nowMs the monotonic clock, if it was read just before
   */
  join(frame: RecordingFrame | undefined, traceId?: string, nowMs?: number): ActiveTrace {
    if (frame !== undefined && adoptsNothing(frame))
      return this.begin(traceId, nowMs, undefined, this.lateWork.leave(frame));
    const trace = frame?.trace;
    if (trace === undefined) return this.begin(traceId, nowMs, frame?.replay);
    trace.joinedBy(this, this.parts.clock);
    return trace;
  }

  private begin(
    traceId: string | undefined,
    nowMs: number | undefined,
    replay: ReplayScope | undefined,
    leftBehind?: LeftBehind,
  ): ActiveTrace {
    const wallMs = this.parts.clock.wallMs();
    const trace = new ActiveTrace({
      traceId: traceId ?? newTraceId(Math.floor(wallMs)),
      ...this.sample(replay !== undefined),
      testRunId: replay?.testRunId,
      replayedCalls: replay?.calls,
      ...leftBehind,
    });
    trace.joinedBy(this, this.parts.clock, wallMs, nowMs);
    return trace;
  }

  private sample(isReplayed: boolean): Pick<ReceivedTrace, 'sampled' | 'pending'> {
    const { sampleRate, tailSampler } = this.parts;
    const isKept = isReplayed || sampleRate >= 1 || Math.random() < sampleRate;
    return {
      sampled: isKept || tailSampler !== undefined,
      pending: isKept ? undefined : tailSampler?.begin(),
    };
  }

  /** A continued trace is recorded if the caller's is; for others `sampleRate` decides. */
  receive(work: IncomingWork): ReceivedTrace {
    const mode = this.incoming.modeFor(work);
    const { traceId, spanId, sampled } = work.parent;
    if (mode === 'continue') return { traceId, parentId: spanId, sampled };
    return {
      traceId: newTraceId(Math.floor(this.parts.clock.wallMs())),
      ...this.sample(false),
      link: mode === 'link' ? { traceId, spanId } : undefined,
    };
  }

  /** Opens a span with given ids, place and start. */
  openExternal(start: ExternalSpanStart): ActiveSpan {
    const startedUs = start.trace.momentAt(start.startedMs);
    const span = new ActiveSpan({ ...start, startedUs, recorder: this, sourceSpanId: undefined }, undefined);
    this.mirroring.openFor(span)?.accompany(span);
    span.trace.spanOpened(span);
    if (span.trace.sampled) this.parts.openSpans.add(span);
    return span;
  }

  /** Opens a second span for the same call: same place and input, new start. */
  reopen(span: ActiveSpan, input: Captured | undefined): ActiveSpan {
    const startedMs = this.parts.clock.monotonicMs();
    const startedUs = span.trace.nextMoment(startedMs);
    const mirrored = this.mirroring.openFor(span);
    const spanId = mirrored?.spanId ?? newSpanId();
    const again = new ActiveSpan({ ...span.start, spanId, startedMs, startedUs }, input);
    mirrored?.accompany(again);
    again.isSync = span.isSync;
    again.isMocked = span.isMocked;
    again.mockedFrom = span.mockedFrom;
    again.isContinued = span.isContinued;
    again.trace.spanOpened(again);
    if (again.trace.sampled) this.parts.openSpans.add(again);
    return again;
  }

  /** The current time on the clock that measures spans. */
  nowMs(): number {
    return this.parts.clock.monotonicMs();
  }

  /** Returns the result of `work`; reports its error and then returns `undefined`. For hooks of the application. */
  guard<T>(doing: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.failed(doing, error);
      return undefined;
    }
  }

  get isFull(): boolean {
    return this.parts.openSpans.isFull;
  }

  held(span: ActiveSpan, bytes: number): void {
    this.parts.openSpans.grow(span, bytes);
  }

  /** Milliseconds since the span began. */
  elapsedMs(span: ActiveSpan): number {
    return this.timer.elapsedMs(span);
  }

  write(
    span: ActiveSpan,
    status: SpanStatus,
    output: Captured | undefined,
    error: ByteString | undefined,
  ): void {
    try {
      const line = writeSpanLine(span, status, this.timer.measureTimes(span, status), output, error);
      const { trace } = span;
      trace.replayedCalls?.written(line);
      const { media } = this.parts.capturer;
      if (media?.isUsed === true)
        for (const record of media.linesFor(trace, line, trace.replayedCalls?.keep !== undefined))
          this.note(trace, record);
      this.send(span, status, line);
      if (span.mirrored !== undefined) this.mirroring.written(span, line, status);
    } catch (failure) {
      this.failed('writing a span', failure);
    }
  }

  private send(span: ActiveSpan, status: SpanStatus, line: ByteString): void {
    const { sink, tailSampler } = this.parts;
    const { trace } = span;
    if (isKept(trace.replayedCalls, line)) return;
    const { pending } = trace;
    if (pending !== undefined) {
      if (pending.sampler !== tailSampler) return;
      if (status !== 'error') {
        tailSampler.hold(pending, line);
        return;
      }
      for (const held of tailSampler.release(pending)) sink.add(held);
      trace.pending = undefined;
    }
    sink.add(line);
    if (trace.needsPatch(span, status === 'unfinished')) this.writePatch(trace);
  }

  writePatch(trace: ActiveTrace): void {
    const patch = trace.takePatch(() => this.timer.nextTimestamp(trace));
    if (patch !== undefined) this.note(trace, patch);
  }

  /** Sends a line of a trace, or holds it while the trace waits for an error. */
  private note(trace: ActiveTrace, line: ByteString): void {
    if (isKept(trace.replayedCalls, line)) return;
    const { sink, tailSampler } = this.parts;
    if (trace.pending === undefined) sink.add(line);
    else if (trace.pending.sampler === tailSampler) tailSampler.hold(trace.pending, line);
  }

  closed(span: ActiveSpan): void {
    this.parts.openSpans.delete(span);
    span.trace.spanClosed(span);
    if (span.mirrored !== undefined) this.mirroring.closed(span);
  }

  suspend(span: ActiveSpan): void {
    if (!span.hasChildren) this.parts.openSpans.delete(span);
  }

  resume(span: ActiveSpan): void {
    if (span.isRecording && !span.hasChildren) this.parts.openSpans.add(span);
  }

  refuseNote(method: string, value: unknown): void {
    this.failed(method, new InvalidNoteError(method, describeKind(value)));
  }

  scoreSpan({ trace, spanId }: ActiveSpan, score: ScoreInput): void {
    // A trace that is not recorded cannot be scored.
    if (!trace.sampled || (trace.pending !== undefined && !trace.isOpen)) return;
    this.guard('score', () => {
      this.note(trace, this.scoreLine({ traceId: trace.traceId, spanId }, score));
    });
  }

  /** Sends a score of stored data. Never throws: invalid scores are reported. */
  score(target: ScoreTarget, score: ScoreInput): void {
    this.guard('score', () => {
      const line = this.scoreLine(target, score);
      if (!isKept(findReplayedCalls(currentReplayFrame()), line)) this.parts.sink.add(line);
    });
  }

  private scoreLine(target: ScoreTarget, score: ScoreInput): ByteString {
    return writeScoreLine(target, score, this.fields, this.parts.clock.wallMs());
  }

  warn(message: string): void {
    this.parts.warn(message);
  }

  failed(doing: string, cause: unknown): void {
    const { reporter } = this.parts;
    if (cause instanceof InvalidNoteError) reporter.report(cause, `note ${cause.method}`);
    else reporter.report(new RecordingError(doing, cause));
  }
}

/** Gives a record to the replay that takes its calls' records. @returns whether there is one */
function isKept(calls: ReplayedCalls | undefined, line: ByteString): boolean {
  if (calls?.keep === undefined) return false;
  calls.keep(line);
  return true;
}

function writeDeployment({ capturer, environment, release }: RecorderParts): ByteString {
  const members = Object.entries({ environment, release }).map(([name, text]) =>
    text === undefined ? '' : `,"${name}":${JSON.stringify(capturer.maskText(text))}`,
  );
  return encodeText(members.join(''));
}
