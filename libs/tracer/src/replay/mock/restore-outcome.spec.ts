import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { from, isObservable, lastValueFrom, type Observable, take, tap, toArray } from 'rxjs';
import type { RecordedCall } from '@dacapo/protocol';
import {
  startStoredSpansService,
  type StoredSpansService,
} from '../../../test/service/stored-spans-service.js';
import type { CaptureOptions } from '../../options/capture-options.js';
import { createTestTracer, type TestTracer } from '../../testing.js';
import type { ReplayItem } from '../../replay-types.js';
import { restoreOutcome } from './restore-outcome.js';

type Callable = (...args: unknown[]) => unknown;

describe('a mocked call returns the recorded outcome, as the same kind', () => {
  let recorded: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    recorded = createTestTracer({ capture: { codecs: [moneyCodec] } });
    service = await startStoredSpansService(recorded.spans);
  });

  afterEach(() => service.close());

  /**
   * Records what `use` makes of `child`, and plays `use` again with a child that is not to run.
   *
   * @param today what the child is today, if its kind matters
   */
  async function replay<C extends Callable>(
    child: C,
    use: (child: C) => unknown,
    today: Callable = () => {
      throw new Error('a mocked function ran');
    },
  ): Promise<ReplayItem> {
    const wrapped = recorded.tracer.withSpan('child', child);
    await Promise.resolve(recorded.tracer.withSpan('desk', async () => use(wrapped))()).catch(
      () => undefined,
    );
    const { tracer } = createTestTracer({ serviceUrl: service.url, capture: { codecs: [moneyCodec] } });
    const mocked = tracer.withSpan('child', today) as C;
    const desk = tracer.withSpan('desk', async () => use(mocked));
    const { items } = await tracer.replay('desk', desk, { mock: 'all' });
    return items[0]!;
  }

  const collect = async (items: AsyncIterable<unknown>): Promise<unknown[]> => {
    const all: unknown[] = [];
    for await (const item of items) all.push(item);
    return all;
  };

  it('a value at once, a promise as a promise', async () => {
    const describeKind = (child: () => unknown): string => (child() instanceof Promise ? 'promise' : 'value');
    expect((await replay(() => 5, describeKind)).result).toBe('value');
    recorded.clear();
    expect((await replay(async () => Promise.resolve(5), describeKind)).result).toBe('promise');
    recorded.clear();
    expect((await replay(() => Promise.resolve(5), describeKind)).result).toBe('promise');
  });

  it('a promise where the function is async today', async () => {
    const item = await replay(
      () => 5,
      (child) => (child() as unknown) instanceof Promise,
      async () => Promise.resolve(6),
    );
    expect([item.originalOutput, item.result]).toEqual([false, true]);
  });

  it('types that JSON lacks, and classes with a codec', async () => {
    const value = { at: new Date(5), by: new Map([['a', 1n]]), cost: new Money(7), none: undefined };
    const item = await replay(
      () => value,
      (child) => {
        const { at, by, cost } = child();
        return [at.getTime(), by.get('a'), cost instanceof Money && cost.cents];
      },
    );
    expect(item.result).toEqual([5, 1n, 7]);
  });

  it('undefined', async () => {
    const item = await replay(
      (): unknown => undefined,
      (child) => [child()],
    );
    expect(item.result).toEqual([undefined]);
  });

  it('its error, thrown again at once or by the promise, with name, message, code, cause and stack', async () => {
    const fail = (): never => {
      throw Object.assign(new RangeError('too far', { cause: new Error('map') }), { code: 'E_FAR' });
    };
    const caught: unknown[] = [];
    const useSync = (child: () => never): void => {
      try {
        child();
      } catch (error) {
        caught.push(error);
      }
    };
    await replay(fail, useSync);
    recorded.clear();
    await replay(
      async () => Promise.resolve().then(fail),
      async (child) => {
        await child().catch((error: unknown) => caught.push(error));
      },
    );
    expect(caught).toHaveLength(4);
    for (const [original, again] of [caught.slice(0, 2), caught.slice(2)]) {
      expect(again).not.toBe(original);
      expect(again).toBeInstanceOf(RangeError);
      expect(again).toMatchObject({ message: 'too far', code: 'E_FAR', cause: { message: 'map' } });
      expect((again as Error).stack).toBe((original as Error).stack);
    }
  });

  it('an error of a class of the application as an Error that bears its name', async () => {
    class OrderNotFound extends Error {
      override readonly name = 'OrderNotFound';
    }
    const names: unknown[] = [];
    await replay(
      () => {
        throw new OrderNotFound('77');
      },
      (child: () => never) => {
        try {
          child();
        } catch (error) {
          names.push([(error as Error).name, error instanceof Error, String(error)]);
        }
      },
    );
    expect(names[1]).toEqual(['OrderNotFound', true, 'OrderNotFound: 77']);
  });

  it('a thrown value that is not an error', async () => {
    const thrown: unknown[] = [];
    for (const value of ['text', 7, 7n, null, undefined, true]) {
      recorded.clear();
      await replay(
        () => {
          throw value as unknown as Error;
        },
        (child: () => never) => {
          try {
            child();
          } catch (error) {
            thrown.push(error);
          }
        },
      );
    }
    expect(thrown).toEqual(['text', 'text', 7, 7, 7n, 7n, null, null, undefined, undefined, true, true]);
  });

  it('a generator', async () => {
    const item = await replay(
      function* () {
        yield 1;
        yield 2;
      },
      (child) => [...child()],
    );
    expect(item.result).toEqual([1, 2]);
  });

  it('a generator, with its return value and all types', async () => {
    const item = await replay(
      function* (): Generator<number, object> {
        yield 1;
        return { done: 7n, at: new Date(5) };
      },
      (child) => {
        const generator = child();
        return [generator.next(), generator.next(), generator.next()];
      },
    );
    expect(item.result).toEqual(item.originalOutput);
    expect(item.result).toEqual([
      { value: 1, done: false },
      { value: { done: 7n, at: new Date(5) }, done: true },
      { value: undefined, done: true },
    ]);
  });

  it('a generator that another delegates to with yield*, with its return value', async () => {
    const item = await replay(
      async function* (): AsyncGenerator<string, number> {
        yield await Promise.resolve('token');
        return 42;
      },
      async (child) => {
        const outer = async function* (): AsyncGenerator {
          yield { returned: yield* child() };
        };
        return collect(outer());
      },
    );
    expect(item.result).toEqual(['token', { returned: 42 }]);
  });

  it('nothing of a generator whose return value cannot be rebuilt', async () => {
    const item = await replay(
      function* (): Generator<number, object> {
        yield 1;
        return new Voucher(5);
      },
      (child) => [...child()],
    );
    expect(item.error).toMatchObject({
      message: expect.stringContaining('what its generator returned at its end cannot be rebuilt'),
    });
  });

  it('of a generator that was recorded before its return value was, undefined', () => {
    const call: RecordedCall = {
      trace_id: 't',
      span_id: 's',
      name: 'n',
      type: 'llm',
      status: 'ok',
      started_at: '2026-01-31T12:00:00.000000Z',
      output: [1],
      meta: { stream: { kind: 'generator', items: 1 } },
    };
    const outcome = restoreOutcome(call, [], (reason) => {
      throw new Error(reason);
    });
    const generator = 'give' in outcome && outcome.give(() => Promise.resolve());
    expect([...(generator as Generator)]).toEqual([1]);
  });

  it('an Observable that emitted everything at once, at once', async () => {
    const item = await replay(
      () => from([1, 2]),
      (child) => {
        const seen: unknown[] = [];
        child().subscribe((value) => seen.push(value));
        return [...seen];
      },
    );
    expect(item).toMatchObject({ result: [1, 2], divergences: [] });
  });

  it('an Observable that took time, later', async () => {
    const item = await replay(
      () => from(Promise.resolve(1)),
      async (child) => {
        const seen: unknown[] = [];
        const observable = child();
        observable.subscribe((value) => seen.push(value));
        seen.push('subscribed');
        await lastValueFrom(observable);
        return seen;
      },
    );
    expect(item.result).toEqual(['subscribed', 1]);
  });

  it('an async generator as an async iterable, and the error it ended with', async () => {
    const item = await replay(
      async function* (): AsyncGenerator<number> {
        yield await Promise.resolve(1);
        throw new Error('cut off');
      },
      async (child) => {
        const seen: unknown[] = [];
        try {
          for await (const item of child()) seen.push(item);
        } catch (error) {
          seen.push((error as Error).message);
        }
        return seen;
      },
    );
    expect(item.result).toEqual([1, 'cut off']);
  });

  it('an async generator at once where the function is one today', async () => {
    const item = await replay(
      async function* (): AsyncGenerator<number> {
        yield await Promise.resolve(1);
      },
      async (child) => collect(child()),
      async function* (): AsyncGenerator<number> {
        yield await Promise.resolve(2);
      },
    );
    expect(item.result).toEqual([1]);
  });

  it('a stream object of a library as an async iterable, by its promise', async () => {
    const item = await replay(
      async () =>
        Promise.resolve({
          async *[Symbol.asyncIterator]() {
            yield await Promise.resolve('a');
            yield 'b';
          },
        }),
      async (child) => collect(await child()),
    );
    expect(item.result).toEqual(['a', 'b']);
  });

  it('a ReadableStream, of values or of bytes', async () => {
    const createStream = (chunks: unknown[]) => () => ReadableStream.from(chunks);
    const use = async (child: () => ReadableStream<unknown>): Promise<unknown[]> => {
      const stream = child();
      return [stream instanceof ReadableStream, await collect(stream)];
    };
    expect((await replay(createStream([{ a: 1 }, 'b']), use)).result).toEqual([true, [{ a: 1 }, 'b']]);
    recorded.clear();
    const bytes = (await replay(createStream([new Uint8Array([1, 2])]), use)).result;
    expect(bytes).toEqual([true, [new Uint8Array([1, 2])]]);
  });

  it('a stream of Node', async () => {
    const item = await replay(
      () => Readable.from([Buffer.from('ab'), Buffer.from('c')]),
      async (child) => {
        const stream = child();
        return [stream instanceof Readable, (await buffer(stream)).toString()];
      },
    );
    expect(item.result).toEqual([true, 'abc']);
  });

  it('a Node stream of texts, as texts', async () => {
    const item = await replay(
      () => Readable.from(['ab', 'c']),
      (child) => child().toArray(),
    );
    expect(item).toMatchObject({ result: ['ab', 'c'], originalOutput: ['ab', 'c'] });
  });

  it('an Observable', async () => {
    const item = await replay(
      () => from([1, 2, 3]),
      async (child) => {
        const observable = child();
        return [isObservable(observable), await lastValueFrom(observable.pipe(toArray()))];
      },
    );
    expect(item.result).toEqual([true, [1, 2, 3]]);
  });

  it('a stream that its consumer left early, up to there and not beyond', async () => {
    const takeFirst =
      (count: number) =>
      async (child: () => Observable<number>): Promise<number[]> =>
        lastValueFrom(child().pipe(take(count), toArray()));
    expect((await replay(() => from([1, 2, 3]), takeFirst(2))).result).toEqual([1, 2]);
    recorded.clear();
    let count = 2;
    const item = await replay(
      () => from([1, 2, 3]),
      (child: () => Observable<number>) => takeFirst(count++)(child),
    );
    expect(item.error).toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      message: expect.stringContaining('its consumer stopped after 2 items'),
    });
    expect(item.divergences).toMatchObject([{ kind: 'unanswerable', path: ['child'] }]);
  });

  it.each<[string, CaptureOptions, () => unknown, RegExp, RegExp]>([
    [
      'was cut',
      { maxFieldBytes: 4096 },
      () => 'x'.repeat(10_000),
      /its output was cut/,
      /higher capture\.maxFieldBytes, or/,
    ],
    [
      'holds what cannot be made again',
      {},
      () => ({ later: Promise.resolve() }),
      /class Promise, which cannot be rebuilt/,
      /a codec for the class \(capture\.codecs\)/,
    ],
    [
      'is of a class with methods',
      {},
      () => new Voucher(5),
      /class Voucher,/,
      /a codec for the class \(capture\.codecs\)/,
    ],
    ['was not recorded', { output: false }, () => 1, /was not recorded/, /with its output \(captureOutput/],
  ])('no output that %s: that is a miss with its cure', async (_, capture, child, message, cure) => {
    recorded = createTestTracer({ capture });
    await service.close();
    service = await startStoredSpansService(recorded.spans);
    const item = await replay(child, (mocked) => [mocked()]);
    expect(item.error).toMatchObject({
      code: 'TRACER_REPLAY_MOCK_MISS',
      message: expect.stringMatching(message),
    });
    expect(item.error).toMatchObject({ message: expect.stringMatching(cure) });
    expect(item.divergences).toMatchObject([
      { kind: 'unanswerable', path: ['child'], reason: expect.stringMatching(message) },
    ]);
  });

  it.each<[Partial<RecordedCall>, string]>([
    [{ status: 'unfinished' }, 'it did not finish in the recording'],
    [{ status: 'cancelled' }, 'it was cancelled'],
    [{ status: 'error' }, 'its error was not recorded'],
    [
      { output: 1, meta: { stream: { kind: 'baml-stream', items: 1 } } },
      'what its baml-stream gave was not recorded item by item',
    ],
    [
      { output: [], meta: { stream: { kind: 'teleprinter', items: 0 } } },
      'it returned a teleprinter, which cannot be rebuilt here',
    ],
    [
      { output: { cost: 7 }, meta: { output: { types: { '/cost': { type: 'codec', name: 'Money' } } } } },
      'its output was encoded by the codec "Money", which is missing from capture.codecs',
    ],
  ])('nothing for %j', (changes, reason) => {
    const call: RecordedCall = {
      trace_id: 't',
      span_id: 's',
      name: 'n',
      type: 'llm',
      status: 'ok',
      started_at: '2026-01-31T12:00:00.000000Z',
      ...changes,
    };
    const never = (): never => {
      throw new Error('not asked');
    };
    expect(restoreOutcome(call, [], never)).toMatchObject({ reason });
  });

  it('a stream that failed with an error that was not recorded, which does not end well', async () => {
    const call: RecordedCall = {
      trace_id: 't',
      span_id: 's',
      name: 'n',
      type: 'llm',
      status: 'error',
      output: [1, 2],
      started_at: '2026-01-31T12:00:00.000000Z',
      meta: { stream: { kind: 'observable', items: 2 } },
    };
    const outcome = restoreOutcome(call, [], (reason) => {
      throw new Error(reason);
    });
    if (!('give' in outcome)) throw new Error(outcome.reason);
    const received: number[] = [];
    const numbers = outcome.give(async () => undefined) as Observable<number>;
    const ended = lastValueFrom(numbers.pipe(tap((item) => received.push(item))));
    await expect(ended).rejects.toThrow('it failed after 2 items, and its error was not recorded');
    expect(received).toEqual([1, 2]);
  });
});

class Voucher {
  constructor(readonly percent: number) {}
  off(cents: number): number {
    return (cents * (100 - this.percent)) / 100;
  }
}

class Money {
  constructor(readonly cents: number) {}
}

const moneyCodec = {
  name: 'Money',
  recognise: (value: object) => value instanceof Money,
  encode: (money: object) => (money as Money).cents,
  decode: (cents: unknown) => new Money(cents as number),
};
