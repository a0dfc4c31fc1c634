import { createTestTracer } from '../testing.js';

const setUp = createTestTracer;

describe('a recorded call', () => {
  it('SPEC 4.2 rule 1: captures the arguments as input, as they were when it was called', async () => {
    const { tracer, spans } = setUp();
    const basket = { items: ['a'] };
    await tracer.withSpan('k', async (mine: typeof basket) => {
      mine.items.push('b');
      await Promise.resolve();
      return mine.items.length;
    })(basket);
    expect(spans[0]!.span_data).toMatchObject({ input: [{ items: ['a'] }], output: 2 });
  });

  it('SPEC 4.2 rule 2: an anonymous function without parameters leaves the span without input', async () => {
    const { tracer, spans } = setUp();
    const fn = async (text: string): Promise<string> => text.toUpperCase();
    await tracer.withSpan('k', async () => fn('hidden'))();
    await tracer.withSpan('k', fn)('shown');
    expect(spans[0]!.span_data).not.toHaveProperty('input');
    expect(spans[1]!.span_data.input).toEqual(['shown']);
  });

  it('SPEC 4.2 rule 3: nests by call stack across awaits, timers and parallel branches', async () => {
    const { tracer, spans } = setUp();
    const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
    const leaf = tracer.withSpan('leaf', async (name: string) => {
      await sleep(Math.random() * 5);
      return name;
    });
    const branch = tracer.withSpan('branch', async (name: string) => {
      await sleep(1);
      await Promise.all([leaf(`${name}1`), leaf(`${name}2`)]);
    });
    const root = tracer.withSpan('root', async () => {
      await Promise.all([branch('a'), branch('b')]);
      await new Promise<void>((resolve) => setTimeout(resolve, 1));
      await leaf('late');
    });
    await Promise.all([root(), root()]);

    const roots = spans.filter(({ trace_function_key }) => trace_function_key === 'root');
    expect(roots).toHaveLength(2);
    for (const { id, trace_id } of roots) {
      const mine = spans.filter((span) => span.trace_id === trace_id);
      const findParent = (input: string): string | undefined => {
        const span = mine.find(({ span_data }) => span_data.input?.[0] === input)!;
        const parent = mine.find((candidate) => candidate.id === span.parent_id)!;
        return parent.id === id ? 'root' : (parent.span_data.input?.[0] as string);
      };
      expect(mine).toHaveLength(8);
      expect(['a', 'b', 'a1', 'a2', 'b1', 'b2', 'late'].map(findParent)).toEqual([
        'root',
        'root',
        'a',
        'a',
        'b',
        'b',
        'root',
      ]);
    }
  });

  it('SPEC 4.2 rule 4: records the error and the timing, and throws the same object again', async () => {
    let nowMs = 1000;
    const { tracer, spans } = setUp(
      {},
      { clock: { wallMs: () => 1_700_000_000_000, monotonicMs: () => nowMs } },
    );
    const error = Object.assign(new Error('no answer', { cause: new Error('timeout') }), { code: 'E_MODEL' });
    const failing = tracer.withSpan('k', () => {
      nowMs += 12.5;
      throw error;
    });
    expect(failing).toThrow(error);
    await expect(tracer.withSpan('k', async () => Promise.reject(error))()).rejects.toBe(error);
    expect(spans[0]).toMatchObject({
      status: 'error',
      started_at: '2023-11-14T22:13:20.000000Z',
      ended_at: '2023-11-14T22:13:20.012500Z',
      duration_ms: 12.5,
      span_data: {
        error: { name: 'Error', message: 'no answer', code: 'E_MODEL', cause: { message: 'timeout' } },
      },
    });
    expect(spans[1]).toMatchObject({ status: 'error', span_data: { error: { message: 'no answer' } } });
  });

  it.each([undefined, null, 0, 'text', Symbol.for('s'), { a: 1 }])('rethrows %p unchanged', (thrown) => {
    const { tracer, spans } = setUp();
    let caught: unknown = 'nothing';
    try {
      tracer.withSpan('k', () => {
        throw thrown as unknown as Error;
      })();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBe(thrown);
    expect(spans).toMatchObject([{ status: 'error', span_data: { error: { message: expect.any(String) } } }]);
  });

  it('keeps a sync function sync, and its result the same object', () => {
    const { tracer } = setUp();
    const result = { a: 1 };
    expect(tracer.withSpan('k', () => result)()).toBe(result);
  });

  it('notes that a function returned or threw at once, and nothing when it returned a promise', async () => {
    const { tracer, spans } = setUp();
    const refused = new Error('refused');
    const fail = (): never => {
      throw refused;
    };
    const thenable = {
      then(done: (value: number) => void): void {
        done(1);
      },
    };
    const run = async (name: string, fn: () => unknown): Promise<unknown> => tracer.withSpan(name, fn)();
    await run('value', () => 1);
    await run('object', () => ({}));
    await expect(run('throws', fail)).rejects.toBe(refused);
    await run('async', async () => Promise.resolve(1));
    await expect(run('rejects', () => Promise.reject(refused))).rejects.toBe(refused);
    await run('thenable', () => thenable);
    const syncKeys = spans.filter((span) => span.span_data.meta?.sync).map((span) => span.trace_function_key);
    expect(spans).toHaveLength(6);
    expect(syncKeys).toEqual(['value', 'object', 'throws']);
  });

  it('marks an output that cannot be rebuilt', () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k', () => ({ later: Promise.resolve(1) }))();
    expect(spans[0]!.span_data.meta).toMatchObject({ output: { replayable: false } });
  });

  it('starts a new trace for each call that is made outside a span', () => {
    const { tracer, spans } = setUp();
    const fn = tracer.withSpan('k', () => 1);
    fn();
    fn();
    expect(spans[0]!.trace_id).not.toBe(spans[1]!.trace_id);
  });

  it('records recursion as a chain', () => {
    const { tracer, spans } = setUp();
    const countdown = tracer.withSpan('k', (n: number): number => (n === 0 ? 0 : countdown(n - 1)));
    countdown(3);
    expect(spans.map(({ span_data, parent_id }) => [span_data.input?.[0], parent_id])).toEqual([
      [0, spans[1]!.id],
      [1, spans[2]!.id],
      [2, spans[3]!.id],
      [3, undefined],
    ]);
  });

  it('records nothing that a redact hook, a codec or a toJSON calls', () => {
    class Note {
      constructor(readonly text: string) {}
      toJSON(): unknown {
        return describe(this);
      }
    }
    const { tracer, spans } = setUp({
      capture: {
        redact: (value) => {
          tracer.getCurrentSpan().addContext({ value });
          return look(value);
        },
      },
    });
    const look = tracer.withSpan('look', (value: unknown) => value);
    const describe = tracer.withSpan('describe', ({ text }: Note) => ({ text }));
    const root = tracer.withSpan('root', (note: Note) => {
      tracer.getCurrentSpan().addContext({ a: { b: 1 } });
      return [note, note];
    });
    const note = new Note('hi');
    expect(root(note)).toEqual([note, note]);
    expect(spans).toMatchObject([{ name: 'root', span_data: { input: [{ text: 'hi' }] } }]);
  });

  it('keeps times in order inside a trace when the wall clock jumps back', () => {
    let wallMs = 1_700_000_000_000;
    let monotonicMs = 0;
    const clock = { wallMs: () => wallMs, monotonicMs: () => (monotonicMs += 1) };
    const { tracer, spans } = setUp({}, { clock });
    const inner = tracer.withSpan('inner', () => 1);
    tracer.withSpan('outer', () => {
      wallMs -= 3_600_000;
      inner();
    })();
    expect(spans[0]!.started_at > spans[1]!.started_at).toBe(true);
    expect(spans[0]!.ended_at! < spans[1]!.ended_at!).toBe(true);
  });
});
