import { context, propagation, ROOT_CONTEXT, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import { AlwaysOffSampler } from '@opentelemetry/sdk-trace-base';
import { toW3cTraceId } from '@dacapo/protocol';
import { injectTraceContext } from '../../src/context/propagation.js';
import { deferSpan } from '../../src/recording/deferred-span.js';
import { runWithoutTracing } from '../../src/recording/trace-context.js';
import { defineSpan } from '../../src/recording/span-definition.js';
import { named, orphans, outline } from '../adapters/outline.js';
import { bridge, CHAT, unbridge } from './bridged.js';

afterEach(unbridge);

describe('spans of OpenTelemetry in our traces', () => {
  it('become ours below the open span, with their content', () => {
    const { tracer, otel, spans } = bridge();
    tracer.withSpan('answer', () => {
      otel.startActiveSpan('chat gpt-5', { attributes: CHAT }, (span) => {
        span.setAttributes({
          'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hi"}]}]',
          'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Hello"}]}]',
          'gen_ai.usage.input_tokens': 3,
          'gen_ai.usage.output_tokens': 5,
          'gen_ai.conversation.id': 'chat-1',
        });
        span.end();
      });
    })();
    expect(outline(spans)).toEqual(['custom answer', '  llm chat gpt-5']);
    const chat = named(spans, 'chat gpt-5');
    expect(chat).toMatchObject({ type: 'llm', status: 'ok', session_id: 'chat-1' });
    expect(JSON.stringify(chat.span_data.input)).toContain('Hi');
    expect(JSON.stringify(chat.span_data.output)).toContain('Hello');
    expect(chat.span_data.usage).toMatchObject({ model: 'gpt-5', input_tokens: 3, output_tokens: 5 });
    // What a request was sent is not what a function was called with.
    expect(chat.span_data.meta).toMatchObject({ replayable: false });
  });

  it('leave out what is not about AI, and its children attach to what is around it', () => {
    const { tracer, otel, spans } = bridge();
    const inner = tracer.withSpan('inner', () => 1);
    tracer.withSpan('outer', () => {
      otel.startActiveSpan('GET /', (http) => {
        otel.startActiveSpan(
          'agent',
          { attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
          (agent) => {
            otel.startActiveSpan('dns', (dns) => {
              inner();
              dns.end();
            });
            agent.end();
          },
        );
        http.end();
      });
    })();
    expect(outline(spans)).toEqual(['custom outer', '  agent agent', '    custom inner']);
    expect(orphans(spans)).toEqual([]);
  });

  it('are recorded without AI content where `keep` says so', () => {
    const { otel, spans } = bridge({ keep: ({ name }) => name === 'checkout' });
    otel.startActiveSpan('checkout', (span) => {
      otel.startSpan('dns').end();
      span.end();
    });
    expect(outline(spans)).toEqual(['custom checkout']);
  });

  it('begin a trace under the id of OpenTelemetry, which ours inside join', () => {
    const { tracer, otel, spans } = bridge();
    let traceId = '';
    otel.startActiveSpan('GET /', (http) => {
      ({ traceId } = http.spanContext());
      tracer.withSpan('one', () => 1)();
      otel.startSpan('chat', { attributes: CHAT }).end();
      tracer.withSpan('two', () => 2)();
      http.end();
    });
    expect(spans.map(({ name, trace_id }) => [name, toW3cTraceId(trace_id)])).toEqual([
      ['one', traceId],
      ['chat', traceId],
      ['two', traceId],
    ]);
  });

  it('have their type and name of the end, when their attributes come late', () => {
    const { tracer, otel, spans } = bridge();
    tracer.withSpan('outer', () => {
      const span = otel.startSpan('work');
      span.updateName('search');
      span.setAttribute('openinference.span.kind', 'RETRIEVER');
      span.end();
      const typed = otel.startSpan('a', { attributes: { 'openinference.span.kind': 'CHAIN' } });
      typed.setAttribute('openinference.span.kind', 'AGENT');
      typed.end();
    })();
    expect(outline(spans)).toEqual(['custom outer', '  function search', '  agent a']);
  });

  it('record what they failed with', () => {
    const { otel, spans } = bridge();
    const span = otel.startSpan('chat', { attributes: CHAT });
    span.recordException(new RangeError('too long'));
    span.setStatus({ code: SpanStatusCode.ERROR, message: 'too long' });
    span.end();
    expect(spans[0]).toMatchObject({
      status: 'error',
      span_data: { error: { name: 'RangeError', message: 'too long', stack: expect.any(String) } },
    });
  });

  it('nest when they end after what is around them, and keep their times', () => {
    const { tracer, otel, spans } = bridge();
    const started = Date.now() - 5000;
    let late = otel.startSpan('none');
    tracer.withSpan('outer', () => {
      late = otel.startSpan('chat', { attributes: CHAT, startTime: started });
    })();
    late.end(started + 2000);
    const [outer, chat] = [named(spans, 'outer'), named(spans, 'chat')];
    expect(chat).toMatchObject({ parent_id: outer.id, trace_id: outer.trace_id });
    // No span begins before its parent.
    expect(chat.started_at >= outer.started_at).toBe(true);
  });

  it('mask secrets', () => {
    const { otel, spans } = bridge();
    otel
      .startSpan('chat', {
        attributes: {
          ...CHAT,
          'gen_ai.tool.call.arguments': '{"password":"hunter2!"}',
          'gen_ai.prompt': 'x',
        },
      })
      .end();
    expect(spans).toHaveLength(1);
    expect(JSON.stringify(spans)).not.toContain('hunter2!');
  });

  it('keep links to other traces', () => {
    const { otel, spans } = bridge();
    const link = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: TraceFlags.SAMPLED };
    otel.startSpan('chat', { attributes: CHAT, links: [{ context: link }] }).end();
    expect(JSON.stringify(spans[0]?.span_data.contexts)).toContain('b'.repeat(16));
  });

  it('do not repeat a request that a span of ours records already', () => {
    const { tracer, otel, spans } = bridge();
    tracer.withSpan('model', { type: 'llm' }, () => {
      otel.startActiveSpan('chat', { attributes: CHAT }, (span) => {
        span.end();
      });
    })();
    expect(outline(spans)).toEqual(['llm model']);
  });

  it.each([
    ['link', false],
    ['continue', true],
  ] as const)("of a caller's trace follow the option incoming: %s", (incoming, isContinued) => {
    const { tracer, otel, spans } = bridge({ tracer: { incoming } });
    const caller = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16), traceFlags: 1, isRemote: true };
    context.with(trace.setSpanContext(ROOT_CONTEXT, caller), () => {
      otel.startActiveSpan('POST /', (http) => {
        tracer.withSpan('handle', () => 1)();
        http.end();
      });
    });
    const [handle] = spans;
    expect(toW3cTraceId(handle?.trace_id ?? '') === caller.traceId).toBe(isContinued);
    expect(handle?.parent_id).toBe(isContinued ? caller.spanId : undefined);
    expect(handle?.span_data.meta?.links).toEqual(
      isContinued ? undefined : [{ trace_id: expect.any(String), span_id: caller.spanId }],
    );
  });

  it('are left out where the tracer is told to record nothing', () => {
    const { otel, spans } = bridge();
    runWithoutTracing(() => {
      otel.startSpan('chat', { attributes: CHAT }).end();
    });
    expect(spans).toEqual([]);
  });
});

