import type { Captured } from '../../capture/captured.js';
import type { MemberOverrides } from '../../recording/result/member-proxy.js';
import { type Callable, hasMethod } from '../../recording/result/result-kinds.js';
import type { StreamChunks } from '../../recording/result/stream-chunks.js';
import { toFields } from '../readers.js';
import type { AnswerGatherer } from './model-method.js';
import { type ModelRecording, STREAM_CHUNKS } from './model-recording.js';

/** Memory of chunks that is reported together. */
const REPORTED_BYTES = 4096;

type Step = (...args: unknown[]) => Promise<IteratorResult<unknown>>;
type Iterate = () => AsyncIterator<unknown>;

/** The streamed answer of a client made by Stainless: all that reads it calls `iterator`, or `decoder` if it is a file of JSON lines. */
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

/** Follows a streamed answer as it is read; the caller keeps the very object. */
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

/** A streamed answer while it is read. Its span has the answer that it comes to, and its chunks beside that. */
export class StreamReading {
  private chunks: StreamChunks | undefined;
  private gatherer: AnswerGatherer | undefined;
  private readonly keepsChunks: boolean;
  private firstAfterMs: number | undefined;
  private firstPartAfterMs: number | undefined;
  private isBusy = false;
  /** Memory of chunks that the recorder does not know of yet. */
  private unreported = 0;
  private isDone = false;

  /** @param isAborted whether the application took the request back, which ends such streams without an error */
  constructor(
    private readonly recording: ModelRecording,
    private readonly isAborted: () => boolean,
    private readonly sendsInside = true,
  ) {
    const { span, keepsChunks } = recording;
    this.keepsChunks = keepsChunks && span.start.recorder.fields.recordsOutput(span.start.definition);
  }

  /** The iterator's items pass as they are. */
  follow(iterator: AsyncIterator<unknown>): AsyncIterator<unknown> {
    const iterate = {
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    return Object.assign(iterate, this.wrapSteps(iterator)) as unknown as AsyncIterator<unknown>;
  }

  /** What stands in for the methods of an iterator. */
  wrapSteps(iterator: AsyncIterator<unknown>): MemberOverrides {
    // By `then`: an async function makes three promises of each step.
    const step =
      (name: 'next' | 'return' | 'throw'): Callable =>
      (...args) => {
        this.isBusy = true;
        return this.stepped(iterator, name, args).then(
          (result) => {
            this.isBusy = false;
            if (result.done !== true) this.add(result.value);
            else this.end(name === 'return');
            return result;
          },
          (error: unknown) => {
            this.isBusy = false;
            this.fail(error);
            throw error;
          },
        );
      };
    const leave: Callable = (value) => {
      this.end(true);
      return Promise.resolve({ done: true, value });
    };
    return {
      next: step('next'),
      return: iterator.return === undefined ? leave : step('return'),
      ...(iterator.throw !== undefined && { throw: step('throw') }),
    };
  }

  /** Vendors' iterators only read a response; a generator of a library sends its request inside. */
  private stepped(
    iterator: AsyncIterator<unknown>,
    name: string,
    args: unknown[],
  ): Promise<IteratorResult<unknown>> {
    const method = toFields(iterator)[name] as Step;
    const { span } = this.recording;
    return this.sendsInside
      ? span.run(() => Reflect.apply(method, iterator, args))
      : Reflect.apply(method, iterator, args);
  }

  /** It is aborted: whoever reads it right now will tell how it ends. */
  aborted(): void {
    if (!this.isBusy) this.end(true);
  }

  private add(chunk: unknown): void {
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

  private end(isCancelled: boolean): void {
    if (this.isDone) return;
    const isLeft = isCancelled && this.gatherer?.hasEnded !== true;
    const { answer, output } = this.finish();
    if (isLeft || this.isAborted()) this.recording.span.finish('cancelled', output);
    else this.recording.end(answer, output);
  }

  private fail(error: unknown): void {
    if (this.isDone) return;
    const { output } = this.finish();
    const { span } = this.recording;
    if (this.recording.isAborted(error)) span.finish('cancelled', output);
    else span.fail(error, output);
  }

  /** Notes what the chunks come to. */
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
