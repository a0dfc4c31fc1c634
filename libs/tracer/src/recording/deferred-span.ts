import { type ContextFrame, contextStorage, enteredFrame, reenterFrame } from '../context/context-storage.js';
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

/** The span of a piece of work, described when something inside needs it. */
export interface DeferredSpanDescription {
  /** With `onlyWithChildren`, so that a note on the trace alone does not write it. */
  readonly definition: SpanDefinition;
  readonly input?: readonly unknown[];
}

/** Work that may hold traced calls, such as a request. */
export interface DeferredWork {
  /** What came in with it: its `traceparent` is linked, continued or ignored. */
  readonly carrier?: Carrier | undefined;
  readonly origin?: IncomingOrigin | undefined;
  /**
   * Whether nothing of it runs any more; asked when a span is opened inside. Absent: from `succeed`, `fail` or `cancel`
   * on. A request whose client left is answered, and its handler may still run.
   */
  readonly isOver?: boolean;
  /** Whether it may be left behind by the work in whose context it is made, if that is over; absent: it is not. */
  readonly isLeftBehind?: boolean;
  /**
   * Called once, when a span is opened inside or the current span or trace is asked for, be it after the end.
   *
   * `excluded`: nothing inside is recorded, nor what it leaves behind. `no span`: it is a trace without a span of its own.
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

/** A tracer, as far as frames of work need one. */
interface RecordingTracer {
  withRecorder<T>(use: (recorder: Recorder) => T): T | undefined;
}

/** A frame for work that may hold traced calls, such as a request; `undefined` while tracing is off. */
export function deferSpan(tracer: RecordingTracer, work: DeferredWork): DeferredSpan | undefined {
  return tracer.withRecorder((recorder) => new DeferredSpan(recorder, work));
}

/** Marks these frames, whichever build of this package made them. */
const DEFERRED = Symbol.for('@dacapo/deferred-span');

/** How the work ended, kept for a span that is opened after it. */
interface Ending {
  readonly endedMs: number;
  readonly endSpan: (span: ActiveSpan) => void;
}

/**
 * The frame of a piece of work whose span opens with the first span inside, with the start of the work: a server traces
 * its requests at next to no cost while nothing in them is traced.
 *
 * It starts a trace, or continues that of its carrier if that is trusted, wherever it is made; inside a replay it is part of that. What it
 * leaves behind when it is over starts a trace of its own, which tells by whom it was started: then the span is written
 * too, with the end that it had.
 */
export class DeferredSpan implements RecordingFrame {
  readonly [DEFERRED] = true;

  /** What the work failed with, noted where it is known, for whoever ends the span. */
  failure: unknown;

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

  /** Where calls to other services belong. A span that may never be written is no parent: then, the trace that is continued. */
  get outgoing(): RecordingFrame | undefined {
    return this.opened?.span?.hasChildren === true ? this.opened.span : this.incoming;
  }

  /** Of what came in; `undefined` if nothing valid did. */
  private get incoming(): RecordingFrame | undefined {
    this.received ??= {
      frame: this.recorder.guard('reading what a request carries', () => {
        const frame = incomingFrame(this.work.carrier, this.work.origin ?? {});
        if (frame !== undefined) this.recorder.join(frame);
        return frame;
      }),
    };
    return this.received.frame;
  }

  /** Runs `fn` inside. */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return contextStorage.run(this, fn, ...args);
  }

  /** The frame that the code which calls this runs in, if it is one of these and no span was opened inside. */
  static current(): DeferredSpan | undefined {
    const frame = enteredFrame();
    return frame !== undefined && DEFERRED in frame ? (frame as DeferredSpan) : undefined;
  }

  /**
   * Runs `fn` inside, where the code that calls this is not: it may run in the context of other work. After the end, what it
   * calls is a trace of its own in the same session.
   */
  enter<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return this.isEntered ? fn(...args) : contextStorage.run(this.entry, fn, ...args);
  }

  /** Whether the code that asks runs inside. */
  get isEntered(): boolean {
    return DeferredSpan.entered() === this;
  }

  /** The one that the running code is inside; `undefined` outside, and in what it left behind. */
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
    // Excluded work records nothing, nor does what it leaves behind.
    return this.position.span !== undefined;
  }

  /** Calls `note` inside the frame once the span is open: at once, later, or never. Failures of it are reported. */
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

  /** Ends it as `cancelled`: whoever asked for the work went away. */
  cancel(output?: unknown): void {
    this.end((span) => {
      span.finish('cancelled', this.recorder.fields.captureOutput(span.start.definition, output));
    });
  }

  /**
   * A span was opened inside, or by what the work left behind: the span of the work is written, now if it has ended.
   *
   * @internal
   */
  joined(): void {
    const span = this.position === this.around ? undefined : this.position.span;
    if (span === undefined) return;
    span.hasChildren = true;
    this.write(span);
  }

  /** The work ends about now, of which `succeed`, `fail` or `cancel` may tell later if nothing was opened inside. */
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
