import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Subscriber } from '../../context/observables/rxjs-copy.js';

/** What a recorded stream gave, and how it ended. */
export interface RecordedItems {
  readonly items: readonly unknown[];
  /** Gives what a generator returned, when it ended well; else it throws. */
  readonly end: () => unknown;
  /** Resolves when it is the turn of an item, by its index; for the end, of their number. */
  readonly turn: (index: number) => Promise<void>;
  /** All of it came while it was subscribed to. */
  readonly isAtOnce: boolean;
}

export type StreamMaker = (recorded: RecordedItems) => unknown;

/** Makes a stream of each kind that recording follows (`meta.stream.kind`). */
const MAKERS: Partial<Record<string, StreamMaker>> = {
  generator: createGenerator,
  'async-generator': createAsyncGenerator,
  'async-iterable': createAsyncGenerator,
  'readable-stream': createReadableStream,
  'node-readable': createNodeReadable,
};

/** What makes the same stream as was recorded; `undefined` when none can be made of this kind. */
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

/** Frames of ours that stand between a call and this. */
const MOST_FRAMES = 50;

/**
 * The Observable of the application's `rxjs`: that of the files that lead to this call, of the script that was started, of
 * the working directory, or the one beside this package. `undefined` when there is none.
 */
function loadObservable(): ObservableClass | undefined {
  const folder = join(process.cwd(), 'package.json');
  const [ownFile = folder, ...callers] = listStackFiles();
  for (const file of [...callers, process.argv[1] ?? folder, folder, ownFile]) {
    try {
      const rxjs = createRequire(file)('rxjs') as { Observable?: ObservableClass };
      if (rxjs.Observable !== undefined) return rxjs.Observable;
    } catch {
      // It may be beside the next one.
    }
  }
  return undefined;
}

/** Paths or `file:` addresses, each once: this file, then those that lead to it, the nearest first. */
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
