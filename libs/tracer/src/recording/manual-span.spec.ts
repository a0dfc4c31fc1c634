import { EventEmitter, once } from 'node:events';
import { getCurrentSpan, getCurrentTrace } from '../context/handles.js';
import type { TracerError } from '../errors.js';
import type { TracerOptions } from '../options/tracer-options.js';
import { createTestTracer } from '../testing.js';

function tracing(options: TracerOptions = {}) {
  const errors: TracerError[] = [];
  const test = createTestTracer({
    onError: (error) => errors.push(error),
    logger: { warn: () => undefined },
    ...options,
  });
  return { ...test, errors };
}

const untyped = (value: unknown): never => value as never;

describe('a span that is started and ended by hand', () => {
  it('records input, outcome and fields of work in callbacks, and nests what runs inside', async () => {
    const { tracer, spans } = tracing();
    const search = tracer.withSpan('search', (word: string) => `${word}!`);
    const socket = new EventEmitter();
    const options = { name: 'ask', type: 'agent', kind: 'tool', level: 'info', input: ['question'] } as const;
    const span = tracer.startSpan('answer', options);
    socket.on('data', () => {
      span.run(() => search('refund'));
      span.run(() => {
        getCurrentTrace().setUserId('ann');
        expect(getCurrentSpan().spanId).toBe(span.spanId);
      });
    });
    socket.on('end', () => {
      span.end({ output: 'answer' });
    });
    setImmediate(() => socket.emit('data'));
    setImmediate(() => socket.emit('end'));
    await once(socket, 'end');
    expect(getCurrentSpan().spanId).toBe('');
    const [inner, outer] = spans;
    expect(outer).toMatchObject({
      id: span.spanId,
      trace_id: span.traceId,
      trace_function_key: 'answer',
      status: 'ok',
      name: 'ask',
      type: 'agent',
      kind: 'tool',
      level: 'info',
      user_id: 'ann',
      span_data: { input: ['question'], output: 'answer' },
    });
    expect(inner).toMatchObject({
      parent_id: span.spanId,
      trace_id: span.traceId,
      trace_function_key: 'search',
    });
  });

  it('is started by a group of functions too, under its key', () => {
    const { tracer, spans } = tracing();
    const group = tracer.getFunction('answer');
    const span = group.startSpan({ name: 'ask', input: ['question'] });
    span.run(() => {
      group.withSpan(function search() {})();
    });
    span.end({ output: 'answer' });
    expect(spans).toMatchObject([
      { trace_function_key: 'answer', name: 'search', parent_id: span.spanId },
      { trace_function_key: 'answer', name: 'ask', span_data: { input: ['question'], output: 'answer' } },
    ]);
    const off = createTestTracer({ enabled: false }).tracer.getFunction('answer').startSpan();
    expect(off.run(() => 1)).toBe(1);
  });

  it('is a child of the span that is open where it is started, and not the parent of its siblings', () => {
    const { tracer, spans } = tracing();
    const sibling = tracer.withSpan('sibling', () => undefined);
    let end = (): void => undefined;
    tracer.withSpan('outer', () => {
      const span = tracer.startSpan('manual');
      sibling();
      end = () => {
        span.end();
      };
    })();
    end();
    const [first, outer, manual] = spans;
    expect(first?.parent_id).toBe(outer?.id);
    expect(manual).toMatchObject({ parent_id: outer?.id, trace_function_key: 'manual', status: 'ok' });
  });

  it('records an error, and ends once', () => {
    const { tracer, spans } = tracing();
    const span = tracer.startSpan('k');
    span.addContext({ a: 1 });
    span.setPrompt('p');
    span.setLevel('error');
    span.addUsage({ model: 'm' });
    span.end({ error: new TypeError('late') });
    span.end({ output: 'twice' });
    span.setLevel('info');
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      status: 'error',
      level: 'error',
      span_data: { error: { name: 'TypeError', message: 'late' }, prompt: 'p', contexts: [{ a: 1 }] },
    });
  });

  it('is ok where a callback of Node reports no error', () => {
    const { tracer, spans } = tracing();
    tracer.startSpan('k').end({ error: null, output: 7 });
    tracer.startSpan('k').end({ error: undefined });
    expect(spans).toMatchObject([{ status: 'ok', span_data: { output: 7 } }, { status: 'ok' }]);
  });

  it('that never ends is sent as unfinished, and once more if it ends later, also after the shutdown', async () => {
    const { tracer, spans } = tracing();
    const span = tracer.startSpan('k', { input: [1] });
    await tracer.shutdown();
    expect(spans).toMatchObject([{ id: span.spanId, status: 'unfinished', span_data: { input: [1] } }]);
    expect(() => {
      span.end({ output: 2 });
      span.end();
      tracer.startSpan('late').end();
    }).not.toThrow();
    expect(spans[1]).toMatchObject({ id: span.spanId, status: 'ok' });
  });

  it('never throws for any argument, and reports invalid ones', () => {
    const { tracer, spans, errors } = tracing();
    const hostile = {
      get output(): never {
        throw new Error('getter');
      },
    };
    expect(() => {
      tracer.startSpan(untyped(undefined)).end();
      tracer.startSpan(' ').run(() => undefined);
      tracer.startSpan('options', untyped({ type: 'planner', input: 'text', planet: 'mars' })).end();
      tracer.startSpan('null', untyped(null)).end(untyped(null));
      tracer.startSpan('text').end(untyped('text'));
      tracer.startSpan('hostile').end(hostile);
      tracer.startSpan('proxy').end(
        untyped(
          new Proxy(
            {},
            {
              get: () => {
                throw new Error('trap');
              },
            },
          ),
        ),
      );
    }).not.toThrow();
    expect(spans.map((span) => span.trace_function_key)).toEqual([
      'options',
      'null',
      'text',
      'hostile',
      'proxy',
    ]);
    expect(spans.every(({ status }) => status === 'ok')).toBe(true);
    expect(errors.length).toBeGreaterThan(0);
  });

  it('passes on the result and the error of run, and runs it while tracing is off too', () => {
    const off = createTestTracer({ enabled: false }).tracer;
    for (const span of [tracing().tracer.startSpan('k'), off.startSpan('k')]) {
      expect(span.run(() => 7)).toBe(7);
      expect(() =>
        span.run(() => {
          throw new Error('mine');
        }),
      ).toThrow('mine');
      span.end();
      expect(span.run(() => 8)).toBe(8);
    }
    expect(off.startSpan('k')).toMatchObject({ traceId: '', spanId: '' });
  });

  it('of concurrent work belongs to its own trace', () => {
    const { tracer, spans } = tracing();
    const open = Array.from({ length: 20 }, (_, index) =>
      tracer.startSpan('k', { input: [`user ${index}`] }),
    );
    for (const [index, span] of open.entries())
      span.run(() => {
        getCurrentTrace().setUserId(`user ${index}`);
      });
    for (const span of open.reverse()) span.end();
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(20);
    expect(spans.every(({ user_id, span_data }) => user_id === span_data.input?.[0])).toBe(true);
  });
});