describe('our spans in the traces of OpenTelemetry', () => {
  it('have one context with theirs: ids, parents and content', () => {
    const { tracer, otel, spans, exported } = bridge();
    const inner = tracer.withSpan('inner', { type: 'function' }, (text: string) => text.length);
    otel.startActiveSpan('GET /', (http) => {
      tracer.withSpan('outer', () => {
        otel.startActiveSpan('query', (query) => {
          inner('four');
          query.end();
        });
      })();
      http.end();
    });
    const [outer, ownInner] = [named(spans, 'outer'), named(spans, 'inner')];
    expect(exported('outer').spanContext()).toMatchObject({
      traceId: toW3cTraceId(outer.trace_id),
      spanId: outer.id,
    });
    expect(exported('outer').parentSpanContext?.spanId).toBe(exported('GET /').spanContext().spanId);
    expect(exported('query').parentSpanContext?.spanId).toBe(outer.id);
    expect(exported('inner').parentSpanContext?.spanId).toBe(exported('query').spanContext().spanId);
    expect(ownInner.parent_id).toBe(outer.id);
    expect(exported('inner').attributes).toMatchObject({
      'dacapo.key': 'inner',
      'dacapo.type': 'function',
      'dacapo.input': '["four"]',
      'dacapo.output': '4',
    });
  });

  it('begin a trace of both under one id', () => {
    const { tracer, spans, exported } = bridge();
    tracer.withSpan('alone', () => 1)();
    expect(toW3cTraceId(spans[0]?.trace_id ?? '')).toBe(exported('alone').spanContext().traceId);
    expect(exported('alone').parentSpanContext).toBeUndefined();
  });

  it('are the active span of OpenTelemetry, in async work, generators and streams too', async () => {
    const { tracer, otel, spans, exported } = bridge();
    const work = tracer.withSpan('work', async () => {
      await new Promise((resolve) => setImmediate(resolve));
      trace.getActiveSpan()?.setAttribute('noted', true);
      otel.startSpan('in async').end();
      return injectTraceContext<Record<string, unknown>>({});
    });
    const items = tracer.withSpan('items', async function* () {
      yield 1;
      otel.startSpan('in generator').end();
    });
    const headers = await work();
    for await (const item of items()) expect(item).toBe(1);
    expect(exported('work').attributes['noted']).toBe(true);
    expect(exported('in async').parentSpanContext?.spanId).toBe(named(spans, 'work').id);
    expect(exported('in generator').parentSpanContext?.spanId).toBe(named(spans, 'items').id);
    expect(headers['traceparent']).toContain(exported('work').spanContext().traceId);
    expect(trace.getActiveSpan()).toBeUndefined();
  });

  it('end with the error, in the status and as an exception', () => {
    const { tracer, exported } = bridge();
    const fail = tracer.withSpan('fail', () => {
      throw new TypeError('no');
    });
    expect(fail).toThrow('no');
    expect(exported('fail').status).toEqual({ code: SpanStatusCode.ERROR, message: 'no' });
    expect(exported('fail').events).toMatchObject([
      { name: 'exception', attributes: { 'exception.type': 'TypeError', 'exception.message': 'no' } },
    ]);
  });

  it('hold only what is recorded: masked, and nothing where capture is off', () => {
    const { tracer, exported } = bridge();
    tracer.withSpan('login', (form: object) => Object.keys(form))({ password: 'hunter2!' });
    tracer.withSpan('quiet', { captureInput: false }, (text: string) => text.length)('private words');
    const texts = JSON.stringify(['login', 'quiet'].map((name) => exported(name).attributes));
    expect(texts).not.toContain('hunter2!');
    expect(texts).not.toContain('private words');
  });

  it('never come back, and theirs never go out again', () => {
    const { tracer, otel, spans, exportedNames } = bridge({ keep: () => true });
    tracer.withSpan('ours', { type: 'llm' }, () => 1)();
    otel.startSpan('theirs', { attributes: CHAT }).end();
    expect(spans.map(({ name }) => name)).toEqual(['ours', 'theirs']);
    expect(exportedNames()).toEqual(['ours', 'theirs']);
  });

  it('are recorded by us while OpenTelemetry samples none, and exported without content while we record none', () => {
    const unsampled = bridge({ sampler: new AlwaysOffSampler() });
    unsampled.tracer.withSpan('ours', () => {
      unsampled.otel.startSpan('theirs').end();
    })();
    expect(unsampled.spans.map(({ name }) => name)).toEqual(['ours']);
    expect(unsampled.exportedNames()).toEqual([]);
  });

  it('are exported without content while the tracer samples none', () => {
    const { tracer, spans, exported } = bridge({ tracer: { sampleRate: 0 } });
    tracer.withSpan('ours', (text: string) => text)('private');
    expect(spans).toEqual([]);
    expect(Object.keys(exported('ours').attributes)).toEqual(['dacapo.key', 'dacapo.type']);
  });

  it('go on without OpenTelemetry after its shutdown', async () => {
    const { tracer, spans, exportedNames, shutdown } = bridge();
    await shutdown();
    expect(tracer.withSpan('later', () => 7)()).toBe(7);
    expect(spans.map(({ name }) => name)).toEqual(['later']);
    expect(exportedNames()).toEqual([]);
  });

  it('nest with theirs without the span processor too', () => {
    const { tracer, otel, spans, exported } = bridge({ imports: false });
    const inner = tracer.withSpan('inner', () => 1);
    otel.startActiveSpan('GET /', (http) => {
      tracer.withSpan('outer', () => {
        otel.startActiveSpan('query', (query) => {
          inner();
          query.end();
        });
      })();
      http.end();
    });
    expect(outline(spans)).toEqual(['custom outer', '  custom inner']);
    const parent = (name: string) => exported(name).parentSpanContext?.spanId;
    expect(parent('outer')).toBe(exported('GET /').spanContext().spanId);
    expect(parent('query')).toBe(exported('outer').spanContext().spanId);
    expect(parent('inner')).toBe(exported('query').spanContext().spanId);
  });

  it('are not there without exportTo, and nothing of OpenTelemetry changes', () => {
    const { tracer, otel, exported, exportedNames } = bridge({ exports: false });
    tracer.withSpan('ours', () => {
      expect(trace.getActiveSpan()).toBeUndefined();
      otel.startSpan('theirs').end();
    })();
    expect(exportedNames()).toEqual(['theirs']);
    expect(exported('theirs').parentSpanContext).toBeUndefined();
  });
});

