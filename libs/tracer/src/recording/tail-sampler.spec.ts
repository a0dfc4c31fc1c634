import { encodeText } from '../byte-string.js';
import { injectTraceContext } from '../context/propagation.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import { TailSampler } from './tail-sampler.js';

const setUp = (): TestTracer => createTestTracer({ sampleRate: 0, keepErrors: true });

describe('keepErrors', () => {
  it('sends an unsampled trace once a span in it ends with an error', () => {
    const { tracer, spans, traces } = setUp();
    const fine = tracer.withSpan('fine', () => 1);
    const failing = tracer.withSpan('failing', () => {
      throw new Error('no');
    });
    const late = tracer.withSpan('late', () => 2);
    tracer.withSpan('root', () => {
      tracer.getCurrentTrace().setSessionId('session');
      fine();
      expect(spans).toEqual([]);
      expect(failing).toThrow('no');
      late();
    })();
    expect(spans.map(({ name, status }) => [name, status])).toEqual([
      ['fine', 'ok'],
      ['failing', 'error'],
      ['late', 'ok'],
      ['root', 'ok'],
    ]);
    expect(traces).toMatchObject([{ session_id: 'session' }]);
  });

  it('sends nothing of a trace without errors, or without an end', async () => {
    const { tracer, spans, traces } = setUp();
    tracer.withSpan('root', () => {
      tracer.getCurrentTrace().setMetadata({ a: 1 });
    })();
    void tracer.withSpan('hanging', () => new Promise(() => undefined))();
    await tracer.shutdown();
    expect([spans, traces]).toEqual([[], []]);
    expect(tracer.stats().recorded).toBe(0);
  });

  it('reports to other services that the trace is not sampled, until it is kept', () => {
    const { tracer } = setUp();
    const header = (): unknown => injectTraceContext<Record<string, unknown>>({})['traceparent'];
    const failing = tracer.withSpan('failing', () => {
      throw new Error('no');
    });
    tracer.withSpan('root', () => {
      expect(header()).toMatch(/-00$/);
      expect(failing).toThrow('no');
      expect(header()).toMatch(/-01$/);
    })();
  });
});

describe('a trace that two tracers record', () => {
  it('returns neither the spans of the other', () => {
    const [mine, other] = [setUp(), setUp()];
    const failing = other.tracer.withSpan('other', () => {
      throw new Error('no');
    });
    expect(mine.tracer.withSpan('mine', () => failing())).toThrow('no');
    expect([mine, other].map(({ spans }) => spans.map(({ name }) => name))).toEqual([['mine'], []]);
  });
});

describe('pending traces', () => {
  it('stay within their limit: the longest waiting is evicted first', () => {
    const sampler = new TailSampler(10);
    const first = sampler.begin();
    const second = sampler.begin();
    sampler.hold(first, encodeText('123456'));
    sampler.hold(second, encodeText('123456'));
    expect([sampler.release(first), sampler.release(second)]).toEqual([[], ['123456']]);
    sampler.hold(first, encodeText('123456789012'));
    expect(sampler.release(first)).toEqual([]);
  });
});
