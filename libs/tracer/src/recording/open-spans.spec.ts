import { createHook } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { CurrentSpan } from '../context/current-span.js';
import { createTestTracer } from '../testing.js';

describe('open spans', () => {
  it('are sent oldest first at shutdown, in any order of ends', async () => {
    const { tracer, spans } = createTestTracer();
    const ends = new Map<string, () => void>();
    const wait = tracer.withSpan(
      'k',
      (name: string) => new Promise<void>((resolve) => ends.set(name, resolve)),
    );
    const names = ['a', 'b', 'c', 'd', 'e'];
    const calls = names.map((name) => wait(name));
    for (const name of ['a', 'c', 'e']) ends.get(name)!();
    await Promise.all([calls[0], calls[2], calls[4]]);
    await tracer.shutdown();
    expect(spans.map(({ status, span_data }) => [status, span_data.input?.[0]])).toEqual([
      ['ok', 'a'],
      ['ok', 'c'],
      ['ok', 'e'],
      ['unfinished', 'b'],
      ['unfinished', 'd'],
    ]);
    ends.get('b')!();
    await calls[1];
    expect(spans.at(-1)).toMatchObject({ status: 'ok', span_data: { input: ['b'] } });
  });

  it('leave no timer behind at shutdown, which would keep the tracer in memory', async () => {
    const { tracer } = createTestTracer();
    const timers = new Set<number>();
    let isCalling = true;
    const watch = createHook({
      init: (id, type) => {
        if (isCalling && type === 'Timeout') timers.add(id);
      },
      destroy: (id) => timers.delete(id),
    }).enable();
    tracer.withSpan('k', () => 1)();
    isCalling = false;
    expect(timers.size).toBe(1);
    await tracer.shutdown();
    await nextTurn();
    watch.disable();
    expect(timers.size).toBe(0);
  });
});

describe('the content of open spans', () => {
  const MAX_OPEN_BYTES = 10_000;

  function openCalls(count: number, characters: number) {
    const test = createTestTracer({ maxOpenBytes: MAX_OPEN_BYTES });
    const ends: (() => void)[] = [];
    const handles: CurrentSpan[] = [];
    const wait = test.tracer.withSpan<(question: string) => Promise<void>>('k', () => {
      handles.push(test.tracer.getCurrentSpan());
      return new Promise<void>((resolve) => ends.push(resolve));
    });
    const calls = Array.from({ length: count }, (_, number) => wait(`${number}${'x'.repeat(characters)}`));
    const endAll = async (): Promise<unknown> => {
      for (const end of ends) end();
      return Promise.all(calls);
    };
    return { ...test, handles, endAll };
  }

  it('is bounded: the oldest are sent early, and the records of their ends continue those', async () => {
    const { spans, endAll } = openCalls(30, 1000);
    const early = spans.map(({ id }) => id);
    expect(spans.every(({ status }) => status === 'unfinished')).toBe(true);
    expect(spans.map(({ span_data }) => Number.parseInt(span_data.input![0] as string, 10))).toEqual(
      Array.from({ length: 21 }, (_, number) => number),
    );
    await endAll();
    const ended = spans.slice(21);
    expect(ended.map(({ id }) => id).slice(0, 21)).toEqual(early);
    for (const { status, span_data } of ended.slice(0, 21)) {
      expect({ status, span_data }).toEqual({
        status: 'ok',
        span_data: { meta: { continues: true, replayable: false } },
      });
    }
    for (const { span_data } of ended.slice(21)) {
      expect(span_data.input).toHaveLength(1);
      expect(span_data.meta).toBeUndefined();
    }
  });

  it('continues afterwards: later facts are in the final record, with their place', async () => {
    const { spans, handles, endAll } = openCalls(1, 100);
    handles[0]!.addContext({ n: 'x'.repeat(8000) });
    handles[0]!.addContext({ n: 'x'.repeat(4000) });
    expect(spans).toMatchObject([{ status: 'unfinished', span_data: { contexts: [{}, {}] } }]);
    handles[0]!.addContext({ n: 1n });
    await endAll();
    expect(spans[1]?.span_data).toMatchObject({
      contexts: [{ n: '1' }],
      meta: { contexts: { types: { '/2/n': 'bigint' } }, continues: true },
    });
  });

  it('splits a span larger than a line into two', async () => {
    const { tracer, spans } = createTestTracer({ capture: { maxFieldBytes: 7 * 1024 * 1024 } });
    const text = 'x'.repeat(6 * 1024 * 1024);
    expect(tracer.withSpan('copy', (whole: string) => whole)(text)).toBe(text);
    const [beginning, end] = spans.slice(-2);
    expect(beginning).toMatchObject({ id: end!.id, status: 'unfinished', span_data: { input: [text] } });
    expect(end).toMatchObject({
      status: 'ok',
      span_data: { output: text, meta: { continues: true } },
    });
  });

  it('is bounded for a span that grows without end, which reports how much is missing', async () => {
    const { spans, handles, endAll } = openCalls(1, 10);
    for (let n = 0; n < 1000; n++) handles[0]!.addContext({ n: 'x'.repeat(2000) });
    await endAll();
    const kept = spans.flatMap(({ span_data }) => span_data.contexts ?? []);
    expect(kept.length).toBeGreaterThan(5);
    expect(JSON.stringify(kept).length).toBeLessThan(3 * MAX_OPEN_BYTES);
    expect(spans.at(-1)?.span_data.meta?.contexts).toEqual({ truncated: { '': { items: 1000 } } });
  });

  it('is bounded for a trace: large notes leave at once', () => {
    const { tracer, traces } = createTestTracer();
    tracer.withSpan('k', () => {
      const trace = tracer.getCurrentTrace();
      for (let n = 0; n < 20; n++) trace.addContext({ [`key${n}`]: 'x'.repeat(100_000) });
      expect(tracer.stats().recorded).toBeGreaterThan(1);
      trace.setMetadata({ small: 1 });
    })();
    const [{ contexts = {}, metadata } = {}] = traces;
    expect(Object.keys(contexts)).toEqual(Array.from({ length: 20 }, (_, n) => `key${n}`));
    expect(metadata).toEqual({ small: 1 });
  });

  it('is sent at shutdown in turns, so that others are not held up', async () => {
    const { tracer, spans } = openCalls(5000, 0);
    let sentBefore: number | undefined;
    setImmediate(() => (sentBefore = spans.length));
    await tracer.shutdown();
    expect(spans).toHaveLength(5000);
    expect(sentBefore).toBeLessThan(5000);
  });
});
