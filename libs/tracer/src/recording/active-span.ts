import {
  type PromptFormat,
  SPAN_LEVELS,
  type SpanLevel,
  type SpanStatus,
  type UsageRecord,
} from '@dacapo/protocol';
import type { ByteString } from '../byte-string.js';
import { LINE_DATA_BYTES } from '../options/capture-options.js';
import type { Captured } from '../capture/captured.js';
import {
  type ContextFrame,
  contextStorage,
  type ExternalSpanIds,
  type FrameSpan,
} from '../context/context-storage.js';
import { isJsonLike, type JsonLike, type SpanUsage } from '../context/current-span.js';
import type { ScoreInput, ScoreDetails, ScoreValue } from '../context/score-input.js';
import type { ActiveTrace } from './active-trace.js';
import type { FieldCapture } from './field-capture.js';
import { SpanContexts } from './span-contexts.js';
import type { SpanDefinition } from './span-definition.js';
import type { MirroredSpan } from './span-mirror.js';
import { addUsage, readSpanUsage } from './span-usage.js';
import type { StreamNote } from './stream-note.js';

/** What a span needs from the recorder that opened it. Its methods never throw. */
export interface SpanRecorder {
  readonly fields: FieldCapture;
  /** Environment and release of the application, as members of a record. */
  readonly deployment: ByteString;
  /** Whether open spans hold their maximum of memory, so that nothing more is collected. */
  readonly isFull: boolean;
  nowMs(): number;
  elapsedMs(span: ActiveSpan): number;
  reopen(span: ActiveSpan, input: Captured | undefined): ActiveSpan;
  write(
    span: ActiveSpan,
    status: SpanStatus,
    output: Captured | undefined,
    error: ByteString | undefined,
  ): void;
  closed(span: ActiveSpan): void;
  /** Reports that an open span holds more bytes. */
  held(span: ActiveSpan, bytes: number): void;
  /** Excludes a span from those that are sent while open, because its work has not begun. */
  suspend(span: ActiveSpan): void;
  resume(span: ActiveSpan): void;
  /** Sends a score of a span, which may have ended. */
  scoreSpan(span: ActiveSpan, score: ScoreInput): void;
  guard<T>(doing: string, work: () => T): T | undefined;
  /** Reports an invalid value in a note. */
  refuseNote(method: string, value: unknown): void;
  failed(doing: string, cause: unknown): void;
}

/** The place of a call in its branch; see `BranchPosition`. */
export interface CallPosition {
  /** The call has ended, so the next call of the branch comes after it. */
  hasEnded: boolean;
  /** The id of the last span of the branch that ended before this call; absent if unknown. */
  readonly after: string | undefined;
}

export interface SpanStart {
  readonly recorder: SpanRecorder;
  readonly definition: SpanDefinition;
  readonly trace: ActiveTrace;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Its position in the branch that called it; absent if its order among siblings is unknown. */
  readonly position?: CallPosition | undefined;
  /** It is the first recorded child of its parent. */
  readonly isFirst?: boolean;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** The same moment, in whole microseconds since the epoch. */
  readonly startedUs: number;
  readonly externalIds: ExternalSpanIds | undefined;
  /** The recorded span that a replay runs again: set only on the span that the replay started. */
  readonly sourceSpanId: string | undefined;
  /** A replay started it. */
  readonly isReplayRoot?: boolean;
  /** Its parent came from a `traceparent`. */
  readonly hasRemoteParent?: boolean;
}

/** What a library with its own tracing knows about a span. */
export type ExternalSpanStart = Omit<SpanStart, 'recorder' | 'sourceSpanId' | 'isReplayRoot' | 'startedUs'>;

/** A span from start to end, and the context frame of the code inside it. */
export class ActiveSpan implements FrameSpan, ContextFrame {
  readonly spanId: string;
  readonly trace: ActiveTrace;
  readonly startedMs: number;
  /** A frame inside a span belongs to a replay only through its trace. */
  readonly replay = undefined;

