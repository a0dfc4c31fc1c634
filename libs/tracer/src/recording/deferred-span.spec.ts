import { AsyncResource } from 'node:async_hooks';
import type { TraceRecord } from '@dacapo/protocol';
import { getCurrentSpan, getCurrentTrace } from '../context/handles.js';
import { bind } from '../context/bind.js';
import { injectTraceContext } from '../context/propagation.js';
import { createTestTracer } from '../testing.js';
import { type DeferredSpan, type DeferredWork, deferSpan } from './deferred-span.js';
import { defineSpan } from './span-definition.js';
import { runWithTraceContext } from './trace-context.js';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const LINK = { trace_id: '0af76519-16cd-43dd-8448-eb211c80319c', span_id: 'b7ad6b7169203331' };
const definition = defineSpan({ key: 'GET /tickets', name: 'GET /tickets', onlyWithChildren: true });

function setUp(work: Partial<DeferredWork> = {}) {
  const test = createTestTracer();
  const describeWork = jest.fn(() => ({ definition, input: [{ path: '/tickets' }] }));
  const request = deferSpan(test.tracer, { describe: describeWork, ...work }) as DeferredSpan;
  const answer = test.tracer.withSpan('answer', () => 'yes');
  return { ...test, request, answer, describeWork };
}

const sessionIn = (traces: readonly TraceRecord[], traceId: string): string | undefined =>
  traces.find(({ id }) => id === traceId)?.session_id;

