import { type ContextFrame, contextStorage, enteredFrame, reenterFrame } from '../context/context-storage.js';
import { currentExternalIds } from '../context/external-context.js';
import type { Carrier } from '../options/incoming-option.js';
import type { ActiveSpan } from './active-span.js';
import { ActiveTrace } from './active-trace.js';
import type { IncomingOrigin } from './incoming-policy.js';
import { incomingFrame } from './incoming-trace.js';
import type { Recorder } from './recorder.js';
import {
  adoptsNothing,
  currentRecordingFrame,
  currentReplayFrame,
  type RecordingFrame,
  findReplayedCalls,
} from './recording-frame.js';
import type { ReplayScope } from './replay-scope.js';
import type { SpanDefinition } from './span-definition.js';

/** Describes the span of a piece of work. Requested only when a call inside needs the span. */
export interface DeferredSpanDescription {
  /** With `onlyWithChildren`, so that a note on the trace does not write it. */
  readonly definition: SpanDefinition;
  readonly input?: readonly unknown[];
}

/** Work that may hold traced calls, such as a request. */
export interface DeferredWork {
  /** Its incoming headers: the `traceparent` is linked, continued or ignored. */
  readonly carrier?: Carrier | undefined;
  readonly origin?: IncomingOrigin | undefined;
  /**
   * Whether the work has completely ended; read when a span opens inside. Default: true after `succeed`, `fail` or `cancel`. After a
   * client disconnects, for example, the handler may still run.
   */
  readonly isOver?: boolean;
  /** Whether the work that created it may have ended. Default: false. */
  readonly isLeftBehind?: boolean;
  /**
   * Called at most once, when a span opens inside or code inside reads the current span or trace, possibly after the end.
   *
   * `excluded`: nothing inside is recorded, nor anything that still runs afterwards. `no span`: the work is a trace without its own span.
   */
  describe(): DeferredSpanDescription | 'excluded' | 'no span';
}

interface Position {
  readonly trace: ActiveTrace | undefined;
  readonly span: ActiveSpan | undefined;
  readonly parentId: string | undefined;
  /** Nothing in it is recorded. */
  readonly isExcluded?: boolean;
}

const NOWHERE: Position = { trace: undefined, span: undefined, parentId: undefined };

function isRecorded({ trace, isExcluded }: Position): boolean {
  return trace !== undefined && isExcluded !== true;
}

/** The part of a tracer that a deferred span uses. */
interface RecordingTracer {
  withRecorder<T>(use: (recorder: Recorder) => T): T | undefined;
}

/** Creates a frame for work that may contain traced calls, such as a request; `undefined` while tracing is off. */
export function deferSpan(tracer: RecordingTracer, work: DeferredWork): DeferredSpan | undefined {
  return tracer.withRecorder((recorder) => new DeferredSpan(recorder, work));
}

/** Marks these frames, whichever build of this package made them. */
const DEFERRED = Symbol.for('@dacapo/deferred-span');

/** How the work ended, kept for a span that is opened later. */
interface Ending {
  readonly endedMs: number;
  readonly endSpan: (span: ActiveSpan) => void;
}

/**
 * The frame of a piece of work. Its span opens together with the first span inside, but starts when the work started. Requests without
 * traced calls therefore cost next to nothing.
 *
 * The frame starts a trace, or continues its carrier's trace if that is trusted. Inside a replay, it belongs to the replay. Code that
 * still runs after the end starts a new trace, which refers to this span; the span is then written too, with its original end.
 */
export class DeferredSpan implements RecordingFrame {
  readonly [DEFERRED] = true;

  /** The error of the work, noted where it is known, for the code that ends the span. */
  failure: unknown;

  /** @internal */
  readonly externalIds = currentExternalIds();
  private readonly startedMs: number;
  private readonly around = currentReplayFrame();
  private readonly leftBehindBy: RecordingFrame | undefined;
  private opened: Position | undefined;
  private received: { readonly frame: RecordingFrame | undefined } | undefined;
  private openedCallbacks: (() => void)[] | undefined;
  private ending: Ending | undefined;
  private notedEndMs: number | undefined;
  private isWritten = false;

  /** @internal */
  constructor(
    private readonly recorder: Recorder,
    readonly work: DeferredWork,
  ) {
    this.startedMs = recorder.nowMs();
    const frame = work.isLeftBehind === true ? currentRecordingFrame() : undefined;
    this.leftBehindBy = adoptsNothing(frame) ? frame : undefined;
  }

  /** @internal */
  get replay(): ReplayScope | undefined {
    return this.around?.replay;
  }

  get isInReplay(): boolean {
    return this.around !== undefined;
  }

  /** @internal */
  get span(): ActiveSpan | undefined {
    return this.position.span;
  }

  /** @internal */
  get trace(): ActiveTrace | undefined {
    return this.position.trace;
  }

  get parentId(): string | undefined {
    return this.position.parentId;
  }

  /** The parent for calls to other services: the span if it will be written, otherwise the continued trace. */
  get outgoing(): RecordingFrame | undefined {
    return this.opened?.span?.hasChildren === true ? this.opened.span : this.incoming;
  }

