import { createTestTracer } from './testing.js';

const setUp = createTestTracer;

describe('withSpan (SPEC 4.2)', () => {
  it('accepts a key and a function', () => {
    const { tracer, spans } = setUp();
    expect(tracer.withSpan('sum.key', (a: number, b: number) => a + b)(1, 2)).toBe(3);
    expect(spans).toMatchObject([{ trace_function_key: 'sum.key', span_data: { input: [1, 2], output: 3 } }]);
  });

  it('accepts options between the two', () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k', { name: 'Sum', type: 'llm' }, () => 1)();
    expect(spans).toMatchObject([{ name: 'Sum', type: 'llm' }]);
  });

  it("names a span after the function, else after the key; the type is 'custom'", () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k', function classify() {})();
    tracer.withSpan('k', () => 1)();
    tracer.withSpan('k', { name: ' ' }, () => 1)();
    expect(spans.map(({ name, type }) => [name, type])).toEqual([
      ['classify', 'custom'],
      ['k', 'custom'],
      ['k', 'custom'],
    ]);
  });

  it('cuts a key and a name to the maximum length', () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k'.repeat(600), { name: 'n'.repeat(600) }, () => 1)();
    expect(spans).toMatchObject([{ trace_function_key: 'k'.repeat(512), name: 'n'.repeat(512) }]);
  });

  it.each(['llm', 'agent', 'function', 'guardrail', 'handoff', 'custom'] as const)(
    'accepts the type %s (SPEC 2.6)',
    (type) => {
      const { tracer, spans } = setUp();
      tracer.withSpan('k', { type }, () => 1)();
      expect(spans).toMatchObject([{ type }]);
    },
  );

  it('keeps the call shape: name, length, own properties, this and new', () => {
    const { tracer } = setUp();
    class Point {
      constructor(readonly x: number) {}
    }
    const fn = Object.assign(
      function scale(this: Point, by: number, offset: number) {
        return this.x * by + offset;
      },
      { version: 2 },
    );
    const traced = tracer.withSpan('k', fn);
    expect([traced.name, traced.length, traced.version]).toEqual(['scale', 2, 2]);
    expect(traced.call(new Point(3), 2, 0)).toBe(6);
    expect(new (tracer.withSpan('k', Point as never) as unknown as typeof Point)(4)).toEqual(new Point(4));
  });

  it('keeps the source text, which some containers read parameter names from', () => {
    const answer = (question: string): string => question;
    expect(setUp().tracer.withSpan('k', answer).toString()).toBe(answer.toString());
    expect(String(setUp().tracer.withSpan('k', answer))).toBe(String(answer));
  });

  it('keeps a mock of Jest a mock', () => {
    const mock = jest.fn((n: number) => n + 1);
    const traced = setUp().tracer.withSpan('k', mock);
    expect(traced(1)).toBe(2);
    expect(traced).toHaveBeenCalledWith(1);
    expect(traced.mock.results).toEqual([{ type: 'return', value: 2 }]);
    mock.mockReturnValueOnce(7);
    expect(traced(1)).toBe(7);
  });

  it.each<[string, unknown[], string]>([
    ['a blank key', ['', () => 1], 'traceFunctionKey'],
    ['no function', ['k', {}, undefined], 'fn'],
    ['a result in place of the function', ['k', 42], 'fn'],
    ['an unknown type', ['k', { type: 'tool' }, () => 1], 'type'],
    ['a capture that is no function', ['k', { captureInput: 'no' }, () => 1], 'captureInput'],
    ['a mark that is a text', ['k', { mockOnReplay: 'false' }, () => 1], 'mockOnReplay'],
    ['a name that is no text', ['k', { name: 7 }, () => 1], 'name'],
    ['a misspelt option', ['k', { mockOnReply: true }, () => 1], 'mockOnReply'],
  ])('refuses %s at setup', (_, args, option) => {
    const { tracer } = setUp();
    expect(() => (tracer.withSpan as (...all: unknown[]) => unknown).apply(tracer, args)).toThrow(
      expect.objectContaining({ code: 'TRACER_INVALID_OPTION', option }),
    );
  });

  it('does not record the input when captureInput is false, and marks the call as not replayable', () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k', { captureInput: false, captureOutput: false }, (secret: string) => secret)('s3cret');
    expect(spans[0]!.span_data).toEqual({
      meta: { replayable: false, output: { replayable: false }, sync: true },
    });
  });

  it('marks it too when the capture options drop all input and output', () => {
    const { tracer, spans } = setUp({ capture: { input: false, output: false } });
    tracer.withSpan('k', (secret: string) => secret)('s3cret');
    expect(spans[0]!.span_data).toEqual({
      meta: { replayable: false, output: { replayable: false }, sync: true },
    });
  });

  it('records what the mappers return', () => {
    const { tracer, spans } = setUp();
    const options = {
      captureInput: ([text]: readonly unknown[]) => [String(text).length],
      captureOutput: () => 'short',
    };
    expect(tracer.withSpan('k', options, (text: string) => text)('hello')).toBe('hello');
    expect(spans[0]!.span_data).toMatchObject({ input: [5], output: 'short' });
  });

  it('a mapper that throws costs its own field, never the call', () => {
    const { tracer, spans } = setUp({ logger: { warn: () => undefined } });
    const captureOutput = (): never => {
      throw new Error('mapper');
    };
    const captureInput = captureOutput;
    expect(tracer.withSpan('k', { captureOutput }, () => 'ok')()).toBe('ok');
    expect(tracer.withSpan('k', { captureInput }, () => 'ok')()).toBe('ok');
    expect(spans).toMatchObject([{ status: 'ok' }, { status: 'ok', span_data: { output: 'ok' } }]);
  });

  it('a mapper that promises costs its own field too, and its rejection ends no process', async () => {
    const warnings: string[] = [];
    const { tracer, spans } = setUp({ logger: { warn: (message) => warnings.push(message) } });
    const promising = async (): Promise<never> => Promise.reject(new Error('mapper'));
    const options = { captureInput: promising, captureOutput: promising };
    expect(tracer.withSpan('k', options, (text: string) => text)('hello')).toBe('hello');
    await new Promise((resolve) => setImmediate(resolve));
    expect(spans[0]!.span_data).not.toHaveProperty('input');
    expect(spans[0]!.span_data).not.toHaveProperty('output');
    expect(warnings[0]).toContain('captureInput returned a promise; it must return its result directly');
  });
});

describe('getFunction (SPEC 4.2)', () => {
  it('binds all functions of the group to its key', () => {
    const { tracer, spans } = setUp();
    const group = tracer.getFunction('desk');
    group.withSpan(() => 1)();
    group.withSpan({ name: 'b', type: 'agent' }, () => 2)();
    expect(spans).toMatchObject([
      { trace_function_key: 'desk', type: 'custom' },
      { trace_function_key: 'desk', name: 'b', type: 'agent' },
    ]);
  });

  it('links functions of different groups as parent and child when one calls another', async () => {
    const { tracer, spans } = setUp();
    const lookup = tracer.getFunction('a').withSpan(async function lookup(id: number) {
      return id;
    });
    const answer = tracer.getFunction('b').withSpan(async function answer() {
      return lookup(7);
    });
    await answer();
    const [child, parent] = spans;
    expect(child).toMatchObject({ name: 'lookup', trace_id: parent!.trace_id, parent_id: parent!.id });
    expect(parent).not.toHaveProperty('parent_id');
  });
});
