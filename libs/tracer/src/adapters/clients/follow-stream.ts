import { StreamGatherer } from '../../recording/result/stream-gatherer.js';
import type { MemberOverrides } from '../../recording/result/member-proxy.js';
import { type Callable, hasMethod } from '../../recording/result/result-kinds.js';
import { fieldsOf } from '../readers.js';
import type { ModelRecording } from './model-recording.js';

type Step = (...args: unknown[]) => Promise<IteratorResult<unknown>>;
type Iterate = () => AsyncIterator<unknown>;

/** The streamed answer of a client made by Stainless: all that reads it calls `iterator`. */
export interface ModelStream extends AsyncIterable<unknown> {
  iterator: Iterate;
  readonly controller?: AbortController;
}

export function isModelStream(value: unknown): value is ModelStream {
  return (
    typeof value === 'object' &&
    value !== null &&
    hasMethod(value, Symbol.asyncIterator) &&
    hasMethod(value, 'iterator')
  );
}

/** Follows a streamed answer as it is read; the caller keeps the very object. */
export function followStream(stream: ModelStream, recording: ModelRecording): void {
  const { iterator } = stream;
  const isAborted = (): boolean => stream.controller?.signal.aborted === true;
  const reading = new StreamReading(recording, isAborted);
  stream.iterator = () => reading.follow(Reflect.apply(iterator, stream, []));
  stream.controller?.signal.addEventListener(
    'abort',
    () => {
      reading.aborted();
    },
    { once: true },
  );
}

/** A streamed answer while it is read. */
export class StreamReading {
  private readonly gathered: StreamGatherer;
  private readonly gatherer;
  private firstAfterMs: number | undefined;
  private isBegun = false;
  private isBusy = false;
  private isDone = false;

  /** @param isAborted whether the application took the request back, which ends such streams without an error */
  constructor(
    private readonly recording: ModelRecording,
    private readonly isAborted: () => boolean,
  ) {
    this.gathered = new StreamGatherer(recording.span, 'async-iterable');
    this.gatherer = recording.method.gather?.();
  }

  /** The iterator's items pass as they are. */
  follow(iterator: AsyncIterator<unknown>): AsyncIterator<unknown> {
    const iterate = {
      [Symbol.asyncIterator]() {
        return this;
      },
    };
    return Object.assign(iterate, this.stepsOf(iterator)) as unknown as AsyncIterator<unknown>;
  }

  /** What stands in for the methods of an iterator. */
  stepsOf(iterator: AsyncIterator<unknown>): MemberOverrides {
    const step =
      (name: 'next' | 'return' | 'throw'): Callable =>
      async (...args) => {
        const method = fieldsOf(iterator)[name];
        this.isBusy = true;
        try {
          const result = await this.recording.span.run(() => Reflect.apply(method as Step, iterator, args));
          if (result.done !== true) this.add(result.value);
          else this.end(name === 'return');
          return result;
        } catch (error) {
          this.fail(error);
          throw error;
        } finally {
          this.isBusy = false;
        }
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

  /** It is aborted: whoever reads it right now will tell how it ends. */
  aborted(): void {
    if (!this.isBusy) this.end(true);
  }

  private add(chunk: unknown): void {
    const { recording, gatherer } = this;
    const isPart = recording.guard('reading a chunk of a model', () => gatherer?.add(chunk)) ?? true;
    if (isPart) this.firstAfterMs ??= recording.span.start.recorder.elapsedMs(recording.span);
    this.gathered.add(recording.recorded(chunk, this.isBegun));
    this.isBegun = true;
  }

  private end(isCancelled: boolean): void {
    if (this.isDone) return;
    this.note();
    if (isCancelled || this.isAborted()) this.gathered.cancel();
    else this.gathered.succeed();
  }

  private fail(error: unknown): void {
    if (this.isDone) return;
    this.note();
    if (this.recording.isAborted(error)) this.gathered.cancel();
    else this.gathered.fail(error);
  }

  private note(): void {
    this.isDone = true;
    this.recording.note(() => {
      const { usage, ...told } = this.gatherer?.told() ?? {};
      const { firstAfterMs } = this;
      return {
        ...told,
        usage: { ...usage, ...(firstAfterMs !== undefined && { time_to_first_token_ms: firstAfterMs }) },
      };
    });
  }
}
