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

/** Waits for a result, and reads it to its end if it is a stream. */
export async function drain(given: unknown): Promise<Drained> {
  const result: unknown = await given;
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return { result };
  if (isGenerator(result)) return readGenerator(result as unknown as AsyncGenerator | Generator);
  if (isAsyncIterable(result)) return { result: await collect(result) };
  if (isObservable(result)) return { result: await collectObservable(result) };
  return { result };
}

async function readGenerator(generator: AsyncGenerator | Generator): Promise<Drained> {
  const items: unknown[] = [];
  for (;;) {
    const step: IteratorResult<unknown, unknown> = await generator.next();
    if (step.done === true) return { result: items, returned: step.value };
    items.push(step.value);
  }
}

async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

function collectObservable(observable: ObservableLike): Promise<unknown[]> {
  const items: unknown[] = [];
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
