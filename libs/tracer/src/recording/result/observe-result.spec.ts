import { Readable } from 'node:stream';
import { types } from 'node:util';
import { BehaviorSubject, interval, lastValueFrom, map, of, take, throwError } from 'rxjs';
import { getCurrentSpan } from '../../context/handles.js';
import { createTestTracer, type TestTracer } from '../../testing.js';

const setUp = createTestTracer;

async function collect<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

/** What the last span says of its stream. */
function outcome({ spans }: TestTracer): Record<string, unknown> {
  const { status, span_data } = spans.at(-1)!;
  return { status, output: span_data.output, stream: span_data.meta?.['stream'] };
}

describe('promises with more members', () => {
  class ApiPromise<T> extends Promise<T> {
    readonly #client = 'client';
    async withResponse(): Promise<{ data: T; client: string }> {
      return { data: await this, client: this.#client };
    }
  }
  const create = (): ApiPromise<string> => new ApiPromise((resolve) => setTimeout(resolve, 1, 'answer'));

  it('keep their methods, and end the span when they are awaited', async () => {
    const test = setUp();
    const promise = test.tracer.withSpan('k', create)();
    expect(promise).toBeInstanceOf(ApiPromise);
    expect(await promise).toBe('answer');
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { output: 'answer' } }]);
  });

  it('end the span when another of their promises settles', async () => {
    const test = setUp();
    expect(await test.tracer.withSpan('k', create)().withResponse()).toEqual({
      data: 'answer',
      client: 'client',
    });
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { output: { data: 'answer' } } }]);
  });

  it('reject with the same error, through then, catch and finally', async () => {
    const test = setUp();
    const error = new Error('refused');
    const failing = test.tracer.withSpan(
      'k',
      () => new ApiPromise((_, reject) => setTimeout(reject, 1, error)),
    );
    await expect(failing()).rejects.toBe(error);
    await expect(failing().finally(() => undefined)).rejects.toBe(error);
    expect(await failing().catch((caught: unknown) => caught)).toBe(error);
    expect(test.spans.map(({ status }) => status)).toEqual(['error', 'error', 'error']);
  });

  it('do not start lazy work: a query runs once, when its caller starts it', async () => {
    const test = setUp();
    let runs = 0;
    const query = test.tracer.withSpan('k', () => ({
      then: (done: (rows: number[]) => void) => {
        runs++;
        done([1]);
      },
    }))();
    await Promise.resolve();
    expect(runs).toBe(0);
    expect(await query).toEqual([1]);
    expect(runs).toBe(1);
    expect(test.spans).toMatchObject([{ span_data: { output: [1] } }]);
  });
});

