import fc from 'fast-check';
import { getCurrentTrace } from '../context/handles.js';
import { injectTraceContext } from '../context/propagation.js';
import type { IncomingOption, IncomingRule } from '../options/incoming-option.js';
import type { TracerOptions } from '../options/tracer-options.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import { runWithTraceContext } from './trace-context.js';

const CALLER = { trace_id: '0af76519-16cd-43dd-8448-eb211c80319c', span_id: 'b7ad6b7169203331' };
const header = (flags: '00' | '01'): string =>
  `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${flags}`;

/** What a tracer with these options records of a call that comes in with `headers`. */
function receive(
  options: TracerOptions,
  headers: Record<string, unknown> = { traceparent: header('01') },
): TestTracer & { readonly warnings: string[] } {
  const warnings: string[] = [];
  const logger = { warn: (message: string) => warnings.push(message) };
  const test = createTestTracer({ logger, ...options });
  runWithTraceContext(
    headers,
    test.tracer.withSpan('serve', () => 1),
  );
  return { ...test, warnings };
}

describe('an incoming traceparent', () => {
  it('is linked by default: the call starts a trace of its own', () => {
    const [span] = receive({}).spans;
    expect(span?.trace_id).not.toBe(CALLER.trace_id);
    expect(span).not.toHaveProperty('parent_id');
    expect(span?.span_data.meta).toEqual({ links: [CALLER], sync: true });
  });

  it('is continued when the application allows it', () => {
    const [span] = receive({ incoming: 'continue' }).spans;
    expect(span).toMatchObject({ trace_id: CALLER.trace_id, parent_id: CALLER.span_id });
    expect(span?.span_data.meta).toEqual({ remote_parent: true, sync: true });
  });

  it('leaves nothing when it is ignored', () => {
    const [span] = receive({ incoming: 'ignore' }).spans;
    expect(span?.trace_id).not.toBe(CALLER.trace_id);
    expect(span?.span_data.meta).toEqual({ sync: true });
  });

  it.each<[IncomingRule, '00' | '01', number, number]>([
    ['link', '00', 1, 1],
    ['link', '01', 1, 1],
    ['link', '00', 0, 0],
    ['link', '01', 0, 0],
    ['ignore', '00', 1, 1],
    ['ignore', '01', 0, 0],
    ['continue', '00', 1, 0],
    ['continue', '01', 1, 1],
    ['continue', '00', 0, 0],
    ['continue', '01', 0, 1],
  ])('with %j and flag %s at a sampleRate of %d records %d', (incoming, flags, sampleRate, count) => {
    expect(receive({ incoming, sampleRate }, { traceparent: header(flags) }).spans).toHaveLength(count);
  });

  it.each([
    [0.49, 1],
    [0.51, 0],
  ])(
    'is sampled by the sampleRate of the tracer when it is linked: a draw of %d records %d',
    (draw, count) => {
      const random = jest.spyOn(Math, 'random').mockReturnValue(draw);
      expect(receive({ sampleRate: 0.5 }, { traceparent: header('00') }).spans).toHaveLength(count);
      random.mockRestore();
    },
  );

  it('that is linked is kept for an error of its own, regardless of its flag', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'link', sampleRate: 0, keepErrors: true });
    const fail = tracer.withSpan('fail', () => {
      throw new Error('no');
    });
    expect(() => runWithTraceContext({ traceparent: header('00') }, fail)).toThrow('no');
    expect(spans).toMatchObject([{ status: 'error', span_data: { meta: { links: [CALLER] } } }]);
  });

  it.each<[string, Record<string, unknown>]>([
    ['is absent', {}],
    ['is empty', { traceparent: '' }],
    ['is malformed', { traceparent: 'garbage' }],
    ['has a trace id of zeros', { traceparent: `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01` }],
    ['has a span id of zeros', { traceparent: `00-${'a'.repeat(32)}-${'0'.repeat(16)}-01` }],
    ['has version ff', { traceparent: `ff-${'a'.repeat(32)}-${'b'.repeat(16)}-01` }],
    ['is in upper case', { traceparent: `00-${'A'.repeat(32)}-${'b'.repeat(16)}-01` }],
    ['is joined of two', { traceparent: `${header('01')}, ${header('01')}` }],
    ['came twice', { traceparent: [header('01'), header('01')] }],
    ['has 10 kB', { traceparent: `${header('01')}${'-x'.repeat(5000)}` }],
    ['is a number', { traceparent: 7 }],
  ])('changes nothing when it %s', (_case, headers) => {
    for (const incoming of ['link', 'continue', 'ignore'] as const) {
      const { spans, warnings } = receive({ incoming }, headers);
      expect(spans).toHaveLength(1);
      expect(spans[0]).not.toHaveProperty('parent_id');
      expect(spans[0]?.span_data.meta).toEqual({ sync: true });
      expect(warnings).toEqual([]);
    }
  });

  it('brings no session and no metadata, with any rule', () => {
    const baggage = {
      traceparent: header('01'),
      tracestate: 'dacapo=session:mallory',
      baggage: 'session_id=mallory,user_id=mallory',
      session_id: 'mallory',
      metadata: { user: 'mallory' },
    };
    for (const incoming of ['link', 'continue', 'ignore'] as const) {
      const { spans, traces } = receive({ incoming }, baggage);
      expect(JSON.stringify([spans, traces])).not.toContain('mallory');
    }
  });

  it('with the same ids for two users keeps them apart', () => {
    const { tracer, spans, traces } = createTestTracer({ incoming: 'link' });
    const serve = tracer.withSpan('serve', (user: string) => {
      getCurrentTrace().setSessionId(user);
    });
    for (const user of ['ann', 'bob']) {
      const work = serve.bind(undefined, user);
      runWithTraceContext({ traceparent: header('01') }, work);
    }
    expect(spans.map((span) => span.session_id)).toEqual(['ann', 'bob']);
    expect(new Set(traces.map(({ id }) => id)).size).toBe(2);
  });

  it('is one trace for all calls of the incoming work, each root with the link', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'link' });
    const call = tracer.withSpan('call', () => 1);
    const both = tracer.withSpan('both', () => call());
    runWithTraceContext({ traceparent: header('01') }, () => {
      call();
      both();
    });
    expect(new Set(spans.map(({ trace_id: id }) => id)).size).toBe(1);
    expect(spans.map(({ span_data: { meta } }) => meta?.links)).toEqual([[CALLER], undefined, [CALLER]]);
  });

  it('is not passed on by a service that does not continue it', () => {
    const { tracer } = createTestTracer({ incoming: 'link' });
    const call = tracer.withSpan('call', () => 1);
    const sent = runWithTraceContext({ traceparent: header('01') }, () => {
      const before = injectTraceContext({});
      call();
      return [before, injectTraceContext({})];
    });
    expect(sent).toEqual([{}, {}]);
  });

  it('stays one trace over services that all continue it', () => {
    const [front, middle, back] = Array.from({ length: 3 }, () => createTestTracer({ incoming: 'continue' }));
    const answer = back!.tracer.withSpan('answer', () => 1);
    const ask = middle!.tracer.withSpan('ask', () => runWithTraceContext(injectTraceContext({}), answer));
    front!.tracer.withSpan('begin', () => runWithTraceContext(injectTraceContext({}), ask))();
    const spans = [front, middle, back].map((service) => service!.spans[0]!);
    expect(new Set(spans.map(({ trace_id: id }) => id)).size).toBe(1);
    expect(spans.map(({ parent_id: id }) => id)).toEqual([undefined, spans[0]!.id, spans[1]!.id]);
  });

  it('is never merged with the trace of a linked caller', () => {
    const id = fc.stringMatching(/^[0-9a-f]{32}$/).filter((text) => !/^0+$/.test(text));
    const span = fc.stringMatching(/^[0-9a-f]{16}$/).filter((text) => !/^0+$/.test(text));
    fc.assert(
      fc.property(id, span, fc.constantFrom('00', '01', 'ff'), (traceId, spanId, flags) => {
        const traceparent = `00-${traceId}-${spanId}-${flags}`;
        const [own] = receive({ incoming: 'link' }, { traceparent }).spans;
        const link = own?.span_data.meta?.links?.[0];
        expect(link?.trace_id.replaceAll('-', '')).toBe(traceId);
        expect(link?.span_id).toBe(spanId);
        expect(own?.trace_id).not.toBe(link?.trace_id);
        expect(own).not.toHaveProperty('parent_id');
      }),
    );
  });
});

