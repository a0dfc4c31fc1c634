import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Subscriber } from '../../context/observables/rxjs-copy.js';

/** The items of a recorded stream, and its end. */
export interface RecordedItems {
  readonly items: readonly unknown[];
  /** Returns the generator's return value if it ended normally; otherwise throws. */
  readonly end: () => unknown;
  /** Resolves at the turn of the item with this index; the number of items means the end. */
  readonly turn: (index: number) => Promise<void>;
  /** Whether all items arrived during the subscription. */
  readonly isAtOnce: boolean;
}

export type StreamMaker = (recorded: RecordedItems) => unknown;

/** Creates a stream of each recorded kind (`meta.stream.kind`). */
const MAKERS: Partial<Record<string, StreamMaker>> = {
  generator: createGenerator,
  'async-generator': createAsyncGenerator,
  'async-iterable': createAsyncGenerator,
  'readable-stream': createReadableStream,
  'node-readable': createNodeReadable,
};

/** Returns the factory for a recorded kind of stream; `undefined` if it cannot be created. */
export function findStreamMaker(kind: string): StreamMaker | undefined {
  if (kind !== 'observable') return Object.hasOwn(MAKERS, kind) ? MAKERS[kind] : undefined;
  const Observable = loadObservable();
  return (
    Observable &&
    ((recorded) =>
      new Observable((subscriber) => {
        if (recorded.isAtOnce) emit(subscriber, recorded);
        else void emitInTurn(subscriber, recorded);
      }))
  );
}

function* createGenerator({ items, end }: RecordedItems): Generator {
  yield* items;
  return end();
}

async function* createAsyncGenerator({ items, end, turn }: RecordedItems): AsyncGenerator {
  for (const [index, item] of items.entries()) {
    await turn(index);
    yield item;
  }
  await turn(items.length);
  return end();
}

function emit(subscriber: Subscriber, { items, end }: Pick<RecordedItems, 'items' | 'end'>): void {
  try {
    for (const item of items) subscriber.next(item);
    if (subscriber.closed) return;
    end();
    subscriber.complete();
  } catch (error) {
    subscriber.error(error);
  }
}

async function emitInTurn(subscriber: Subscriber, { items, end, turn }: RecordedItems): Promise<void> {
  for (const [index, item] of items.entries()) {
    await turn(index);
    if (subscriber.closed) return;
    subscriber.next(item);
  }
  await turn(items.length);
  emit(subscriber, { items: [], end });
}

function createReadableStream(recorded: RecordedItems): ReadableStream<unknown> {
  const steps = createAsyncGenerator(recorded);
  const pull = async (
    controller: ReadableStreamDefaultController | ReadableByteStreamController,
  ): Promise<void> => {
    const step = await steps.next();
    if (step.done === true) controller.close();
    else controller.enqueue(step.value as Uint8Array<ArrayBuffer>);
  };
  const areBytes = recorded.items.length > 0 && recorded.items.every(isBytes);
  return areBytes
    ? new ReadableStream({ type: 'bytes', pull })
    : new ReadableStream({ pull }, { highWaterMark: 0 });
}

function isBytes(item: unknown): boolean {
  return item instanceof Uint8Array && item.byteLength > 0;
}

function createNodeReadable(recorded: RecordedItems): Readable {
  const areBytes = recorded.items.every((item) => item instanceof Uint8Array);
  return Readable.from(createAsyncGenerator(recorded), { objectMode: !areBytes });
}

type ObservableClass = new (subscribe: (subscriber: Subscriber) => void) => object;

/** Our own stack frames between a call and this function. */
const MOST_FRAMES = 50;

/**
 * Loads `Observable` from the application's `rxjs`. Searches from the files on the call stack, the started script, the working directory
 * and this package, in this order. `undefined` if none has it.
 */
function loadObservable(): ObservableClass | undefined {
  const folder = join(process.cwd(), 'package.json');
  const [ownFile = folder, ...callers] = listStackFiles();
  for (const file of [...callers, process.argv[1] ?? folder, folder, ownFile]) {
    try {
      const rxjs = createRequire(file)('rxjs') as { Observable?: ObservableClass };
      if (rxjs.Observable !== undefined) return rxjs.Observable;
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

/** Unique paths or `file:` addresses: this file, then its callers, nearest first. */
function listStackFiles(): string[] {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = MOST_FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = stackTraceLimit;
  const files = stack
    .split('\n')
    .flatMap((line) => /((?:file:|\/|[A-Z]:\\)[^()]*):\d+:\d+\)?$/.exec(line)?.[1] ?? []);
  return [...new Set(files)];
}