describe('a deferred span', () => {
  it('is written, with the start of its work, when a span was opened inside', () => {
    const { request, answer, spans } = setUp();
    request.run(answer);
    request.succeed({ status_code: 200 });
    const [child, root] = spans;
    expect(root).toMatchObject({
      trace_function_key: 'GET /tickets',
      span_data: { input: [{ path: '/tickets' }], output: { status_code: 200 } },
    });
    expect(child).toMatchObject({ parent_id: root?.id, trace_id: root?.trace_id });
    expect(root!.started_at <= child!.started_at).toBe(true);
  });

  it('is neither described nor written when nothing was opened inside', () => {
    const { request, spans, describeWork } = setUp();
    request.run(() => 'untraced');
    request.succeed();
    expect(spans).toEqual([]);
    expect(describeWork).not.toHaveBeenCalled();
  });

  it('is not written only for trace facts', () => {
    const { request, spans, traces } = setUp();
    request.run(() => {
      getCurrentTrace().setSessionId('s');
    });
    request.succeed();
    expect([spans, traces]).toEqual([[], []]);
  });

  it('keeps facts from before its first inner span', () => {
    const { request, answer, spans, traces } = setUp();
    request.run(() => {
      getCurrentTrace().setSessionId('s');
      getCurrentSpan().addContext({ user: 'u' });
      answer();
    });
    request.succeed();
    expect(traces).toMatchObject([{ session_id: 's' }]);
    expect(spans[1]?.span_data.contexts).toEqual([{ user: 'u' }]);
  });

  it('starts a trace of its own inside the span that its server was started in', () => {
    const { tracer, request, answer, spans } = setUp();
    tracer.withSpan('bootstrap', () => {
      request.run(answer);
      request.succeed();
    })();
    expect(spans[1]?.parent_id).toBeUndefined();
    expect(spans[2]?.trace_id).not.toBe(spans[1]?.trace_id);
  });

  it('continues the trace of its carrier', () => {
    const { request, answer, spans } = setUp({
      carrier: { traceparent: PARENT },
      origin: { incoming: 'continue' },
    });
    request.run(answer);
    request.succeed();
    expect(spans[1]).toMatchObject({
      trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
      parent_id: 'b7ad6b7169203331',
    });
  });

  it('links the trace of an untrusted caller, and passes on nothing of it', () => {
    const { request, answer, spans } = setUp({
      carrier: { traceparent: PARENT },
      origin: { incoming: 'link' },
    });
    expect(request.run(() => injectTraceContext({}))).toEqual({});
    request.run(answer);
    request.succeed();
    const [child, root] = spans;
    expect(root).not.toHaveProperty('parent_id');
    expect(root?.span_data.meta?.links).toEqual([LINK]);
    expect(child).toMatchObject({ parent_id: root?.id, trace_id: root?.trace_id });
    expect(child?.span_data.meta?.links).toBeUndefined();
  });

  it('links the calls themselves where it has no span of its own', () => {
    const origin = { incoming: 'link' } as const;
    const work = { carrier: { traceparent: PARENT }, origin, describe: () => 'no span' as const };
    const { request, answer, spans } = setUp(work);
    request.run(answer);
    request.succeed();
    expect(spans).toHaveLength(1);
    expect(spans[0]?.span_data.meta?.links).toEqual([LINK]);
  });

  it('is linked once: background work links to the work, not to the caller', () => {
    const { request, answer, spans } = setUp({
      carrier: { traceparent: PARENT },
      origin: { incoming: 'link' },
    });
    request.run(() => {
      answer();
      request.succeed();
      answer();
    });
    const [, root, late] = spans;
    expect(root?.span_data.meta?.links).toEqual([LINK]);
    expect(late?.span_data.meta).toMatchObject({
      started_by: { trace_id: root?.trace_id, span_id: root?.id },
    });
    expect(late?.span_data.meta?.links).toBeUndefined();
  });

  it('does not evaluate the caller while nothing is recorded', () => {
    const incoming = jest.fn(() => 'continue' as const);
    const carrier = { traceparent: PARENT };
    const excluded = setUp({ carrier, origin: { incoming }, describe: () => 'excluded' });
    excluded.request.run(excluded.answer);
    setUp({ carrier, origin: { incoming } }).request.succeed();
    expect(incoming).not.toHaveBeenCalled();
    const recorded = setUp({ carrier, origin: { incoming } });
    recorded.request.run(() => [injectTraceContext({}), recorded.answer(), recorded.answer()]);
    expect(incoming).toHaveBeenCalledTimes(1);
  });

  it('records nothing inside when it is excluded', () => {
    const { request, answer, spans } = setUp({ describe: () => 'excluded' });
    expect(request.run(answer)).toBe('yes');
    expect(spans).toEqual([]);
  });

  it('gives a span that opens after its end its own trace, without the session and with a link to the starter', () => {
    const { request, answer, spans, traces } = setUp();
    request.whenOpened(() => {
      getCurrentTrace().setSessionId('s');
    });
    request.run(() => {
      request.succeed({ status_code: 202 });
      answer();
      answer();
    });
    const [root, first, second] = spans;
    expect(root).toMatchObject({
      trace_function_key: 'GET /tickets',
      status: 'ok',
      span_data: { output: { status_code: 202 } },
    });
    for (const late of [first, second]) {
      expect(late).toMatchObject({
        trace_function_key: 'answer',
        span_data: { meta: { started_by: { trace_id: root?.trace_id, span_id: root?.id } } },
      });
      expect(late?.parent_id).toBeUndefined();
    }
    expect(new Set(spans.map((span) => span.trace_id)).size).toBe(3);
    expect(traces.map((trace) => [trace.id, trace.session_id])).toEqual([[root?.trace_id, 's']]);
  });

  it('passes its session to the background work of an inner span while it is open', () => {
    const { request, tracer, answer, spans, traces } = setUp();
    request.run(() => {
      getCurrentTrace().setSessionId('s');
      tracer.withSpan('step', () => AsyncResource.bind(answer))()();
    });
    request.succeed();
    expect(new Set(spans.map((span) => span.trace_id)).size).toBe(2);
    for (const span of spans) expect(sessionIn(traces, span.trace_id)).toBe('s');
  });

  it('takes no session from its background work', () => {
    const { request, answer, spans, traces } = setUp();
    request.run(() => {
      getCurrentTrace().setSessionId('ann');
      answer();
      request.succeed();
      getCurrentTrace().setSessionId('bob');
      getCurrentTrace().setMetadata({ plan: 'free' });
    });
    expect(sessionIn(traces, spans[0]!.trace_id)).toBe('ann');
    expect(traces.some(({ metadata }) => metadata !== undefined)).toBe(false);
  });

  it('passes its session to a function bound inside it and called after its end', () => {
    const { request, answer, spans, traces } = setUp();
    const late = request.run(() => {
      getCurrentTrace().setSessionId('s');
      return bind(() => {
        answer();
        getCurrentTrace().setMetadata({ noted: 'late' });
      });
    });
    request.succeed();
    late();
    request.run(late);
    const [root, ...calls] = spans;
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      expect(call.trace_id).not.toBe(root?.trace_id);
      expect(call.span_data.meta).toMatchObject({ started_by: { span_id: root?.id } });
      expect(sessionIn(traces, call.trace_id)).toBe('s');
    }
    expect(traces).toContainEqual(
      expect.objectContaining({ id: root?.trace_id, metadata: { noted: 'late' } }),
    );
  });

  it('passes no session to a function bound after its end', () => {
    const { request, answer, spans, traces } = setUp();
    request.run(() => {
      getCurrentTrace().setSessionId('s');
      request.succeed();
      bind(answer)();
    });
    expect(sessionIn(traces, spans.at(-1)!.trace_id)).toBeUndefined();
  });

  it('keeps the trace of its carrier for spans opened after its end', () => {
    const { request, answer, spans } = setUp({
      carrier: { traceparent: PARENT },
      origin: { incoming: 'continue' },
    });
    request.run(() => {
      request.cancel();
      answer();
    });
    expect(spans[0]).toMatchObject({
      trace_id: '0af76519-16cd-43dd-8448-eb211c80319c',
      parent_id: 'b7ad6b7169203331',
      status: 'cancelled',
    });
  });

  it('adopts inner spans until the work reports its end, and ends then', () => {
    let nowMs = 0;
    const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
    const { tracer, spans } = createTestTracer({}, { clock });
    const work = { describe: () => ({ definition }), isOver: false };
    const request = deferSpan(tracer, work) as DeferredSpan;
    const answer = tracer.withSpan('answer', () => 'yes');
    request.run(() => {
      nowMs = 10;
      request.cancel();
      nowMs = 20;
      answer();
      work.isOver = true;
      answer();
    });
    const [root, inside, late] = spans;
    expect(root).toMatchObject({ status: 'cancelled', duration_ms: 10 });
    expect(inside).toMatchObject({ parent_id: root?.id, trace_id: root?.trace_id });
    expect(late?.trace_id).not.toBe(root?.trace_id);
  });

  it('has the end that was noted where its first span opens after that', () => {
    let nowMs = 0;
    const clock = { wallMs: () => nowMs, monotonicMs: () => nowMs };
    const { tracer, spans } = createTestTracer({}, { clock });
    const work = {
      isOver: true,
      describe: () => {
        request.succeed();
        return { definition };
      },
    };
    const request: DeferredSpan = deferSpan(tracer, work) as DeferredSpan;
    nowMs = 10;
    request.noteEnd();
    nowMs = 20;
    request.run(tracer.withSpan('answer', () => 'yes'));
    expect(spans[0]).toMatchObject({ status: 'ok', duration_ms: 10 });
  });

  it('records nothing of the background work of excluded work', () => {
    const { request, answer, spans } = setUp({ describe: () => 'excluded' });
    request.run(() => {
      request.succeed();
      answer();
    });
    expect(spans).toEqual([]);
  });

  it('is no parent for other services once it is over', () => {
    const { request, answer } = setUp({ carrier: { traceparent: PARENT }, origin: { incoming: 'continue' } });
    request.run(answer);
    request.succeed();
    expect(request.run(() => injectTraceContext({}))).toEqual({});
  });

  it('is entered from the context of other work, and not from spans opened inside', () => {
    const { tracer, request, answer, spans } = setUp();
    const other = deferSpan(tracer, { describe: () => ({ definition }) }) as DeferredSpan;
    other.run(() => request.enter(answer));
    request.run(tracer.withSpan('middleware', () => request.enter(answer)));
    request.run(() =>
      runWithTraceContext({ traceparent: PARENT }, () => request.enter(answer), { incoming: 'continue' }),
    );
    request.succeed();
    const [first, second, middleware, third, root] = spans;
    expect(first?.parent_id).toBe(root?.id);
    expect(second?.parent_id).toBe(middleware?.id);
    expect(third?.parent_id).toBe('b7ad6b7169203331');
    expect(spans).toHaveLength(5);
  });

  it('records a failure or a cancellation with the response', () => {
    const failed = setUp();
    failed.request.run(failed.answer);
    failed.request.fail(new Error('down'), { status_code: 500 });
    expect(failed.spans[1]).toMatchObject({
      status: 'error',
      span_data: { error: { message: 'down' }, output: { status_code: 500 } },
    });
    const cancelled = setUp();
    cancelled.request.run(cancelled.answer);
    cancelled.request.cancel();
    expect(cancelled.spans[1]?.status).toBe('cancelled');
  });

  it('accepts facts once it is open', () => {
    const { request, answer, traces } = setUp();
    request.whenOpened(() => {
      getCurrentTrace().setSessionId('early');
    });
    request.run(answer);
    request.whenOpened(() => {
      getCurrentTrace().setMetadata({ late: true });
    });
    request.succeed();
    expect(traces).toMatchObject([{ session_id: 'early', metadata: { late: true } }]);
  });

  it('opens no span for an outgoing call, and passes on the incoming context', () => {
    const { request, spans } = setUp({ carrier: { traceparent: PARENT }, origin: { incoming: 'continue' } });
    expect(request.run(() => injectTraceContext({}))).toEqual({ traceparent: PARENT });
    request.succeed();
    expect(spans).toEqual([]);
  });

  it('runs the work untraced when describing it throws', () => {
    const errors: unknown[] = [];
    const { tracer, spans } = createTestTracer({
      onError: (error) => errors.push(error),
      logger: { warn: () => undefined },
    });
    const request = deferSpan(tracer, {
      describe: () => {
        throw new Error('broken hook');
      },
    });
    expect(request?.run(tracer.withSpan('answer', () => 'yes'))).toBe('yes');
    expect(spans).toHaveLength(1);
    expect(errors).toMatchObject([{ code: 'TRACER_RECORDING' }]);
  });
});

describe('a context that many calls are made in after its end', () => {
  const callLate = (calls: number): string[] => {
    const warnings: string[] = [];
    const { tracer } = createTestTracer({ logger: { warn: (text) => warnings.push(text) } });
    const answer = tracer.withSpan('answer', () => 'yes');
    const late = tracer.withSpan('serve', () => AsyncResource.bind(answer))();
    for (let call = 0; call < calls; call++) late();
    return warnings;
  };

  it('is reported once', () => {
    expect(callLate(50)).toEqual([
      expect.stringContaining('20 calls ran in the context of serve after it had ended'),
    ]);
    expect(callLate(19)).toEqual([]);
  });
});

describe('runWithTraceContext', () => {
  it('leaves the context unchanged without a valid traceparent', () => {
    expect(runWithTraceContext({ traceparent: 'garbage' }, () => getCurrentSpan().traceId)).toBe('');
  });
});