describe('generators', () => {
  function* count(to: number): Generator<number, string> {
    for (let n = 1; n <= to; n++) yield n;
    return 'done';
  }

  async function* countSlowly(to: number): AsyncGenerator<number> {
    for (let n = 1; n <= to; n++) {
      await Promise.resolve();
      yield n;
    }
  }

  it('are gathered in each call that hands them on', () => {
    const { tracer, spans } = createTestTracer();
    const inner = tracer.withSpan('inner', function* () {
      yield 'a';
      return 'b';
    });
    const outer = tracer.withSpan('outer', () => inner());
    expect([...outer()]).toEqual(['a']);
    expect(spans.map(({ name, span_data }) => [name, span_data.output])).toEqual([
      ['inner', ['a']],
      ['outer', ['a']],
    ]);
  });

  it('are recorded item by item to their end', async () => {
    const test = setUp();
    expect([...test.tracer.withSpan('k', count)(3)]).toEqual([1, 2, 3]);
    expect(outcome(test)).toMatchObject({
      status: 'ok',
      output: [1, 2, 3],
      stream: { kind: 'generator', items: 3 },
    });

    const items: number[] = [];
    for await (const item of test.tracer.withSpan('k', countSlowly)(2)) items.push(item);
    expect(items).toEqual([1, 2]);
    expect(outcome(test)).toMatchObject({
      status: 'ok',
      output: [1, 2],
      stream: { kind: 'async-generator', items: 2, time_to_first_item_ms: expect.any(Number) },
    });
  });

  it('are cancelled by an early break', async () => {
    const test = setUp();
    for (const item of test.tracer.withSpan('k', count)(9)) if (item === 2) break;
    expect(outcome(test)).toMatchObject({ status: 'cancelled', output: [1, 2] });
    for await (const item of test.tracer.withSpan('k', countSlowly)(9)) if (item === 1) break;
    expect(outcome(test)).toMatchObject({ status: 'cancelled', output: [1] });
  });

  it('keep the items before an error, and rethrow it', async () => {
    const test = setUp();
    const error = new Error('midway');
    const failing = test.tracer.withSpan('k', async function* () {
      yield 1;
      await Promise.resolve();
      throw error;
    });
    await expect(collect(failing())).rejects.toBe(error);
    expect(outcome(test)).toMatchObject({ status: 'error', output: [1] });
    expect(test.spans[0]!.span_data.error).toMatchObject({ message: 'midway' });
  });

  it('run their body inside the span, and only while it runs', async () => {
    const test = setUp();
    const inner = test.tracer.withSpan('inner', () => 1);
    const outer = test.tracer.withSpan('outer', async function* () {
      yield inner();
      await Promise.resolve();
      yield inner();
    });
    const between: string[] = [];
    for await (const item of outer()) between.push(`${item}${getCurrentSpan().traceId}`);
    expect(between).toEqual(['1', '1']);
    const [first, second, parent] = test.spans;
    expect([first!.parent_id, second!.parent_id]).toEqual([parent!.id, parent!.id]);
  });

  it.each([
    ['generator', count, [1, 2]],
    ['async-generator', countSlowly, [1, 2]],
  ])('are recorded by each traced function that passes a %s on', async (kind, fn, items) => {
    const test = setUp();
    const inner = test.tracer.withSpan('inner', fn as (to: number) => AsyncIterable<number>);
    const outer = test.tracer.withSpan('outer', (to: number) => inner(to));
    const received: number[] = [];
    for await (const item of outer(2)) received.push(item);
    expect(received).toEqual(items);
    expect(test.spans.map(({ trace_function_key: key }) => key)).toEqual(['inner', 'outer']);
    expect(outcome(test)).toMatchObject({ status: 'ok', output: items, stream: { kind, items: 2 } });
  });
});

describe('streams', () => {
  it('web streams return the same chunks, and are recorded to their end', async () => {
    const test = setUp();
    const stream = test.tracer.withSpan('k', () => ReadableStream.from(['a', 'b']))();
    expect(await collect(stream)).toEqual(['a', 'b']);
    expect(outcome(test)).toMatchObject({
      status: 'ok',
      output: ['a', 'b'],
      stream: { kind: 'readable-stream' },
    });
  });

  it('web streams pull only as their consumer pulls, and pass on its cancel', async () => {
    const test = setUp();
    let pulled = 0;
    let cancelled: unknown;
    const source = (): ReadableStream<number> =>
      new ReadableStream(
        {
          pull: (controller) => {
            controller.enqueue(++pulled);
          },
          cancel: (reason) => {
            cancelled = reason;
          },
        },
        { highWaterMark: 0 },
      );
    const reader = test.tracer.withSpan('k', source)().getReader();
    expect(await reader.read()).toEqual({ done: false, value: 1 });
    expect(pulled).toBe(1);
    await reader.cancel('enough');
    expect(cancelled).toBe('enough');
    expect(outcome(test)).toMatchObject({ status: 'cancelled', output: [1] });
  });

  it('Node streams stay the same object and are recorded without consuming them', async () => {
    const test = setUp();
    const source = Readable.from(['x', 'y']);
    const stream = test.tracer.withSpan('k', () => source)();
    expect(stream).toBe(source);
    await new Promise((resolve) => setImmediate(resolve));
    expect(stream.readableFlowing).toBe(null);
    expect(await collect(stream)).toEqual(['x', 'y']);
    await new Promise((resolve) => setImmediate(resolve));
    expect(outcome(test)).toMatchObject({
      status: 'ok',
      output: ['x', 'y'],
      stream: { kind: 'node-readable' },
    });
  });

  it('a Node stream that is destroyed ends as error or cancelled, its error still unhandled or handled by the host', async () => {
    const test = setUp();
    const make = test.tracer.withSpan('k', () => new Readable({ read: () => undefined }));
    const failing = make();
    const seen = new Promise((resolve) => failing.once('error', resolve));
    const error = new Error('reset');
    failing.destroy(error);
    expect(await seen).toBe(error);
    const closed = make();
    const close = new Promise((resolve) => closed.once('close', resolve));
    closed.destroy();
    await close;
    expect(test.spans.map(({ status }) => status)).toEqual(['error', 'cancelled']);
  });

  it('objects that can be iterated over keep their other members', async () => {
    const test = setUp();
    class ModelStream {
      readonly #chunks = ['he', 'llo'];
      readonly id = 'response-1';
      async *[Symbol.asyncIterator](): AsyncGenerator<string> {
        yield* this.#chunks;
      }
      size(): number {
        return this.#chunks.length;
      }
    }
    const stream = test.tracer.withSpan('k', () => new ModelStream())();
    expect([stream.id, stream.size(), stream instanceof ModelStream]).toEqual(['response-1', 2, true]);
    const chunks: string[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks).toEqual(['he', 'llo']);
    expect(outcome(test)).toMatchObject({ status: 'ok', output: ['he', 'llo'] });
  });
});

