import type { ActiveSpan } from '../active-span.js';
import { callInSpan } from './in-span.js';
import { SourceReader } from './source-reader.js';
import { StreamGatherer } from './stream-gatherer.js';

type Bytes = Uint8Array<ArrayBuffer>;
type Controller = ReadableStreamDefaultController | ReadableByteStreamController;

/**
 * Follows a web stream: the caller gets a stream of the same chunks, pulled only as it pulls, cancelled as it cancels,
 * and of bytes where the other is.
 */
export function trackReadableStream(
  span: ActiveSpan,
  target: ReadableStream<unknown>,
): ReadableStream<unknown> {
  const gathered = new StreamGatherer(span, 'readable-stream');
  const source = new SourceReader(target);
  const read = (...args: Parameters<SourceReader['read']>): Promise<void> =>
    callInSpan(span, () => source.read(...args), undefined, []) as Promise<void>;
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
      await read(request?.view ? bytesOf(request.view) : undefined, ({ done, value }) => {
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
  return source.isOfBytes
    ? new ReadableStream({ type: 'bytes', start: follow, pull, cancel })
    : new ReadableStream({ start: follow, pull, cancel }, { highWaterMark: 0 });
}

function bytesOf(view: ArrayBufferView): Bytes {
  return new Uint8Array(view.buffer as ArrayBuffer, view.byteOffset, view.byteLength);
}
