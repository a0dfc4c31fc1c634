import {
  isAsyncIterable,
  isGenerator,
  isObservable,
  type ObservableLike,
} from '../recording/result/result-kinds.js';

/** Waits for a result, and reads it to its end if it is a stream: then it is the list of what it gave. */
export async function drain(result: unknown): Promise<unknown> {
  const value: unknown = await result;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (isAsyncIterable(value)) return collect(value);
  if (isGenerator(value)) return [...(value as unknown as Iterable<unknown>)];
  if (isObservable(value)) return collectObservable(value);
  return value;
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