describe('Observables', () => {
  it('record a span for each subscription, and none without', async () => {
    const test = setUp();
    const numbers = test.tracer.withSpan('k', (n: number) => of(n, n + 1))(1);
    expect(test.spans).toHaveLength(0);
    expect(await lastValueFrom(numbers)).toBe(2);
    expect(await lastValueFrom(numbers.pipe(map((n) => n * 10)))).toBe(20);
    expect(test.spans).toHaveLength(2);
    expect(new Set(test.spans.map(({ id }) => id)).size).toBe(2);
    for (const { span_data, status } of test.spans) {
      expect([status, span_data.input, span_data.output]).toEqual(['ok', [1], [1, 2]]);
    }
  });

  it('are cancelled through the operators that unsubscribe', async () => {
    const test = setUp();
    expect(
      await lastValueFrom(
        test.tracer
          .withSpan('k', () => interval(1))()
          .pipe(take(2)),
      ),
    ).toBe(1);
    expect(outcome(test)).toMatchObject({ status: 'cancelled', output: [0, 1] });
  });

  it('record their error and pass it on', async () => {
    const test = setUp();
    const error = new Error('no');
    await expect(lastValueFrom(test.tracer.withSpan('k', () => throwError(() => error))())).rejects.toBe(
      error,
    );
    expect(outcome(test)).toMatchObject({ status: 'error' });
  });

  it('keep the other members of a Subject', () => {
    const test = setUp();
    const subject = test.tracer.withSpan('k', () => new BehaviorSubject(1))();
    const seen: number[] = [];
    const subscription = subject.subscribe((value) => seen.push(value));
    subject.next(2);
    subscription.unsubscribe();
    expect([seen, subject.value]).toEqual([[1, 2], 2]);
  });
});

describe('plain promises', () => {
  it('are passed on as plain promises with the same value', async () => {
    const { tracer } = setUp();
    const promise = tracer.withSpan('k', async () => Promise.resolve(1))();
    expect(types.isProxy(promise)).toBe(false);
    expect(await promise).toBe(1);
  });
});

describe('results that are just values', () => {
  it.each([
    ['an array', [1, 2]],
    ['a Map', new Map([[1, 2]])],
    ['a function', (): number => 1],
    ['null', null],
  ])('%s is the same object', (_, value) => {
    const test = setUp();
    expect(test.tracer.withSpan('k', () => value)()).toBe(value);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });

  it('an object with throwing members is passed through', () => {
    const test = setUp({ logger: { warn: () => undefined } });
    const hostile: object = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        has: () => {
          throw new Error('trap');
        },
      },
    );
    expect(Object.is(test.tracer.withSpan('k', () => hostile)(), hostile)).toBe(true);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });

  it('a long stream is recorded up to a limit, with a note', () => {
    const test = setUp();
    const many = test.tracer.withSpan('k', function* () {
      for (let n = 0; n < 40; n++) yield 'x'.repeat(100_000);
    });
    expect([...many()]).toHaveLength(40);
    const { span_data } = test.spans[0]!;
    expect((span_data.output as string[]).length).toBeLessThan(13);
    expect(span_data.meta).toMatchObject({
      output: { truncated: { '': { items: 40 } } },
      stream: { items: 40 },
    });
  });
});
