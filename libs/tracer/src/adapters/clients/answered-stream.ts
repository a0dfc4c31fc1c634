import type { AnsweredCall } from './answer-kind.js';
import { findSignals } from './model-recording.js';
import { untilAborted } from './until-aborted.js';
import { toReadableStream } from './web-streams.js';

/** The streamed answer of a replay: the recorded parts, with the members of the client's own streams. */
export class AnsweredStream implements AsyncIterable<unknown> {
  private readonly iterator: () => AsyncIterator<unknown>;

  constructor(
    source: AsyncIterable<unknown> | (() => AsyncIterator<unknown>),
    readonly controller: AbortController,
  ) {
    this.iterator = typeof source === 'function' ? source : () => readUntilAborted(source, controller);
  }

  /** A stream that the signal of its request ends. */
  static of(source: AsyncIterable<unknown>, { args }: AnsweredCall): AnsweredStream {
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    for (const signal of findSignals(args)) {
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true, signal: controller.signal });
    }
    return new AnsweredStream(source, controller);
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    return this.iterator();
  }

  /** As the streams of Mistral and OpenRouter have it. */
  getReader(): ReadableStreamDefaultReader<unknown> {
    return toReadableStream(this.iterator()).getReader();
  }

  /** As Ollama's streams have it. */
  abort(): void {
    this.controller.abort();
  }

  /** Two streams of the same chunks, each read at its own pace. */
  tee(): [AnsweredStream, AnsweredStream] {
    const source = this.iterator();
    const left: Promise<IteratorResult<unknown>>[] = [];
    const right: Promise<IteratorResult<unknown>>[] = [];
    const branch = (queue: Promise<IteratorResult<unknown>>[]): AnsweredStream =>
      new AnsweredStream(
        () => ({
          next: () => {
            if (queue.length === 0) {
              const result = source.next();
              left.push(result);
              right.push(result);
            }
            return queue.shift() as Promise<IteratorResult<unknown>>;
          },
        }),
        this.controller,
      );
    return [branch(left), branch(right)];
  }

  /** Each chunk as a line of JSON. */
  toReadableStream(): ReadableStream {
    return ReadableStream.from(encodeLines(this));
  }
}

/** Ends without an error when it is aborted, and is aborted when its reader stops, like the clients' own streams. */
async function* readUntilAborted(
  source: AsyncIterable<unknown>,
  controller: AbortController,
): AsyncGenerator {
  let isDone = false;
  try {
    yield* untilAborted(source, [controller.signal], () => undefined);
    isDone = true;
  } finally {
    if (!isDone) controller.abort();
  }
}

async function* encodeLines(stream: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const chunk of stream) yield encoder.encode(`${JSON.stringify(chunk)}\n`);
}
