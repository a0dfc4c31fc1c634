import { EventEmitter } from 'node:events';
import { createTestTracer } from '../testing.js';
import { bind, isBound } from './bind.js';
import { getCurrentSpan } from './handles.js';

describe('bind', () => {
  it('keeps the span that is open where it is called', () => {
    const { tracer, spans } = createTestTracer();
    const emitter = new EventEmitter();
    const ask = tracer.withSpan('ask', (user: string) => user);
    let answered = (): void => undefined;
    const serve = tracer.withSpan('serve', async (user: string) => {
      emitter.once(user, bind(ask));
      await new Promise<void>((resolve) => (answered = resolve));
    });
    void serve('ann');
    tracer.withSpan('other', () => emitter.emit('ann', 'ann'))();
    answered();
    const byKey = (key: string) => spans.find((span) => span.trace_function_key === key);
    expect(byKey('ask')?.trace_id).not.toBe(byKey('other')?.trace_id);
    expect(byKey('ask')?.parent_id).toBeDefined();
  });

  it('keeps the absence of a span', () => {
    const { tracer, spans } = createTestTracer();
    const batch = bind(tracer.withSpan('batch', () => getCurrentSpan().spanId));
    tracer.withSpan('serve', () => batch())();
    expect(spans.map((span) => span.parent_id)).toEqual([undefined, undefined]);
  });

  it('passes on this, arguments, result and members', () => {
    const counter = {
      count: 1,
      add: bind(function add(this: { count: number }, by: number, times: number) {
        return (this.count += by * times);
      }),
    };
    expect(counter.add(2, 3)).toBe(7);
    expect([counter.add.name, counter.add.length]).toEqual(['add', 2]);
    expect([isBound(counter.add), isBound(() => 1), isBound(undefined)]).toEqual([true, false, false]);
  });
});