  /** Its neighbours among the spans that are open: see `OpenSpans`. */
  older: ActiveSpan | undefined;
  newer: ActiveSpan | undefined;
  /** Memory that its data uses until it ends. */
  heldBytes: number;

  /** Whether something was recorded inside. */
  hasChildren = false;
  input: Captured | undefined;
  contexts: SpanContexts | undefined;
  /** Its data was sent early to free memory; the record of its end continues that one. */
  isContinued = false;
  prompt: Captured | undefined;
  /** Reads the prompt from the input when the span is sent, unless one was set. A format: readers of the record do it. */
  readPrompt: ((input: Captured) => Captured | PromptFormat | undefined) | undefined;
  /** See `CaptureMeta.prompt_format`. */
  promptFormat: PromptFormat | undefined;
  level: SpanLevel | undefined;
  usage: UsageRecord | undefined;
  stream: StreamNote | undefined;
  /** Whether its function returned or threw synchronously; a replay that answers the call does the same. */
  isSync = false;
  /** Whether the call returned and took the status of the answer. */
  isAnswered = false;
  /** Settles when the files among its arguments are read; absent without files. */
  filesRead: Promise<unknown> | undefined;
  /** The signal with which its caller can cancel it. */
  signals: readonly AbortSignal[] = [];
  /** Whether a replay answered the call instead of running its function. */
  isMocked = false;
  /** The recorded span of the answer. */
  mockedFrom: string | undefined;
  /** Whether it ended with an error. */
  hasFailed = false;
  /** Its end by another clock; absent: the time when it is written. */
  endedMs: number | undefined;
  /** The span of another library that accompanies it. */
  mirrored: MirroredSpan | undefined;

  private ended = false;
  private closed = false;

  constructor(
    public start: SpanStart,
    input: Captured | undefined,
  ) {
    this.input = input;
    this.heldBytes = input === undefined ? 0 : input.size;
    this.level = start.definition.level;
    this.spanId = start.spanId;
    this.trace = start.trace;
    this.startedMs = start.startedMs;
  }

  get span(): this {
    return this;
  }

  get parentId(): string {
    return this.spanId;
  }

  get traceId(): string {
    return this.trace.traceId;
  }

  get externalIds(): ExternalSpanIds | undefined {
    return this.start.externalIds;
  }

  get isOver(): boolean {
    return this.ended;
  }

  get within(): ContextFrame | undefined {
    return this.trace.within;
  }

  joined(): void {
    this.hasChildren = true;
  }

  get isRecording(): boolean {
    return this.trace.sampled && !this.ended;
  }

  /** Runs `work` inside the span, so that its calls nest here. */
  run<T>(work: () => T): T {
    return contextStorage.run(this, work);
  }

  addContext(context: JsonLike): void {
    if (!this.isRecording) return;
    const { recorder } = this.start;
    if (!isJsonLike(context)) {
      recorder.refuseNote('addContext', context);
      return;
    }
    this.contexts ??= new SpanContexts();
    recorder.held(this, this.contexts.add(context, recorder));
  }

  setPrompt(prompt: string): void {
    if (!this.isRecording) return;
    const { recorder } = this.start;
    if (typeof prompt !== 'string') {
      recorder.refuseNote('setPrompt', prompt);
      return;
    }
    const before = this.prompt?.size ?? 0;
    this.prompt = recorder.fields.captureText(prompt);
    recorder.held(this, (this.prompt?.size ?? 0) - before);
  }

  setLevel(level: SpanLevel): void {
    if (!this.isRecording) return;
    if (SPAN_LEVELS.includes(level)) this.level = level;
    else this.start.recorder.refuseNote('setLevel', level);
  }

  /** Sets the input of the call, if it is known only after its start. */
  setInput(input: Captured | undefined): void {
    const before = this.input?.size ?? 0;
    this.input = input;
    this.start.recorder.held(this, (input?.size ?? 0) - before);
  }

