import { newSpanId, newTraceId, type SpanStatus } from '@dacapo/protocol';
import { type ByteString, encodeText } from '../byte-string.js';
import type { Captured } from '../capture/captured.js';
import type { Capturer } from '../capture/capturer.js';
import type { Clock } from '../context/clock.js';
import { currentExternalIds } from '../context/external-context.js';
import type { GivenScore, ScoreTarget } from '../context/given-score.js';
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
import type { OpenSpans } from './open-spans.js';
import { adoptsNothing, currentRecordingFrame, type RecordingFrame } from './recording-frame.js';
import type { ReplayScope } from './replay-scope.js';
import { writeScoreLine } from './score-line.js';
import type { SpanDefinition } from './span-definition.js';
import { writeSpanLine } from './span-line.js';
import { SpanTimer } from './span-timer.js';
import type { TailSampler } from './tail-sampler.js';

export interface RecorderParts {
  readonly capturer: Capturer;
  readonly sink: RecordSink;
  readonly clock: Clock;
  /** Share of traces that are recorded, 0 to 1. */
  readonly sampleRate: number;
  /** Given: traces that `sampleRate` leaves out are sent if they hold an error. */
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

  constructor(private readonly parts: RecorderParts) {
    this.timer = new SpanTimer(parts.clock);
    this.deployment = writeDeployment(parts);
    this.incoming = new IncomingPolicy(parts.incoming, this);
    this.lateWork = new LateWork(parts.warn);
    this.fields = new FieldCapture(parts.capturer, (doing, cause) => {
      this.failed(doing, cause);
    });
  }

  /**
   * Opens a span in the current frame: a child of the open one, or the root of a new trace.
   *
   * @param at where and when instead, for a span that is opened after its work began
   * @returns `undefined` when recording failed, and for what a hook, a codec or a toJSON calls, which might be recorded
   * without end; the call goes on without a span.
   */
  open(definition: SpanDefinition, args: readonly unknown[], at?: SpanOrigin): ActiveSpan | undefined {
    if (this.parts.capturer.isCapturing) return undefined;
    try {
      const { clock, openSpans } = this.parts;
      const around = at === undefined ? currentRecordingFrame() : at.frame;
      const startedMs = at?.startedMs ?? clock.monotonicMs();
      const trace = this.join(around, undefined, at === undefined ? startedMs : undefined);
      const frame = adoptsNothing(around) ? undefined : around;
      const replay = frame?.replay?.key === definition.key ? frame.replay : undefined;
      const isFirst = frame?.span?.hasChildren !== true;
      frame?.joined?.();
      const spanId = newSpanId();
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
   * The trace of a frame; a new one when it has none or is over, under `traceId` if that is given.
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

  /** A trace that is continued is recorded if the caller's is; of others the `sampleRate` decides. */
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

  /** Opens a span that began elsewhere: its ids, place and start are given. */
  openExternal(start: ExternalSpanStart): ActiveSpan {
    const startedUs = start.trace.momentAt(start.startedMs);
    const span = new ActiveSpan({ ...start, startedUs, recorder: this, sourceSpanId: undefined }, undefined);
    span.trace.spanOpened(span);
    if (span.trace.sampled) this.parts.openSpans.add(span);
    return span;
  }

  /** A second span for the same call: same place, same input, a start of its own. */
  reopen(span: ActiveSpan, input: Captured | undefined): ActiveSpan {
    const startedMs = this.parts.clock.monotonicMs();
    const startedUs = span.trace.nextMoment(startedMs);
    const again = new ActiveSpan({ ...span.start, spanId: newSpanId(), startedMs, startedUs }, input);
    again.isSync = span.isSync;
    again.isMocked = span.isMocked;
    again.mockedFrom = span.mockedFrom;
    again.isContinued = span.isContinued;
    again.trace.spanOpened(again);
    if (again.trace.sampled) this.parts.openSpans.add(again);
    return again;
  }

  /** Now, on the clock that spans are measured by. */
  nowMs(): number {
    return this.parts.clock.monotonicMs();
  }

  /** What `work` gives; `undefined` when it throws, which is reported. For code that the application gave. */
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
      if (media?.isUsed === true) for (const record of media.linesFor(trace, line)) this.note(trace, record);
      this.send(span, status, line);
    } catch (failure) {
      this.failed('writing a span', failure);
    }
  }

  private send(span: ActiveSpan, status: SpanStatus, line: ByteString): void {
    const { sink, tailSampler } = this.parts;
    const { trace } = span;
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

  /** Sends a line that belongs to a trace; one that waits for an error takes it along. */
  private note(trace: ActiveTrace, line: ByteString): void {
    const { sink, tailSampler } = this.parts;
    if (trace.pending === undefined) sink.add(line);
    else if (trace.pending.sampler === tailSampler) tailSampler.hold(trace.pending, line);
  }

  closed(span: ActiveSpan): void {
    this.parts.openSpans.delete(span);
    span.trace.spanClosed(span);
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

  scoreSpan({ trace, spanId }: ActiveSpan, score: GivenScore): void {
    // Of a trace that is not recorded there is nothing to score.
    if (!trace.sampled || (trace.pending !== undefined && !trace.isOpen)) return;
    this.guard('score', () => {
      this.note(trace, this.scoreLine({ traceId: trace.traceId, spanId }, score));
    });
  }

  /** Sends a score of whatever is stored. Never throws: what cannot be sent is reported. */
  score(target: ScoreTarget, score: GivenScore): void {
    this.guard('score', () => {
      this.parts.sink.add(this.scoreLine(target, score));
    });
  }

  private scoreLine(target: ScoreTarget, score: GivenScore): ByteString {
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

function writeDeployment({ capturer, environment, release }: RecorderParts): ByteString {
  const members = Object.entries({ environment, release }).map(([name, text]) =>
    text === undefined ? '' : `,"${name}":${JSON.stringify(capturer.maskText(text))}`,
  );
  return encodeText(members.join(''));
}
