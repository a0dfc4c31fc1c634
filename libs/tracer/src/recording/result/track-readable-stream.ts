import { mayHideState } from '@dacapo/protocol';
import type { ActiveSpan } from '../active-span.js';
import { SourceReader } from './source-reader.js';
import { StreamGatherer } from './stream-gatherer.js';

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController | ReadableByteStreamController;

/** Whether another stream could not stand in for this one: it is in use, or of a class that keeps something in it. */
export function isIrreplaceable(stream: ReadableStream<unknown>): boolean {
  if (stream.locked) return true;
  if (!(stream instanceof ReadableStream)) return false;
  let link = Reflect.getPrototypeOf(stream);
  while (link !== null && link !== ReadableStream.prototype && !mayHideState(link))
    link = Reflect.getPrototypeOf(link);
  return link !== ReadableStream.prototype;
}

/** Is told what passes through a stream, and ends its span. */
export type StreamFollower = Pick<StreamGatherer, 'add' | 'succeed' | 'fail' | 'cancel'>;

/**
 * Follows a web stream: the caller gets a stream of the same chunks, pulled only as it pulls, cancelled as it cancels,
 * of bytes where the other is, and of the same class.
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
        // A read into a buffer that still waits learns of the end only so.
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

/** Gives a stream the class and the named members of another; what the platform keeps in it stays its own. */
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
