import { types } from 'node:util';
import { createTestTracer } from '../../testing.js';

const setUp = createTestTracer;

class ApiPromise<T> extends Promise<T> {
  parse(): Promise<T> {
    return this.then((value) => value);
  }
}

class Lazy {
  runs = 0;
  #table = 'orders';
  get table(): string {
    return this.#table;
  }
  set table(name: string) {
    this.#table = name;
  }
  exec(): Promise<string> {
    this.runs++;
    return Promise.resolve(this.#table);
  }
  then<R>(onFulfilled: (value: string) => R, onRejected?: (error: unknown) => R): Promise<R> {
    return this.exec().then(onFulfilled, onRejected);
  }
}

describe('a promise of a stream', () => {
  async function* tokens(): AsyncGenerator<string> {
    yield 'he';
    yield 'llo';
  }

  it('is followed to the end of the stream, also when it is more than a promise', async () => {
    const test = setUp();
    const call = test.tracer.withSpan(
      'k',
      () =>
        new ApiPromise((resolve) => {
          resolve(tokens());
        }),
    );
    const promise = call() as Promise<AsyncGenerator<string>>;
    const stream = await promise;
    expect(await promise).toBe(stream);
    expect(test.spans).toHaveLength(0);
    const items: string[] = [];
    for await (const item of stream) items.push(item);
    expect(items).toEqual(['he', 'llo']);
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { output: ['he', 'llo'] } }]);
  });

  it('keeps a web stream readable however often the promise is awaited', async () => {
    const test = setUp();
    const promise = test.tracer.withSpan(
      'k',
      () =>
        new ApiPromise((resolve) => {
          resolve(ReadableStream.from(['a']));
        }),
    )() as Promise<ReadableStream<string>>;
    expect(await promise).toBe(await promise);
    expect(await (await promise).getReader().read()).toEqual({ done: false, value: 'a' });
  });
});

describe('a lazy query', () => {
  it('returns real promises from its methods', async () => {
    const test = setUp();
    const query = test.tracer.withSpan('k', () => new Lazy())();
    const rows = query.exec();
    expect(types.isPromise(rows)).toBe(true);
    expect(await Promise.prototype.then.call(rows, (value) => value)).toBe('orders');
    expect(query.runs).toBe(1);
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { output: 'orders' } }]);
  });

  it('sets values through setters, and has no additional members', async () => {
    const query = setUp().tracer.withSpan('k', () => new Lazy())();
    query.table = 'users';
    expect(await query).toBe('users');
    expect((query as unknown as Promise<unknown>).finally).toBeUndefined();
    expect((query as unknown as Promise<unknown>).catch).toBeUndefined();
  });

  it('returns the same method each time', () => {
    const query = setUp().tracer.withSpan('k', () => new Lazy())();
    expect(query.exec).toBe(query.exec);
    expect(query.then).toBe(query.then);
  });

  it('that throws at once ends the span with that error', async () => {
    const { tracer, spans } = setUp();
    const error = new Error('closed');
    const query = tracer.withSpan('query', (): unknown => ({
      limit: 1,
      then: () => {
        throw error;
      },
    }));
    await expect(async () => query()).rejects.toBe(error);
    expect(spans).toMatchObject([{ status: 'error', span_data: { error: { message: 'closed' } } }]);
  });

  it('runs inside the span, and its awaiting code outside', async () => {
    const { tracer, spans } = setUp();
    const send = tracer.withSpan('send', async () => 'rows');
    const lazy = {
      then: (onFulfilled: (rows: string) => unknown, onRejected: (error: unknown) => unknown) =>
        send().then(onFulfilled, onRejected),
      limit: 1,
    };
    const query = tracer.withSpan('query', () => lazy);
    const after = tracer.withSpan('after', () => 1);
    await tracer.withSpan('root', async () => {
      await query();
      after();
      await query().then(after, after);
    })();
    await new Promise(setImmediate);
    const findId = (key: string): unknown => spans.find((span) => span.trace_function_key === key)?.id;
    const parents = spans.map((span) => [span.trace_function_key, span.parent_id]);
    expect(parents.filter(([key]) => key === 'send')[0]).toEqual(['send', findId('query')]);
    expect(parents.filter(([key]) => key === 'after')).toEqual([
      ['after', findId('root')],
      ['after', findId('root')],
    ]);
  });
});
