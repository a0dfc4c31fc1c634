import {
  isAsyncIterable,
  isGenerator,
  isObservable,
  type ObservableLike,
} from '../recording/result/result-kinds.js';

/** What a call gave. */
export interface Drained {
  /** Of a stream the list of what it gave. */
  readonly result: unknown;
  /** What a generator returned, beside what it gave. */
  readonly returned?: unknown;
}

/**
 * Waits for a result, and reads it to its end if it is a stream.
 *
 * @param onStream gets the list that what a stream gives is gathered in: what came before it fails is there
 */
export async function drain(
  given: unknown,
  onStream: (items: readonly unknown[]) => void = () => undefined,
): Promise<Drained> {
  const result: unknown = await given;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return { result };
  const items: unknown[] = [];
  if (isGenerator(result) || isAsyncIterable(result) || isObservable(result)) onStream(items);
  if (isGenerator(result)) return readGenerator(result as unknown as AsyncGenerator | Generator, items);
  if (isAsyncIterable(result)) return { result: await collect(result, items) };
  if (isObservable(result)) return { result: await collectObservable(result, items) };
  return { result };
}

async function readGenerator(generator: AsyncGenerator | Generator, items: unknown[]): Promise<Drained> {
  for (;;) {
    const step: IteratorResult<unknown, unknown> = await generator.next();
    if (step.done === true) return { result: items, returned: step.value };
    items.push(step.value);
  }
}

async function collect(stream: AsyncIterable<unknown>, items: unknown[]): Promise<unknown[]> {
  for await (const item of stream) items.push(item);
  return items;
}

function collectObservable(observable: ObservableLike, items: unknown[]): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    observable.subscribe({
      next: (item: unknown) => items.push(item),
      error: reject,
      complete: () => {
        resolve(items);
      },
    });
  });
}
