import type { ActiveSpan } from '../active-span.js';
import { callInSpan } from './in-span.js';
import { StreamGatherer } from './stream-gatherer.js';

/** Follows a web stream: the caller gets a stream of the same chunks, pulled only as it pulls, cancelled as it cancels. */
export function trackReadableStream(
  span: ActiveSpan,
  target: ReadableStream<unknown>,
): ReadableStream<unknown> {
  const gathered = new StreamGatherer(span, 'readable-stream');
  const reader = target.getReader();
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          const { done, value } = await (callInSpan(span, () => reader.read(), undefined, []) as ReturnType<
            typeof reader.read
          >);
          if (done) {
            gathered.succeed();
            controller.close();
          } else {
            gathered.add(value);
            controller.enqueue(value);
          }
        } catch (error) {
          gathered.fail(error);
          controller.error(error);
        }
      },
      async cancel(reason) {
        gathered.cancel();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
