import { mayHideState } from '@dacapo/protocol';
import type { ActiveSpan } from '../active-span.js';
import { type StreamFollower, StreamGatherer } from './stream-gatherer.js';

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController | ReadableByteStreamController;

/** Whether another stream cannot replace this one: it is in use, or its class stores state in it. */
export function isIrreplaceable(stream: ReadableStream<unknown>): boolean {
  if (stream.locked) return true;
  if (!(stream instanceof ReadableStream)) return false;
  let link = Reflect.getPrototypeOf(stream);
  while (link !== null && link !== ReadableStream.prototype && !mayHideState(link))
    link = Reflect.getPrototypeOf(link);
  return link !== ReadableStream.prototype;
}

/**
 * Follows a web stream. The caller gets a stream of the same class with the same chunks; it is also a byte stream if the source is.
 * Pulls and cancellations are passed on to the source.
 */
export function trackReadableStream(
  span: ActiveSpan,
  target: ReadableStream<unknown>,
  gathered: StreamFollower = new StreamGatherer(span, 'readable-stream'),
): ReadableStream<unknown> {
  const source = new SourceReader(target);
  const read = (...args: Parameters<SourceReader['read']>): Promise<void> =>
    span.run(() => source.read(...args));
  const fail = (controller: { error(error: unknown): void }, error: unknown): void => {
    gathered.fail(error);
    controller.error(error);
  };
  const follow = (controller: Controller): void => {
    source.whenIdle({
      closed: () => {
        gathered.succeed();
        controller.close();
        // Only this ends a pending read into a caller's buffer.
        if ('byobRequest' in controller) controller.byobRequest?.respond(0);
      },
      failed: (error) => {
        fail(controller, error);
      },
    });
  };
  const pull = async (controller: Controller): Promise<void> => {
    try {
      const request = ('byobRequest' in controller && controller.byobRequest) || undefined;
      await read(request?.view ? toBytes(request.view) : undefined, ({ done, value }) => {
        if (done) {
          gathered.succeed();
          controller.close();
        } else {
          gathered.add(value);
        }
        if (request !== undefined) request.respondWithNewView(value as Bytes);
        else if (!done) controller.enqueue(value as Bytes);
      });
    } catch (error) {
      fail(controller, error);
    }
  };
  const cancel = async (reason: unknown): Promise<void> => {
    gathered.cancel();
    await source.cancel(reason);
  };
  const followed = source.isByteStream
    ? new ReadableStream({ type: 'bytes', start: follow, pull, cancel })
    : new ReadableStream<unknown>({ start: follow, pull, cancel }, { highWaterMark: 0 });
  return likenStream(followed, target);
}

/** Gives a stream the class and the named members of another one. Its internal state stays its own. */
export function likenStream(
  stream: ReadableStream<unknown>,
  model: ReadableStream<unknown>,
): ReadableStream<unknown> {
  if (model instanceof ReadableStream) Object.setPrototypeOf(stream, Reflect.getPrototypeOf(model));
  for (const name of Object.getOwnPropertyNames(model)) {
    Object.defineProperty(stream, name, {
      ...Object.getOwnPropertyDescriptor(model, name),
      configurable: true,
    });
  }
  return stream;
}

function toBytes(view: ArrayBufferView): Bytes {
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}

interface SourceEnd {
  closed(): void;
  failed(error: unknown): void;
}

interface Chunk {
  readonly done: boolean;
  readonly value?: unknown;
}

type AnyReader = ReadableStreamDefaultReader<unknown> | ReadableStreamBYOBReader;

/** Reads a web stream, chunk by chunk or into a given buffer, and reports its end. */
class SourceReader {
  readonly isByteStream: boolean;

  private reader: AnyReader;
  private readsInto = false;
  private isReading = false;
  private end: SourceEnd | undefined;
  private reportEnd: (() => void) | undefined;

  constructor(private readonly source: ReadableStream<unknown>) {
    this.isByteStream = isByteStream(source);
    this.reader = source.getReader();
  }

  /** Calls `end` when the stream ends without a pending read. A pending read reports the end itself. */
  whenIdle(end: SourceEnd): void {
    this.end = end;
    this.watch(this.reader);
  }

  /**
   * Passes the next chunk to `use`; with `view`, whose buffer is transferred, as much as fits. If the source ends with this chunk, the
   * end is reported after `use`.
   */
  async read(view: Uint8Array<ArrayBuffer> | undefined, use: (result: Chunk) => void): Promise<void> {
    this.isReading = true;
    try {
      this.switchTo(view !== undefined);
      const result =
        view === undefined
          ? await (this.reader as ReadableStreamDefaultReader<unknown>).read()
          : await (this.reader as ReadableStreamBYOBReader).read(view);
      if (result.done) this.end = undefined;
      use(result);
    } finally {
      this.isReading = false;
      this.reportEnd?.();
    }
  }

  cancel(reason: unknown): Promise<void> {
    this.end = undefined;
    return this.reader.cancel(reason);
  }

  private switchTo(readsInto: boolean): void {
    if (readsInto === this.readsInto) return;
    const before = this.reader;
    before.releaseLock();
    this.reader = readsInto ? this.source.getReader({ mode: 'byob' }) : this.source.getReader();
    this.readsInto = readsInto;
    this.watch(this.reader);
  }

  private watch(reader: AnyReader): void {
    const reportTo = (report: (end: SourceEnd) => void): void => {
      if (reader !== this.reader) return;
      this.reportEnd = () => {
        const { end } = this;
        this.end = undefined;
        if (end !== undefined) report(end);
      };
      if (!this.isReading) this.reportEnd();
    };
    reader.closed.then(
      () => {
        reportTo((end) => {
          end.closed();
        });
      },
      (error: unknown) => {
        reportTo((end) => {
          end.failed(error);
        });
      },
    );
  }
}

/** Only byte streams accept a BYOB reader. */
function isByteStream(source: ReadableStream<unknown>): boolean {
  try {
    source.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