describe('a function as incoming', () => {
  const byPeer: IncomingRule = ({ 'x-peer': peer }) => (peer === 'orders' ? 'continue' : 'link');

  it('decides by the headers', () => {
    const traceparent = header('01');
    expect(receive({ incoming: byPeer }, { traceparent, 'x-peer': 'orders' }).spans[0]?.trace_id).toBe(
      CALLER.trace_id,
    );
    expect(receive({ incoming: byPeer }, { traceparent }).spans[0]?.trace_id).not.toBe(CALLER.trace_id);
  });

  it('receives immutable headers in lower case', () => {
    const headers = { traceparent: header('01'), 'X-Peer': 'orders', 'set-cookie': ['a'] };
    let isFrozen = false;
    const incoming: IncomingRule = (mode) => {
      isFrozen = Object.isFrozen(mode) && Object.isFrozen(mode['set-cookie']);
      return byPeer(mode);
    };
    expect(receive({ incoming }, headers).spans[0]?.trace_id).toBe(CALLER.trace_id);
    expect(isFrozen).toBe(true);
    expect(Object.isFrozen(headers['set-cookie'])).toBe(false);
  });

  it('is called once for each piece of work, and only with a valid header', () => {
    const calls: unknown[] = [];
    const incoming: IncomingRule = (headers) => {
      calls.push(headers['traceparent']);
      return 'link';
    };
    const { tracer } = createTestTracer({ incoming });
    const call = tracer.withSpan('call', () => 1);
    for (const traceparent of [undefined, 'garbage', header('01')]) {
      runWithTraceContext({ traceparent }, () => [call(), call()]);
    }
    expect(calls).toEqual([header('01')]);
  });

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken rule');
      },
    ],
    ['answers another value', () => 'contine'],
    ['answers nothing', () => undefined],
    ['answers with a promise', async () => 'continue'],
    ['answers with a promise that rejects', async () => Promise.reject(new Error('async rule'))],
  ])('that %s links, with one warning', async (_case, rule) => {
    const warnings: string[] = [];
    const logger = { warn: (message: string) => warnings.push(message) };
    const { tracer, spans } = createTestTracer({ logger, incoming: rule as IncomingRule });
    const call = tracer.withSpan('call', () => 1);
    for (const flags of ['00', '01'] as const) runWithTraceContext({ traceparent: header(flags) }, call);
    await new Promise((resolve) => setImmediate(resolve));
    expect(spans.map(({ span_data: { meta } }) => meta?.links)).toEqual([[CALLER], [CALLER]]);
    expect(warnings).toEqual([expect.stringContaining('TRACER_RECORDING: Failed while calling incoming')]);
  });
});

