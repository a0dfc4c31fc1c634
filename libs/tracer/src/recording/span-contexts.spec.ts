import { createTestTracer } from '../testing.js';

describe('a context', () => {
  it.each([
    ['a list', ['a', new Date(0)], { value: ['a', '1970-01-01T00:00:00.000Z'] }],
    ['a Map', new Map([['a', 1]]), { value: [['a', 1]] }],
    ['a Date', new Date(0), { value: '1970-01-01T00:00:00.000Z' }],
    ['an object that stands as a text', { __proto__: { toJSON: () => 'text' } }, { value: 'text' }],
  ])('that is %s stands under a name', (_, context, expected) => {
    const { tracer, spans, traces } = createTestTracer();
    tracer.withSpan('k', () => {
      tracer.getCurrentSpan().addContext(context);
      tracer.getCurrentTrace().setMetadata(context);
    })();
    expect(spans[0]!.span_data.contexts).toEqual([expected]);
    expect(traces[0]!.metadata).toEqual(expected);
  });

  it('keeps its notes under that name', () => {
    const { tracer, spans } = createTestTracer();
    tracer.withSpan('k', () => {
      tracer.getCurrentSpan().addContext([1n]);
    })();
    expect(spans[0]!.span_data.meta?.contexts).toEqual({ types: { '/0/value/0': 'bigint' } });
  });

  it('that fails in a hook is dropped alone', () => {
    const { tracer, spans } = createTestTracer({
      capture: {
        redact: (value, path) => {
          if (path === '/secret') throw new Error('hook');
          return value;
        },
      },
    });
    tracer.withSpan('k', () => {
      tracer.getCurrentSpan().addContext({ secret: 1 });
      return 'done';
    })();
    expect(spans).toMatchObject([
      {
        span_data: {
          output: 'done',
          contexts: [{ value: '[redacted]' }],
          meta: { contexts: { redacted: ['/0/value'] } },
        },
      },
    ]);
  });
});

describe('a prompt', () => {
  it('that was cut or redacted is marked', () => {
    const { tracer, spans } = createTestTracer({ capture: { maxFieldBytes: 4096 } });
    const ask = tracer.withSpan('k', (prompt: string) => {
      tracer.getCurrentSpan().setPrompt(prompt);
    });
    ask('p'.repeat(5000));
    ask('Use password=hunter2222.');
    expect(spans.map(({ span_data }) => span_data.meta?.prompt)).toEqual([
      { truncated: { '': { bytes: 5000, kept: 909, tail: 909, sha256: expect.any(String) } } },
      { redacted: [''] },
    ]);
  });
});
