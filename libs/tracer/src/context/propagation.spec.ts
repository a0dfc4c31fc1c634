import { runWithTraceContext } from '../recording/trace-context.js';
import { createTestTracer } from '../testing.js';
import { injectTraceContext } from './propagation.js';

describe('trace context between processes (W3C Trace Context)', () => {
  it('makes one trace of two services where the second one continues it', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'continue' });
    const served = tracer.withSpan('served', () => 1);
    tracer.withSpan('asking', () => {
      const headers = injectTraceContext<Record<string, string>>({ accept: 'json' });
      expect(headers['accept']).toBe('json');
      runWithTraceContext(headers, () => served());
    })();
    const [server, client] = spans;
    expect(server).toMatchObject({ trace_id: client!.trace_id, parent_id: client!.id });
    expect([server, client].map((span) => span?.span_data.meta?.remote_parent)).toEqual([true, undefined]);
  });

  it('writes version 00 with the sampled flag', () => {
    const { tracer } = createTestTracer();
    const header = tracer.withSpan(
      'k',
      () => injectTraceContext<Record<string, string>>({})['traceparent'],
    )();
    expect(header).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  it('sets a header of Headers', () => {
    const { tracer } = createTestTracer();
    const headers = tracer.withSpan('k', () => injectTraceContext(new Headers({ accept: 'json' })))();
    expect(headers.get('traceparent')).toMatch(/^00-/);
    expect(Object.keys(headers)).toEqual([]);
  });

  it('follows a trusted caller that does not sample', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'continue' });
    runWithTraceContext(
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-00` },
      tracer.withSpan('k', () => 1),
    );
    expect(spans).toEqual([]);
  });

  it.each([
    '',
    'garbage',
    `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01`,
    `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01`,
    7,
  ])('starts a trace of its own when the header is %j', (traceparent) => {
    const { tracer, spans } = createTestTracer();
    runWithTraceContext(
      { traceparent },
      tracer.withSpan('k', () => 1),
    );
    expect(spans[0]).not.toHaveProperty('parent_id');
  });

  it('leaves a carrier unchanged outside a span', () => {
    expect(injectTraceContext({})).toEqual({});
  });
});
