import {
  isAsyncIterable,
  isGenerator,
  isNodeReadable,
  isObservable,
  isReadableStream,
  type ObservableLike,
} from '../recording/result/result-kinds.js';

/** The part of a returned stream that was read so far. */
export interface ReadStream {
  /** See `RecordedStream`. */
  readonly kind: string;
  /** The items so far. */
  readonly items: unknown[];
  /** The return value of a generator. */
  returned?: unknown;
}

export interface Drained {
  /** For a stream, the list of its items. */
  readonly result: unknown;
  readonly stream?: ReadStream;
}

/**
 * Waits for a result, and reads it to its end if it is a stream.
 *
 * @param onStream receives the stream before it is read, because it holds the items before a failure
 */
export async function drain(
  returned: unknown,
  onStream: (stream: ReadStream) => void = () => undefined,
): Promise<Drained> {
  const result: unknown = await returned;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return { result };
  const kind = findStreamKind(result);
  if (kind === undefined) return { result };
  const stream: ReadStream = { kind, items: [] };
  onStream(stream);
  if (isGenerator(result)) await readGenerator(result as unknown as AsyncGenerator | Generator, stream);
  else if (isAsyncIterable(result)) for await (const item of result) stream.items.push(item);
  else await readObservable(result as unknown as ObservableLike, stream);
  return { result: stream.items, stream };
}

function findStreamKind(result: object): string | undefined {
  if (isGenerator(result)) return Symbol.asyncIterator in result ? 'async-generator' : 'generator';
  if (isAsyncIterable(result)) {
    if (isReadableStream(result)) return 'readable-stream';
    return isNodeReadable(result) ? 'node-readable' : 'async-iterable';
  }
  return isObservable(result) ? 'observable' : undefined;
}

async function readGenerator(generator: AsyncGenerator | Generator, stream: ReadStream): Promise<void> {
  for (;;) {
    const step: IteratorResult<unknown, unknown> = await generator.next();
    if (step.done === true) {
      stream.returned = step.value;
      return;
    }
    stream.items.push(step.value);
  }
}

function readObservable(observable: ObservableLike, { items }: ReadStream): Promise<void> {
  return new Promise((resolve, reject) => {
    observable.subscribe({ next: (item: unknown) => items.push(item), error: reject, complete: resolve });
  });
}