  /** The incoming trace context; `undefined` without a valid one. */
  private get incoming(): RecordingFrame | undefined {
    this.received ??= {
      frame: this.recorder.guard('reading the trace context of a request', () => {
        const frame = incomingFrame(this.work.carrier, this.work.origin ?? {});
        if (frame !== undefined) this.recorder.join(frame);
        return frame;
      }),
    };
    return this.received.frame;
  }

  /** Runs `fn` inside the frame. */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return contextStorage.run(this, fn, ...args);
  }

  /** The frame of the calling code, if it is a deferred one without a span inside. */
  static current(): DeferredSpan | undefined {
    const frame = enteredFrame();
    return frame !== undefined && DEFERRED in frame ? (frame as DeferredSpan) : undefined;
  }

  /**
   * Runs `fn` inside the frame, even if the calling code runs in the context of other work. After the end, calls in `fn` start a new
   * trace in the same session.
   */
  enter<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return this.isEntered ? fn(...args) : contextStorage.run(this.entry, fn, ...args);
  }

  /** Whether the calling code runs inside. */
  get isEntered(): boolean {
    return DeferredSpan.entered() === this;
  }

  /** The frame of the running code; `undefined` outside, and in code that runs after its end. */
  static entered(): DeferredSpan | undefined {
    const frame = enteredFrame();
    if (frame === undefined) return undefined;
    const span = frame.reentered ?? (frame.isOver === true ? undefined : frame.within);
    return span !== undefined && DEFERRED in span ? (span as DeferredSpan) : undefined;
  }

  private get entry(): ContextFrame {
    return this.isOver ? reenterFrame(this) : this;
  }

  /** @internal */
  get within(): this {
    return this;
  }

  get isOver(): boolean {
    if (!(this.work.isOver ?? this.ending !== undefined)) return false;
    // Excluded work records nothing, and neither does code that runs after its end.
    return this.position.span !== undefined;
  }

  /** Calls `note` inside the frame when the span is open: now, later, or never. Reports its failures. */
  whenOpened(note: () => void): void {
    const callback = (): void => {
      this.recorder.guard('noting on a request', () => {
        contextStorage.run(this.entry, note);
      });
    };
    if (this.opened !== undefined && isRecorded(this.opened)) callback();
    else (this.openedCallbacks ??= []).push(callback);
  }

  succeed(output?: unknown): void {
    this.end((span) => {
      span.succeed(output);
    });
  }

  fail(error: unknown, output?: unknown): void {
    this.end((span) => {
      span.fail(error, this.recorder.fields.captureOutput(span.start.definition, output));
    });
  }

  /** Ends it as `cancelled`, because the client disconnected. */
  cancel(output?: unknown): void {
    this.end((span) => {
      span.finish('cancelled', this.recorder.fields.captureOutput(span.start.definition, output));
    });
  }

  /**
   * Called when a span opens inside, or in code that runs after the end. The span of the work is then written: now, or at its end.
   *
   * @internal
   */
  joined(): void {
    const span = this.position === this.around ? undefined : this.position.span;
    if (span === undefined) return;
    span.hasChildren = true;
    this.write(span);
  }

  /** Notes the time of the end. `succeed`, `fail` or `cancel` may follow later if no span opened inside. */
  noteEnd(): void {
    this.notedEndMs ??= this.recorder.nowMs();
  }

  private end(endSpan: Ending['endSpan']): void {
    if (this.ending !== undefined) return;
    const notedMs = this.opened === undefined ? this.notedEndMs : undefined;
    this.ending = { endSpan, endedMs: notedMs ?? this.recorder.nowMs() };
    const span = this.opened?.span;
    if (span === undefined || this.opened === this.around) return;
    if (span.hasChildren) this.write(span);
    else this.recorder.suspend(span);
  }

  private write(span: ActiveSpan): void {
    if (this.ending === undefined || this.isWritten) return;
    this.isWritten = true;
    span.endedMs = this.ending.endedMs;
    this.ending.endSpan(span);
  }

  private get position(): Position {
    if (this.opened === undefined) {
      this.opened = this.open() ?? this.around ?? NOWHERE;
      if (this.opened === this.around) return this.opened;
      if (this.opened.trace !== undefined) this.opened.trace.within = this;
      if (isRecorded(this.opened)) for (const callback of this.openedCallbacks ?? []) callback();
    }
    return this.opened;
  }

  private open(): Position | undefined {
    const description = this.recorder.guard('describing a request', () => this.work.describe());
    if (description === undefined) return undefined;
    if (description === 'excluded') {
      const trace = ActiveTrace.unrecorded(findReplayedCalls(this.around));
      return { trace, span: undefined, parentId: undefined, isExcluded: true };
    }
    const frame = this.around ?? this.incoming ?? this.leftBehindBy;
    if (description === 'no span') {
      const parentId = adoptsNothing(frame) ? undefined : frame?.parentId;
      return { trace: this.recorder.join(frame), span: undefined, parentId };
    }
    const { definition, input = [] } = description;
    const span = this.recorder.open(definition, input, { frame, startedMs: this.startedMs });
    return { trace: span?.trace, span, parentId: span?.spanId };
  }
}