describe('requests in the context of OpenTelemetry', () => {
  const request = () => ({ definition: defineSpan({ key: 'http', name: 'GET /', onlyWithChildren: true }) });

  it('take the id of a trace that began here, and only the first of several', () => {
    const { tracer, otel, spans } = bridge();
    const handle = tracer.withSpan('handle', () => 1);
    let traceId = '';
    otel.startActiveSpan('server', (server) => {
      ({ traceId } = server.spanContext());
      for (let made = 0; made < 2; made++) {
        const frame = deferSpan(tracer, { describe: request });
        frame?.run(() => {
          handle();
          otel.startSpan('chat', { attributes: CHAT }).end();
        });
        frame?.succeed();
      }
      server.end();
    });
    const traces = [...new Set(spans.map(({ trace_id }) => toW3cTraceId(trace_id)))];
    expect(traces).toHaveLength(2);
    expect(traces[0]).toBe(traceId);
    expect(orphans(spans)).toEqual([]);
    // Both clocks may give spans that begin together either order.
    expect(outline(spans).toSorted()).toEqual([
      '  custom handle',
      '  custom handle',
      '  llm chat',
      '  llm chat',
      'custom GET /',
      'custom GET /',
    ]);
  });

  it('make no span while nothing in them is traced', () => {
    const { tracer, otel, spans, exportedNames } = bridge();
    const frame = deferSpan(tracer, { describe: request });
    frame?.run(() => {
      otel.startActiveSpan('db', (db) => {
        propagation.inject(context.active(), {});
        db.end();
      });
    });
    frame?.succeed();
    expect(spans).toEqual([]);
    expect(exportedNames()).toEqual(['db']);
  });
});
