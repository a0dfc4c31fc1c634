/** The possible results of a call. */
export const KINDS = ['value', 'generator', 'async-generator', 'async-iterable'] as const;
/** The course of a call. */
export interface Course {
  readonly kind: (typeof KINDS)[number];
  readonly items: readonly unknown[];
  readonly returned?: unknown;
  /** The message of the error that it throws at the end. */
  readonly fails?: string;
  /** The consumer stops before this item. */
  readonly stopsAt?: number;
}

export function follow({ kind, items, returned, fails }: Course): unknown {
  const end = (): unknown => {
    if (fails !== undefined) throw new Error(fails);
    return returned;
  };
  switch (kind) {
    case 'value':
      end();
      return items[0];
    case 'generator':
      return (function* () {
        yield* items;
        return end();
      })();
    case 'async-generator':
      return (async function* () {
        await Promise.resolve();
        yield* items;
        return end();
      })();
    case 'async-iterable':
      return {
        async *[Symbol.asyncIterator]() {
          await Promise.resolve();
          yield* items;
          end();
        },
      };
  }
}

export async function consume(value: unknown, stopsAt = Infinity): Promise<void> {
  if (typeof value !== 'object' || value === null || !('next' in value || Symbol.asyncIterator in value))
    return;
  let read = 0;
  for await (const item of value as AsyncIterable<unknown>)
    if (read++ >= stopsAt || item === undefined) break;
}
