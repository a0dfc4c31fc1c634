import { createTestTracer } from '../../testing.js';

const setUp = createTestTracer;

function bytes(...chunks: number[][]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: 'bytes',
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk !== undefined) controller.enqueue(new Uint8Array(chunk));
      else {
        controller.close();
        controller.byobRequest?.respond(0);
      }
    },
  });
}

describe('a followed web stream', () => {
  it('of bytes stays one, for a reader that brings its own buffer', async () => {
    const test = setUp();
    const reader = test.tracer
      .withSpan('k', () => bytes([1, 2, 3], [4]))()
      .getReader({ mode: 'byob' });
    const read: number[] = [];
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(2));
      if (value !== undefined) read.push(...value);
      if (done) break;
    }
    expect(read).toEqual([1, 2, 3, 4]);
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { meta: { stream: { items: 3 } } } }]);
  });

  it('of bytes returns its chunks to a plain reader, and through tee and Response', async () => {
    const test = setUp();
    const call = test.tracer.withSpan('k', () => bytes([104], [105]));
    expect(await new Response(call()).text()).toBe('hi');
    const [left, right] = call().tee();
    expect([await new Response(left).text(), await new Response(right).text()]).toEqual(['hi', 'hi']);
    expect(test.spans.map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('returns the last chunk of a source that ends with it', async () => {
    const test = setUp();
    const call = test.tracer.withSpan(
      'k',
      () =>
        new ReadableStream<string>({
          async pull(controller) {
            await new Promise(setImmediate);
            controller.enqueue('last');
            controller.close();
          },
        }),
    );
    const { value } = await call().getReader().read();
    expect(value).toBe('last');
    expect(await new Response(test.tracer.withSpan('b', () => new Blob(['blob']).stream())()).text()).toBe(
      'blob',
    );
    expect(test.spans).toMatchObject([
      { status: 'ok', span_data: { output: ['last'] } },
      { status: 'ok', span_data: { meta: { stream: { items: 1 } } } },
    ]);
  });

  it('returns the last chunk of a source that fails after it', async () => {
    const test = setUp();
    const error = new Error('reset');
    const reader = test.tracer
      .withSpan(
        'k',
        () =>
          new ReadableStream<string>({
            async start(controller) {
              await new Promise(setImmediate);
              controller.enqueue('last');
              controller.error(error);
            },
          }),
      )()
      .getReader();
    expect(await reader.read()).toEqual({ done: false, value: 'last' });
    await expect(reader.read()).rejects.toBe(error);
    expect(test.spans).toMatchObject([{ status: 'error', span_data: { output: ['last'] } }]);
  });

  it('of bytes ends each read that waits for its end', async () => {
    const test = setUp();
    const reader = test.tracer
      .withSpan(
        'k',
        () =>
          new ReadableStream({
            type: 'bytes',
            async start(controller) {
              await new Promise(setImmediate);
              controller.enqueue(new Uint8Array([7]));
              controller.close();
            },
          }),
      )()
      .getReader({ mode: 'byob' });
    const reads = [reader.read(new Uint8Array(2)), reader.read(new Uint8Array(2))];
    expect((await Promise.all(reads)).map(({ done, value }) => [done, value?.length])).toEqual([
      [false, 1],
      [true, 0],
    ]);
  });

  it('reports an error of its source while nobody reads', async () => {
    const test = setUp();
    let fail!: (error: Error) => void;
    const stream = test.tracer.withSpan(
      'k',
      () =>
        new ReadableStream({
          start: (controller) => {
            fail = (error) => {
              controller.error(error);
            };
          },
        }),
    )();
    const { closed } = stream.getReader();
    const error = new Error('reset');
    fail(error);
    await expect(closed).rejects.toBe(error);
    expect(test.spans).toMatchObject([{ status: 'error' }]);
  });

  it('reports the end of its source without another read', async () => {
    const test = setUp();
    let end!: () => void;
    const stream = test.tracer.withSpan(
      'k',
      () =>
        new ReadableStream({
          start: (controller) => {
            end = () => {
              controller.close();
            };
          },
        }),
    )();
    const { closed } = stream.getReader();
    end();
    await closed;
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });

  it('can be moved to another context', async () => {
    const test = setUp();
    const stream = test.tracer.withSpan('k', () => ReadableStream.from(['a', 'b']))();
    const moved = structuredClone(stream, { transfer: [stream] });
    const items: string[] = [];
    for await (const item of moved) items.push(item);
    expect(items).toEqual(['a', 'b']);
  });

  it('keeps its class and added properties', async () => {
    class Words extends ReadableStream<string> {
      get upper(): Promise<string> {
        return this.getReader()
          .read()
          .then(({ value }) => String(value).toUpperCase());
      }
    }
    const test = setUp();
    const words = test.tracer.withSpan('k', () =>
      Object.assign(
        new Words({
          start(controller) {
            controller.enqueue('a');
            controller.close();
          },
        }),
        { ready: true },
      ),
    )();
    expect([words instanceof Words, words.ready, await words.upper]).toEqual([true, true, 'A']);
    expect(test.spans).toMatchObject([{ status: 'ok', span_data: { output: ['a'] } }]);
  });

  it('of a class with private state is passed on', () => {
    class Counted extends ReadableStream<string> {
      #count = 1;
      get count(): number {
        return this.#count;
      }
    }
    const test = setUp();
    const counted = new Counted();
    expect(test.tracer.withSpan('k', () => counted)()).toBe(counted);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });

  it('that is locked already is passed on', () => {
    const test = setUp();
    const locked = ReadableStream.from(['a']);
    locked.getReader();
    expect(test.tracer.withSpan('k', () => locked)()).toBe(locked);
    expect(test.spans).toMatchObject([{ status: 'ok' }]);
  });
});
