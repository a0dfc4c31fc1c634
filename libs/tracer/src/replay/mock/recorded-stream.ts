import { Readable } from 'node:stream';
import { loadObservable } from './load-observable.js';

/** What a recorded stream gave, and how it ended: `end` returns when it ended well, else it throws. */
export interface RecordedItems {
  readonly items: readonly unknown[];
  readonly end: () => void;
}

/** Makes a stream of each kind that recording follows (`meta.stream.kind`); `undefined`: it cannot be made here. */
const MAKERS: Partial<Record<string, (recorded: RecordedItems) => (() => unknown) | undefined>> = {
  generator: (recorded) => () => generatorOf(recorded),
  'async-generator': (recorded) => () => asyncGeneratorOf(recorded),
  'async-iterable': (recorded) => () => asyncGeneratorOf(recorded),
  'readable-stream': (recorded) => () => readableStreamOf(recorded),
  'node-readable': (recorded) => () => nodeReadableOf(recorded),
  observable: (recorded) => {
    const Observable = loadObservable();
    return (
      Observable &&
      (() =>
        new Observable((subscriber) => {
          try {
            for (const item of recorded.items) subscriber.next(item);
            recorded.end();
            subscriber.complete();
          } catch (error) {
            subscriber.error(error);
          }
        }))
    );
  },
};

/** A maker of the same stream as was recorded; `undefined` when none can be made of this kind. */
export function streamMakerOf(kind: string, recorded: RecordedItems): (() => unknown) | undefined {
  return Object.hasOwn(MAKERS, kind) ? MAKERS[kind]?.(recorded) : undefined;
}

function* generatorOf({ items, end }: RecordedItems): Generator {
  yield* items;
  end();
}

async function* asyncGeneratorOf({ items, end }: RecordedItems): AsyncGenerator {
  yield* items;
  end();
}

function readableStreamOf(recorded: RecordedItems): ReadableStream<unknown> {
  const steps = generatorOf(recorded);
  const pull = (controller: ReadableStreamDefaultController | ReadableByteStreamController): void => {
    const step = steps.next();
    if (step.done === true) controller.close();
    else controller.enqueue(step.value as Uint8Array<ArrayBuffer>);
  };
  const isOfBytes = recorded.items.length > 0 && recorded.items.every(isBytes);
  return isOfBytes
    ? new ReadableStream({ type: 'bytes', pull })
    : new ReadableStream({ pull }, { highWaterMark: 0 });
}

function isBytes(item: unknown): boolean {
  return item instanceof Uint8Array && item.byteLength > 0;
}

function nodeReadableOf(recorded: RecordedItems): Readable {
  const isOfBytes = recorded.items.every((item) => item instanceof Uint8Array);
  return Readable.from(asyncGeneratorOf(recorded), { objectMode: !isOfBytes });
}
