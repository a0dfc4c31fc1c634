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
import type { GivenScore, ScoreDetails, ScoreValue } from '../context/given-score.js';
import type { ActiveTrace } from './active-trace.js';
import type { FieldCapture } from './field-capture.js';
import { SpanContexts } from './span-contexts.js';
import type { SpanDefinition } from './span-definition.js';
import { addUsage, readSpanUsage } from './span-usage.js';
import type { StreamNote } from './stream-note.js';

/** What a span needs of the recorder that opened it. Nothing here throws. */
export interface SpanRecorder {
  readonly fields: FieldCapture;
  /** Where the application runs and which version of it, as members of a record. */
  readonly deployment: ByteString;
  /** Whether open spans hold as much as they may: then nothing more is gathered. */
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
  /** Told that an open span holds so many bytes more. */
  held(span: ActiveSpan, bytes: number): void;
  /** Takes a span out of those that are sent when they stay open: its work has not begun. */
  suspend(span: ActiveSpan): void;
  resume(span: ActiveSpan): void;
  /** Sends a score of a span, which may have ended. */
  scoreSpan(span: ActiveSpan, score: GivenScore): void;
  guard<T>(doing: string, work: () => T): T | undefined;
  /** Tells that a note was given what it does not take. */
  refuseNote(method: string, value: unknown): void;
  failed(doing: string, cause: unknown): void;
}

/** The place of a call in the branch that made it; see `BranchPosition`. */
export interface CallPosition {
  /** The call has ended, so the next call of the branch comes after it. */
  hasEnded: boolean;
  /** The id of the last span of the branch that had ended when this call began; absent: none is known. */
  readonly after: string | undefined;
}

export interface SpanStart {
  readonly recorder: SpanRecorder;
  readonly definition: SpanDefinition;
  readonly trace: ActiveTrace;
  readonly spanId: string;
  readonly parentId: string | undefined;
  /** Where it is in the branch that called it; absent: its order among the calls of its parent is not known. */
  readonly position?: CallPosition | undefined;
  /** Nothing was recorded below its parent before. */
  readonly isFirst?: boolean;
  /** On the monotonic clock. */
  readonly startedMs: number;
  /** The same moment, in whole microseconds since the epoch. */
  readonly startedUs: number;
  readonly externalIds: ExternalSpanIds | undefined;
  /** The recorded span that a replay plays again: set on the span that the replay started, and on no other. */
  readonly sourceSpanId: string | undefined;
  /** A replay started it. */
  readonly isReplayRoot?: boolean;
  /** Its parent was told by a `traceparent`. */
  readonly hasRemoteParent?: boolean;
}

/** What a library that records by itself knows of a span. */
export type ExternalSpanStart = Omit<SpanStart, 'recorder' | 'sourceSpanId' | 'isReplayRoot' | 'startedUs'>;

/** A span from its start to its end, and the frame of the code that runs inside it. */
export class ActiveSpan implements FrameSpan, ContextFrame {
  readonly spanId: string;
  readonly trace: ActiveTrace;
  readonly startedMs: number;
  /** A frame inside a span is in the replay only through its trace. */
  readonly replay = undefined;

  /** Its neighbours among the spans that are open: see `OpenSpans`. */
  older: ActiveSpan | undefined;
  newer: ActiveSpan | undefined;
  /** Memory that its data takes until it ends. */
  heldBytes: number;

  /** Something was recorded inside. */
  hasChildren = false;
  input: Captured | undefined;
  contexts: SpanContexts | undefined;
  /** What it held was sent, to make room: the record of its end continues that one. */
  isContinued = false;
  prompt: Captured | undefined;
  /** Reads the prompt in the input when the span is sent, unless one was set. A format: whoever reads the record does so. */
  readPrompt: ((input: Captured) => Captured | PromptFormat | undefined) | undefined;
  /** See `CaptureMeta.prompt_format`. */
  promptFormat: PromptFormat | undefined;
  level: SpanLevel | undefined;
  usage: UsageRecord | undefined;
  stream: StreamNote | undefined;
  /** Its function returned or threw at once: a replay that answers the call does so too. */
  isSync = false;
  /** The call returned, and its status is that of the answer. */
  isAnswered = false;
  /** Settles when the files among its arguments are read; absent: there are none. */
  filesRead: Promise<unknown> | undefined;
  /** By which its caller can take it back. */
  signals: readonly AbortSignal[] = [];
  /** Its function did not run: a replay answered the call. */
  isMocked = false;
  /** The recorded span that the answer came from. */
  mockedFrom: string | undefined;
  /** It ended by an error. */
  hasFailed = false;
  /** When it ended, if another clock says so; absent: when it is written. */
  endedMs: number | undefined;

  private ended = false;
  private closed = false;

  constructor(
    readonly start: SpanStart,
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

  /** Runs `work` inside the span, so that what it calls nests here. */
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

  /** Takes what went into the call, if that is known later than its start. */
  setInput(input: Captured | undefined): void {
    const before = this.input?.size ?? 0;
    this.input = input;
    this.start.recorder.held(this, (input?.size ?? 0) - before);
  }

  addUsage(usage: SpanUsage): void {
    if (!this.isRecording) return;
    const read = this.start.recorder.guard('addUsage', () => readSpanUsage(usage));
    if (read !== undefined) this.noteUsage(read);
  }

  score(name: string, value: ScoreValue, details?: ScoreDetails): void {
    this.start.recorder.scoreSpan(this, { ...details, name, value });
  }

  /** Adds what one more model call used. */
  noteUsage(usage: UsageRecord): void {
    if (this.isRecording) this.usage = addUsage(this.usage, usage);
  }

  succeed(output: unknown): void {
    if (this.isRecording)
      this.end('ok', this.start.recorder.fields.captureOutput(this.start.definition, output), undefined);
    else this.close();
  }

  /** `output`: what had come before it failed, for streams. */
  fail(error: unknown, output?: Captured): void {
    if (this.isRecording)
      this.end('error', output, this.start.recorder.fields.captureError(this.start.definition, error));
    else this.close();
  }

  /** Ends a span whose output was gathered piece by piece. */
  finish(status: SpanStatus, output: Captured | undefined): void {
    if (this.isRecording) this.end(status, output, undefined);
    else this.close();
  }

  /** Ends it without a trace: nothing of it is sent. */
  discard(): void {
    this.close();
  }

  /** Sends it as it is now, before its end. */
  sendUnfinished(): void {
    if (this.isContinued && this.dataBytes > 0) this.sendData();
    else if (!this.isContinued) this.writeUnfinished();
  }

  /**
   * Sends it before its end, and lets go of its data: the service joins the record of the end with this one.
   * A second time it does nothing.
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
