import type { Captured } from '../../capture/captured.js';
import { followSteps, type StepFollower } from '../../recording/result/follow-steps.js';
import type { MemberOverrides } from '../../recording/result/member-proxy.js';
import { hasMethod } from '../../recording/result/result-kinds.js';
import type { StreamChunks } from '../../recording/result/stream-chunks.js';
import type { AnswerGatherer } from './model-method.js';
import { type ModelRecording, STREAM_CHUNKS } from './model-recording.js';
import { defineMember } from './replace-method.js';

/** Memory growth is reported in steps of this size. */
const REPORTED_BYTES = 4096;

type Iterate = () => AsyncIterator<unknown>;

/** The streamed answer of a client made by Stainless. Every read calls `iterator`, or `decoder` for a file of JSON lines. */
export interface ModelStream extends AsyncIterable<unknown> {
  iterator?: Iterate;
  decoder?: Iterate;
  readonly controller?: AbortController;
}

export function isModelStream(value: unknown): value is ModelStream {
  return (
    typeof value === 'object' &&
    value !== null &&
    hasMethod(value, Symbol.asyncIterator) &&
    (hasMethod(value, 'iterator') || hasMethod(value, 'decoder'))
  );
}

/** Follows a streamed answer while it is read. The caller keeps the same object. */
export function followStream(stream: ModelStream, recording: ModelRecording): void {
  const name = hasMethod(stream, 'iterator') ? 'iterator' : 'decoder';
  const iterate = stream[name] as Iterate;
  const isAborted = (): boolean => stream.controller?.signal.aborted === true;
  const reading = new StreamReading(recording, isAborted, false);
  stream[name] = () => reading.follow(Reflect.apply(iterate, stream, []));
  stream.controller?.signal.addEventListener(
    'abort',
    () => {
      reading.aborted();
    },
    { once: true },
  );
}

/** A streamed answer while it is read. Its span has the final answer and the chunks. */
export class StreamReading implements StepFollower {
  private chunks: StreamChunks | undefined;
  private gatherer: AnswerGatherer | undefined;
  private readonly keepsChunks: boolean;
  private firstAfterMs: number | undefined;
  private firstPartAfterMs: number | undefined;
  private isBusy = false;
  /** Memory of chunks that was not reported to the recorder yet. */
  private unreported = 0;
  private isDone = false;

  /** @param isAborted whether the application cancelled the request, which ends such streams without an error */
  constructor(
    private readonly recording: ModelRecording,
    private readonly isAborted: () => boolean,
    private readonly sendsInside = true,
  ) {
    const { span, keepsChunks } = recording;
    this.keepsChunks = keepsChunks && span.start.recorder.fields.recordsOutput(span.start.definition);
  }

  /** Passes on the iterator's items unchanged. */
  follow(iterator: AsyncIterator<unknown>): AsyncIterator<unknown> {
    // What else an iterator has, it has from its prototype, and calls these steps with it.
    const followed = Object.create(iterator) as AsyncIterator<unknown>;
    for (const [name, step] of Object.entries(this.wrapSteps(iterator))) defineMember(followed, name, step);
    if (!(Symbol.asyncIterator in followed)) defineMember(followed, Symbol.asyncIterator, () => followed);
    return followed;
  }

  /** Methods in the place of those of an iterator. Vendors' iterators only read a response; a generator of a library sends its request inside. */
  wrapSteps(iterator: AsyncIterator<unknown>): MemberOverrides {
    const { span } = this.recording;
    return followSteps(iterator, this, this.sendsInside ? (step) => span.run(step) : undefined);
  }

  begin(): void {
    this.isBusy = true;
  }

  /** Call it on an abort: a pending read then reports the end. */
  aborted(): void {
    if (!this.isBusy) this.end(true);
  }

  add(chunk: unknown): void {
    this.isBusy = false;
    const { recording } = this;
    const { span } = recording;
    if (this.isDone || span.isOver) return;
    const { recorder } = span.start;
    this.firstAfterMs ??= recorder.elapsedMs(span);
    recording.guard('reading a chunk of a model', () => {
      this.gatherer ??= recording.reader?.gather?.();
      if (this.gatherer?.add(chunk) !== false) this.firstPartAfterMs ??= recorder.elapsedMs(span);
      const chunks = (this.chunks ??= STREAM_CHUNKS.current && new STREAM_CHUNKS.current());
      if (chunks === undefined) return;
      const isFurther = chunks.count > 0;
      const isKept = this.keepsChunks && span.isRecording && !recorder.isFull;
      const bytes = chunks.add(isKept ? recording.recorded(chunk, isFurther) : undefined, isKept);
      this.unreported += bytes;
      if (this.unreported < REPORTED_BYTES) return;
      recorder.held(span, this.unreported);
      this.unreported = 0;
    });
  }

  end(isCancelled: boolean): void {
    this.isBusy = false;
    if (this.isDone) return;
    const isLeft = isCancelled && this.gatherer?.hasEnded !== true;
    const { answer, output } = this.finish();
    if (isLeft || this.isAborted()) this.recording.span.finish('cancelled', output);
    else this.recording.end(answer, output);
  }

  fail(error: unknown): void {
    this.isBusy = false;
    if (this.isDone) return;
    const { output } = this.finish();
    const { span } = this.recording;
    if (this.recording.isAborted(error)) span.finish('cancelled', output);
    else span.fail(error, output);
  }

  /** Merges the chunks to one answer and captures it. */
  private finish(): { readonly answer?: unknown; readonly output?: Captured | undefined } {
    this.isDone = true;
    const { recording, chunks, firstAfterMs, firstPartAfterMs } = this;
    const { span } = recording;
    if (!span.isRecording) return {};
    const answer = recording.guard('reading the chunks of a model', () => this.gatherer?.answer());
    recording.note(() => {
      const { usage, ...told } = (answer !== undefined && recording.reader?.answer(answer)) || {};
      return {
        ...told,
        usage: {
          ...usage,
          ...(firstPartAfterMs !== undefined && { time_to_first_token_ms: firstPartAfterMs }),
        },
      };
    });
    const { fields } = span.start.recorder;
    span.stream = {
      kind: 'async-iterable',
      items: chunks?.count ?? 0,
      timeToFirstItemMs: firstAfterMs,
      isMerged: true,
      chunks: this.keepsChunks
        ? recording.guard('capturing the chunks of a stream', () => chunks?.capture(fields))
        : undefined,
    };
    return {
      answer,
      output: fields.captureOutput(span.start.definition, recording.recordedMerged(answer)),
    };
  }
}