  /** Takes what kind of call it is, if that is known later than its start. */
  redefine(definition: SpanDefinition): void {
    this.start = { ...this.start, definition };
  }

  addUsage(usage: SpanUsage): void {
    if (!this.isRecording) return;
    const read = this.start.recorder.guard('addUsage', () => readSpanUsage(usage));
    if (read !== undefined) this.noteUsage(read);
  }

  score(name: string, value: ScoreValue, details?: ScoreDetails): void {
    this.start.recorder.scoreSpan(this, { ...details, name, value });
  }

  /** Adds the usage of a model call. */
  noteUsage(usage: UsageRecord): void {
    if (this.isRecording) this.usage = addUsage(this.usage, usage);
  }

  succeed(output: unknown): void {
    if (this.isRecording)
      this.end('ok', this.start.recorder.fields.captureOutput(this.start.definition, output), undefined);
    else this.close();
  }

  /** `output`: the items of a stream before it failed. */
  fail(error: unknown, output?: Captured): void {
    if (this.isRecording)
      this.end('error', output, this.start.recorder.fields.captureError(this.start.definition, error));
    else this.close();
  }

  /** Ends a span whose output was collected piece by piece. */
  finish(status: SpanStatus, output: Captured | undefined): void {
    if (this.isRecording) this.end(status, output, undefined);
    else this.close();
  }

  /** Discards it: nothing is sent. */
  discard(): void {
    this.close();
  }

  /** Sends its current state before its end. */
  sendUnfinished(): void {
    if (this.isContinued && this.dataBytes > 0) this.sendData();
    else if (!this.isContinued) this.writeUnfinished();
  }

  /**
   * Sends it before its end and frees its data. The service joins the record of the end with this one.
   * Does nothing the second time.
   */
  sendBeginning(): void {
    if (this.isContinued) return;
    if (this.dataBytes > 0) this.sendData();
    else this.writeUnfinished();
  }

  /** Memory that input, contexts and prompt take. */
  get dataBytes(): number {
    return (this.input?.size ?? 0) + (this.contexts?.heldBytes ?? 0) + (this.prompt?.size ?? 0);
  }

  private sendData(): void {
    if (this.isEmptyFrame) return;
    this.writeUnfinished();
    this.start.recorder.held(this, -this.dataBytes);
    this.isContinued = true;
    this.contexts?.letGo();
    this.input = this.prompt = undefined;
  }

  private writeUnfinished(): void {
    if (!this.isRecording || this.isEmptyFrame) return;
    this.takePrompt();
    this.start.recorder.write(this, 'unfinished', undefined, undefined);
  }

  private takePrompt(): void {
    const { input, prompt, readPrompt } = this;
    this.readPrompt = undefined;
    if (input === undefined || prompt !== undefined) return;
    const found = readPrompt?.(input);
    if (typeof found === 'string') this.promptFormat = found;
    else this.prompt = found;
  }

  private get isEmptyFrame(): boolean {
    return this.start.definition.onlyWithChildren && !this.hasChildren;
  }

  private end(status: SpanStatus, output: Captured | undefined, error: ByteString | undefined): void {
    if (this.isEmptyFrame) {
      this.close();
      return;
    }
    this.takePrompt();
    const { dataBytes } = this;
    const { returned, chunks } = this.stream ?? {};
    const endBytes = (output?.size ?? 0) + (error?.length ?? 0) + (returned?.size ?? 0) + (chunks?.size ?? 0);
    if (dataBytes > 0 && dataBytes + endBytes > LINE_DATA_BYTES) this.sendData();
    this.ended = true;
    this.hasFailed = status === 'error';
    this.start.recorder.write(this, status, output, error);
    this.close();
  }

  private close(): void {
    if (this.closed) return;
    this.closed = this.ended = true;
    const { position, recorder } = this.start;
    if (position !== undefined) position.hasEnded = true;
    recorder.closed(this);
    this.input = this.contexts = this.prompt = this.usage = this.stream = undefined;
    this.readPrompt = undefined;
  }
}
