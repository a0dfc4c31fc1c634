import { createTestTracer } from '../../testing.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a stream of many items that need a note each', () => {
  const COUNT = 20_000;

  /** What takes minutes ends by the test's timeout, once the event loop turns again. */
  async function recordSpan(run: (test: ReturnType<typeof createTestTracer>) => void) {
    const test = createTestTracer();
    await nextTurn();
    run(test);
    await nextTurn();
    return test.spans[0]!.span_data;
  }

  it('ends in time that grows with their number', async () => {
    const { output, meta } = await recordSpan(({ tracer }) => {
      const parts = tracer.withSpan('parts', function* () {
        for (let i = 0; i < COUNT; i++) yield { i, id: undefined };
      });
      expect([...parts()]).toHaveLength(COUNT);
    });
    expect(output).toHaveLength(COUNT);
    expect(Object.keys(meta?.output?.types ?? {})).toHaveLength(COUNT);
  });

  it('counts the notes in its bound, so that its record is never too long to be sent', async () => {
    class Chunk {
      constructor(readonly i: number) {}
    }
    const { output, meta } = await recordSpan(({ tracer }) => {
      const parts = tracer.withSpan('parts', function* () {
        for (let i = 0; i < 5 * COUNT; i++) yield new Chunk(1);
      });
      expect([...parts()]).toHaveLength(5 * COUNT);
    });
    expect(JSON.stringify([output, meta]).length).toBeLessThan(2 * 1024 * 1024);
    const cut = { items: 5 * COUNT, kept: expect.any(Number), tail: expect.any(Number) };
    expect(meta?.output?.truncated).toMatchObject({ '': cut });
  });

  it('and so does a span with as many contexts', async () => {
    const { contexts, meta } = await recordSpan(({ tracer }) => {
      tracer.withSpan('steps', () => {
        for (let i = 0; i < COUNT; i++) tracer.getCurrentSpan().addContext({ i, id: undefined });
      })();
    });
    expect(contexts).toHaveLength(COUNT);
    expect(Object.keys((meta?.['contexts'] as { types: object }).types)).toHaveLength(COUNT);
  });
});

it('records no items where outputs are not recorded', () => {
  for (const capture of [{ output: false }, { output: true }]) {
    const { tracer, spans } = createTestTracer({ capture });
    const parts = tracer.withSpan('parts', function* () {
      yield 'secret';
      return 'secret';
    });
    expect([...parts()]).toEqual(['secret']);
    expect(JSON.stringify(spans).includes('secret')).toBe(capture.output);
    expect(spans[0]?.span_data.meta?.stream).toMatchObject({ items: 1 });
  }
});
