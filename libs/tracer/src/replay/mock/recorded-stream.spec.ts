import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { lastValueFrom, type Observable, take, toArray } from 'rxjs';
import { type RecordedItems, findStreamMaker } from './recorded-stream.js';

/** What was asked of a recorded stream while it was given again. */
interface Turns {
  readonly turns: number[];
  ends: number;
}

/** The stream of a kind that gives items again, and what is asked of the recording meanwhile. */
function createStream<T>(kind: string, items: readonly unknown[], isAtOnce = false): [T, Turns] {
  const turns: Turns = { turns: [], ends: 0 };
  const recorded: RecordedItems = {
    items,
    isAtOnce,
    turn: async (index) => {
      turns.turns.push(index);
      await Promise.resolve();
    },
    end: () => {
      turns.ends++;
      return undefined;
    },
  };
  return [findStreamMaker(kind)!(recorded) as T, turns];
}

describe('an Observable made again', () => {
  it.each([true, false])('ends once, after all items; at once: %p', async (isAtOnce) => {
    const [observable, turns] = createStream<Observable<unknown>>('observable', [1, 2], isAtOnce);
    expect(await lastValueFrom(observable.pipe(toArray()))).toEqual([1, 2]);
    expect(turns).toEqual({ turns: isAtOnce ? [] : [0, 1, 2], ends: 1 });
  });

  it('does not reach an end that nobody waits for', async () => {
    const [observable, turns] = createStream<Observable<unknown>>('observable', [1, 2], true);
    expect(await lastValueFrom(observable.pipe(take(2), toArray()))).toEqual([1, 2]);
    expect(turns.ends).toBe(0);
  });

  it('waits for no more turns after the last unsubscription', async () => {
    const [observable, turns] = createStream<Observable<unknown>>('observable', [1, 2, 3]);
    expect(await lastValueFrom(observable.pipe(take(1), toArray()))).toEqual([1]);
    await setImmediate();
    expect(turns).toEqual({ turns: [0, 1], ends: 0 });
  });
});

describe('a ReadableStream made again', () => {
  const byob = (stream: ReadableStream): unknown => stream.getReader({ mode: 'byob' });

  it('fills the buffer of the reader when all items are bytes', async () => {
    const [stream] = createStream<ReadableStream>('readable-stream', [new Uint8Array([1, 2])]);
    const { value } = await stream.getReader({ mode: 'byob' }).read(new Uint8Array(8));
    expect(value).toEqual(new Uint8Array([1, 2]));
  });

  it.each([
    ['nothing', []],
    ['bytes and a text', [new Uint8Array([1]), 'text']],
    ['no bytes in an item, which a stream of bytes does not take', [new Uint8Array(), new Uint8Array([1])]],
    ['what only has a length in bytes', [new ArrayBuffer(2)]],
  ])('is one of values where it gave %s', async (_, items) => {
    const [stream] = createStream<ReadableStream>('readable-stream', items);
    expect(() => byob(stream)).toThrow('must be a byte stream');
    const received: unknown[] = [];
    for await (const item of stream) received.push(item);
    expect(received).toEqual(items);
  });

  it('requests nothing before it is read', async () => {
    const [stream, turns] = createStream<ReadableStream>('readable-stream', ['a', 'b']);
    await setImmediate();
    expect(turns.turns).toEqual([]);
    expect(await stream.getReader().read()).toEqual({ value: 'a', done: false });
    expect(turns.turns).toEqual([0]);
  });
});

describe('a stream of Node made again', () => {
  it('is a byte stream when all items are bytes', async () => {
    const [stream] = createStream<Readable>('node-readable', [Buffer.from('ab'), Buffer.from('c')]);
    expect(stream.readableObjectMode).toBe(false);
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('abc');
  });

  it('returns each item unchanged when one of them is not bytes', async () => {
    const items = [Buffer.from('ab'), 'c'];
    const [stream] = createStream<Readable>('node-readable', items);
    expect(stream.readableObjectMode).toBe(true);
    expect(await stream.toArray()).toEqual(items);
  });
});