describe('runWithTraceContext', () => {
  it('follows its own option instead of that of the tracer', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'ignore' });
    const call = tracer.withSpan('call', () => 1);
    const headers = { traceparent: header('01') };
    for (const incoming of ['continue', 'link', () => 'continue'] as IncomingRule[])
      runWithTraceContext(headers, call, { incoming });
    expect(spans.map(({ trace_id: id }) => id === CALLER.trace_id)).toEqual([true, false, true]);
    expect(spans[1]?.span_data.meta?.links).toEqual([CALLER]);
  });

  it('links with an option for other transports only', () => {
    const [span] = receive({ incoming: { http: 'continue' } }).spans;
    expect(span?.span_data.meta?.links).toEqual([CALLER]);
  });

  it('links with an invalid option, with a warning', () => {
    const warnings: string[] = [];
    const { tracer, spans } = createTestTracer({ logger: { warn: (message) => warnings.push(message) } });
    const call = tracer.withSpan('call', () => 1);
    runWithTraceContext({ traceparent: header('01') }, call, { incoming: 'contine' as never });
    expect(spans[0]?.span_data.meta?.links).toEqual([CALLER]);
    expect(warnings).toEqual([expect.stringContaining('"contine"')]);
  });

  it('keeps the session that was set before the first span', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'link' });
    runWithTraceContext({ traceparent: header('01') }, () => {
      getCurrentTrace().setSessionId('ann');
      tracer.withSpan('call', () => 1)();
    });
    expect(spans).toMatchObject([{ session_id: 'ann' }]);
  });

  it('leaves the open span: its calls belong to the caller', () => {
    const { tracer, spans } = createTestTracer({ incoming: 'link' });
    const call = tracer.withSpan('call', () => 1);
    tracer.withSpan('poll', () => runWithTraceContext({ traceparent: header('01') }, call))();
    expect(spans[0]).not.toHaveProperty('parent_id');
    expect(spans[0]?.trace_id).not.toBe(spans[1]?.trace_id);
  });
});

describe('the option incoming', () => {
  it.each<IncomingOption>([
    'link',
    'continue',
    'ignore',
    () => 'link',
    {},
    { http: 'link', queues: () => 'continue' },
  ])('takes %j', (incoming) => {
    expect(() => createTestTracer({ incoming })).not.toThrow();
  });

  it.each([
    ['contine', 'not "contine"'],
    [true, 'not true'],
    [[], 'not an array'],
    [{ htpp: 'link' }, 'its htpp is unknown'],
    [{ rpc: 'contine' }, 'its rpc is "contine"'],
    [{ rpc: { http: 'link' } }, 'its rpc is object'],
  ])('refuses %j at setup, with the cure', (incoming, problem) => {
    const create = (): unknown => createTestTracer({ incoming: incoming as never });
    expect(create).toThrow(problem);
    expect(create).toThrow("Write incoming: 'link', 'continue' or 'ignore', a function of the headers, or");
  });
});
