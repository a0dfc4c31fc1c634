import { contextStorage } from '../context/context-storage.js';
import type { Carrier } from '../context/propagation.js';
import type { ActiveSpan } from './active-span.js';
import { ActiveTrace } from './active-trace.js';
import type { Recorder } from './recorder.js';
import { currentReplayFrame, type RecordingFrame, replayedCallsOf } from './recording-frame.js';
import type { ReplayScope } from './replay-scope.js';
import type { SpanDefinition } from './span-definition.js';
import { remoteFrame } from './trace-context.js';

/** The span of a piece of work, described when something inside needs it. */
export interface DeferredSpanDescription {
  /** With `onlyWithChildren`, so that a note on the trace alone does not write it. */
  readonly definition: SpanDefinition;
  readonly input?: readonly unknown[];
}

/** Work that may hold traced calls, such as a request. */
export interface DeferredWork {
  /** What came in with it: its `traceparent` is the parent. */
  readonly carrier?: Carrier | undefined;
  /**
   * Called when a span is opened inside, or the current span or trace is asked for.
   *
   * `excluded`: nothing inside is recorded. `over`: the work has ended, so what is opened now starts a trace of its own.
   */
  describe(): DeferredSpanDescription | 'excluded' | 'over';
}

interface Position {
  readonly trace: ActiveTrace | undefined;
  readonly span: ActiveSpan | undefined;
}

const NOWHERE: Position = { trace: undefined, span: undefined };

/**
 * The frame of a piece of work whose span opens with the first span inside, with the start of the work: a server traces
 * its requests at next to no cost while nothing in them is traced.
 *
 * It starts a trace, or continues that of its carrier, wherever it is made; inside a replay it is part of that.
 */
export class DeferredSpan implements RecordingFrame {
  /** What the work failed with, noted where it is known, for whoever ends the span. */
  failure: unknown;

  private readonly startedMs: number;
  private readonly around = currentReplayFrame();
  private opened: Position | undefined;
  private openedCallbacks: (() => void)[] | undefined;

  /** @internal */
  constructor(
    private readonly recorder: Recorder,
    private readonly work: DeferredWork,
  ) {
    this.startedMs = recorder.nowMs();
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
    return this.position.span?.spanId;
  }

  /** Where calls to other services belong. A span that may never be written is no parent: then, what came in. */
  get outgoing(): RecordingFrame | undefined {
    return this.opened?.span?.hasChildren === true ? this.opened.span : this.remote;
  }

  private get remote(): RecordingFrame | undefined {
    return this.recorder.guard('reading what a request carries', () => remoteFrame(this.work.carrier));
  }

  /** Runs `fn` inside. */
  run<A extends unknown[], R>(fn: (...args: A) => R, ...args: A): R {
    return contextStorage.run(this, fn, ...args);
  }

  /** The frame that the code which calls this runs in, if it is one of these and no span was opened inside. */
  static current(): DeferredSpan | undefined {
    const frame = contextStorage.getStore();
    return frame instanceof DeferredSpan ? frame : undefined;
  }

  get isCurrent(): boolean {
    return contextStorage.getStore() === this;
  }

  get isOver(): boolean {
    return this.opened === this.nowhere;
  }

  /** Calls `note` inside the frame once the span is open: at once, later, or never. Failures of it are reported. */
  whenOpened(note: () => void): void {
    const callback = (): void => {
      this.recorder.guard('noting on a request', () => {
        this.run(note);
      });
    };
    if (this.opened?.span === undefined) (this.openedCallbacks ??= []).push(callback);
    else callback();
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

  private end(endSpan: (span: ActiveSpan) => void): void {
    const { span } = (this.opened ??= this.nowhere);
    if (span === undefined || this.isOver) return;
    const isWritten = span.hasChildren;
    endSpan(span);
    if (!isWritten) this.opened = this.nowhere;
  }

  private get nowhere(): Position {
    return this.around ?? NOWHERE;
  }

  private get position(): Position {
    if (this.opened === undefined) {
      this.opened = this.open() ?? this.nowhere;
      if (this.opened.span !== undefined && !this.isOver)
        for (const callback of this.openedCallbacks ?? []) callback();
    }
    return this.opened;
  }

  private open(): Position | undefined {
    const description = this.recorder.guard('describing a request', () => this.work.describe());
    if (description === undefined || description === 'over') return undefined;
    if (description === 'excluded') {
      return { trace: ActiveTrace.unrecorded(replayedCallsOf(this.around)), span: undefined };
    }
    const span = this.recorder.open(description.definition, description.input ?? [], {
      frame: this.around ?? this.remote,
      startedMs: this.startedMs,
    });
    return { trace: span?.trace, span };
  }
}
