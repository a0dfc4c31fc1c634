import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { lastValueFrom, type Observable, take, toArray } from 'rxjs';
import { type RecordedItems, streamMakerOf } from './recorded-stream.js';

/** What was asked of a recorded stream while it was given again. */
interface Asked {
  readonly turns: number[];
  ends: number;
}

/** The stream of a kind that gives items again, and what is asked of the recording meanwhile. */
function streamOf<T>(kind: string, items: readonly unknown[], isAtOnce = false): [T, Asked] {
  const asked: Asked = { turns: [], ends: 0 };
  const recorded: RecordedItems = {
    items,
    isAtOnce,
    turn: async (index) => {
      asked.turns.push(index);
      await Promise.resolve();
    },
    end: () => {
      asked.ends++;
      return undefined;
    },
  };
  return [streamMakerOf(kind)!(recorded) as T, asked];
}

describe('an Observable made again', () => {
  it.each([true, false])('tells its end once, after all items; at once: %p', async (isAtOnce) => {
    const [observable, asked] = streamOf<Observable<unknown>>('observable', [1, 2], isAtOnce);
    expect(await lastValueFrom(observable.pipe(toArray()))).toEqual([1, 2]);
    expect(asked).toEqual({ turns: isAtOnce ? [] : [0, 1, 2], ends: 1 });
  });

  it('does not come to an end that nobody waits for', async () => {
    const [observable, asked] = streamOf<Observable<unknown>>('observable', [1, 2], true);
    expect(await lastValueFrom(observable.pipe(take(2), toArray()))).toEqual([1, 2]);
    expect(asked.ends).toBe(0);
  });

  it('waits for no more turns once nobody is subscribed', async () => {
    const [observable, asked] = streamOf<Observable<unknown>>('observable', [1, 2, 3]);
    expect(await lastValueFrom(observable.pipe(take(1), toArray()))).toEqual([1]);
    await setImmediate();
    expect(asked).toEqual({ turns: [0, 1], ends: 0 });
  });
});

describe('a ReadableStream made again', () => {
  const byob = (stream: ReadableStream): unknown => stream.getReader({ mode: 'byob' });

  it('is read into a buffer of the reader where all of it were bytes', async () => {
    const [stream] = streamOf<ReadableStream>('readable-stream', [new Uint8Array([1, 2])]);
    const { value } = await stream.getReader({ mode: 'byob' }).read(new Uint8Array(8));
    expect(value).toEqual(new Uint8Array([1, 2]));
  });

  it.each([
    ['nothing', []],
    ['bytes and a text', [new Uint8Array([1]), 'text']],
    ['no bytes in an item, which a stream of bytes does not take', [new Uint8Array(), new Uint8Array([1])]],
    ['what only has a length in bytes', [new ArrayBuffer(2)]],
  ])('is one of values where it gave %s', async (_, items) => {
    const [stream] = streamOf<ReadableStream>('readable-stream', items);
    expect(() => byob(stream)).toThrow('must be a byte stream');
    const given: unknown[] = [];
    for await (const item of stream) given.push(item);
    expect(given).toEqual(items);
  });

  it('asks for nothing before it is read', async () => {
    const [stream, asked] = streamOf<ReadableStream>('readable-stream', ['a', 'b']);
    await setImmediate();
    expect(asked.turns).toEqual([]);
    expect(await stream.getReader().read()).toEqual({ value: 'a', done: false });
    expect(asked.turns).toEqual([0]);
  });
});

describe('a stream of Node made again', () => {
  it('is one of bytes where all of it were bytes', async () => {
    const [stream] = streamOf<Readable>('node-readable', [Buffer.from('ab'), Buffer.from('c')]);
    expect(stream.readableObjectMode).toBe(false);
    expect(Buffer.concat(await stream.toArray()).toString()).toBe('abc');
  });

  it('gives each item as it was where one of them were no bytes', async () => {
    const items = [Buffer.from('ab'), 'c'];
    const [stream] = streamOf<Readable>('node-readable', items);
    expect(stream.readableObjectMode).toBe(true);
    expect(await stream.toArray()).toEqual(items);
  });
});
