import { createTestTracer } from '../testing.js';
import { getCurrentSpan, getCurrentTrace } from './handles.js';

const setUp = createTestTracer;

describe('getCurrentSpan (SPEC 4.2)', () => {
  it('addContext appends each object as one entry, in call order', async () => {
    const { tracer, spans } = setUp();
    await tracer.withSpan('k', async () => {
      tracer.getCurrentSpan().addContext({ model: 'm', tokens: 3 });
      await Promise.resolve();
      getCurrentSpan().addContext({ model: 'm' });
    })();
    expect(spans[0]!.span_data.contexts).toEqual([{ model: 'm', tokens: 3 }, { model: 'm' }]);
  });

  it('setPrompt stores the string in span_data.prompt, and the last call wins', () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k', () => {
      getCurrentSpan().setPrompt('first');
      getCurrentSpan().setPrompt('second "quoted"\n');
    })();
    expect(spans[0]!.span_data.prompt).toBe('second "quoted"\n');
  });

  it('traceId is the UUID of the current trace, the same in a child', () => {
    const { tracer, spans } = setUp();
    const inner = tracer.withSpan('inner', () => getCurrentSpan().traceId);
    const [outerId, innerId] = tracer.withSpan('outer', () => [getCurrentSpan().traceId, inner()])();
    expect(outerId).toBe(innerId);
    expect(outerId).toBe(spans[0]!.trace_id);
    expect(outerId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('outside a span traceId is empty, and every member is a no-op that never throws', () => {
    const span = getCurrentSpan();
    expect(span.traceId).toBe('');
    expect(() => {
      span.setPrompt('nowhere');
      span.addContext({ a: 1 });
    }).not.toThrow();
  });

  it('notes go to the innermost span', () => {
    const { tracer, spans } = setUp();
    const inner = tracer.withSpan('inner', () => {
      getCurrentSpan().setPrompt('inner');
    });
    tracer.withSpan('outer', () => {
      inner();
      getCurrentSpan().setPrompt('outer');
    })();
    expect(spans.map(({ span_data }) => span_data.prompt)).toEqual(['inner', 'outer']);
  });

  it('copies a context when it is added, not when the span ends', () => {
    const { tracer, spans } = setUp();
    tracer.withSpan('k', () => {
      const context = { step: 1 };
      getCurrentSpan().addContext(context);
      context.step = 2;
    })();
    expect(spans[0]!.span_data.contexts).toEqual([{ step: 1 }]);
  });

  it.each<[string, object, unknown]>([
    ['a list', ['a', 1], ['a', 1]],
    ['a Map', new Map([['a', 1]]), [['a', 1]]],
    ['a Date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an object whose toJSON gives a text', { toJSON: () => '5 EUR' }, undefined],
    ['Headers', new Headers({ a: 'b' }), '[Headers]'],
  ])('keeps the span when a context or metadata is %s', (_, note, value) => {
    const { tracer, spans, traces } = setUp();
    tracer.withSpan('k', () => {
      getCurrentSpan().addContext({ before: 1 });
      getCurrentSpan().addContext(note);
      getCurrentTrace().setMetadata(note);
    })();
    const expected = value === undefined ? expect.any(Object) : { value };
    expect(spans[0]!.span_data.contexts).toEqual([{ before: 1 }, expected]);
    expect(traces[0]!.metadata).toEqual(expected);
  });

  it.each<[string, () => unknown, unknown]>([
    [
      'throws',
      () => {
        throw new Error('hook');
      },
      '[redacted]',
    ],
    ['gives a number', () => 5, 5],
    ['gives an object', () => ({ kind: 'masked' }), { kind: 'masked' }],
  ])('keeps the span when a redact hook %s for its prompt, contexts and metadata', (_, redact, masked) => {
    const { tracer, spans, traces } = setUp({ capture: { redact }, logger: { warn: () => undefined } });
    tracer.withSpan('k', () => {
      getCurrentSpan().setPrompt('secret');
      getCurrentSpan().addContext({ a: 1 });
      getCurrentTrace().setMetadata({ a: 1 });
    })();
    const { prompt, contexts } = spans[0]!.span_data;
    expect(prompt).toBe(typeof masked === 'string' ? masked : JSON.stringify(masked));
    const object = typeof masked === 'object' ? masked : { value: masked };
    expect(contexts).toEqual([object]);
    expect(traces[0]!.metadata).toEqual(object);
  });

  it('ignores notes that are no objects or strings, and notes after the end', () => {
    const { tracer, spans } = setUp({ logger: { warn: () => undefined } });
    let kept = getCurrentSpan();
    tracer.withSpan('k', () => {
      kept = getCurrentSpan();
      kept.addContext('text' as never);
      kept.addContext(null as never);
      kept.setPrompt(5 as never);
    })();
    kept.setPrompt('late');
    expect(spans[0]!.span_data).toEqual({ meta: { sync: true } });
  });
});

describe('getCurrentTrace (SPEC 4.2)', () => {
  it('setSessionId groups the trace with its session', () => {
    const { tracer, traces, spans } = setUp();
    tracer.withSpan('k', () => {
      tracer.getCurrentTrace().setSessionId('chat-1');
    })();
    expect(traces).toEqual([{ id: spans[0]!.trace_id, session_id: 'chat-1' }]);
  });

  it('setMetadata merges into earlier metadata', () => {
    const { tracer, traces } = setUp();
    tracer.withSpan('k', () => {
      getCurrentTrace().setMetadata({ user: 'u1', plan: 'free' });
      getCurrentTrace().setMetadata({ plan: 'pro' });
    })();
    expect(traces).toMatchObject([{ metadata: { user: 'u1', plan: 'pro' } }]);
  });

  it('addContext adds key-value entries that accumulate over calls and spans', () => {
    const { tracer, traces } = setUp();
    const inner = tracer.withSpan('inner', () => {
      getCurrentTrace().addContext({ b: [2] });
    });
    tracer.withSpan('outer', () => {
      getCurrentTrace().addContext({ a: 1 });
      inner();
      getCurrentTrace().addContext({ c: null });
    })();
    expect(Object.assign({}, ...traces.map(({ contexts }) => contexts))).toEqual({ a: 1, b: [2], c: null });
  });

  it('accepts facts after the last span ended', async () => {
    const { tracer, traces } = setUp();
    let later: Promise<void> = Promise.resolve();
    tracer.withSpan('k', () => {
      later = Promise.resolve().then(() => {
        getCurrentTrace().setSessionId('late');
      });
    })();
    await later;
    expect(traces).toMatchObject([{ session_id: 'late' }]);
  });

  it('outside a span every member is a no-op that never throws', () => {
    const trace = getCurrentTrace();
    expect(() => {
      trace.setSessionId('s');
      trace.setMetadata({ a: 1 });
      trace.addContext({ a: 1 });
    }).not.toThrow();
  });
});
