import { Agent, addTraceProcessor, setTraceProcessors, type TracingProcessor } from '@openai/agents';
import type { AgentsSpan } from '../../../src/adapters/openai-agents/agents-types.js';
import { createTestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { named, orphans, outline } from '../outline.js';
import { agentsUnderTest, FAILURE } from './agents-under-test.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reply = () => ({});
});

const WHOLE_RUN = ['agent Support', '  agent A', '    custom turn 1', '      llm response'];

/** A processor of somebody else's whose span callbacks take their time: events overtake each other behind it. */
function slowProcessor(): TracingProcessor {
  let calls = 0;
  const wait = async (): Promise<void> => {
    const ticks = ++calls % 3 === 1 ? 8 : 1;
    for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate);
  };
  return {
    onTraceStart: async () => undefined,
    onTraceEnd: async () => undefined,
    onSpanStart: wait,
    onSpanEnd: wait,
    shutdown: async () => undefined,
    forceFlush: async () => undefined,
  };
}

async function settled(): Promise<void> {
  for (let tick = 0; tick < 50; tick++) await new Promise(setImmediate);
}

describe('the agents processor', () => {
  it('does not depend on the order of events: behind a slow processor the tree is the same', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    setTraceProcessors([slowProcessor(), tracer.getAgentsTracingProcessor()]);
    await tracer.withSpan(
      'answer',
      async () => (await runner.run(new Agent({ name: 'A', model: responses }), 'hi')).finalOutput,
    )();
    await settled();
    expect(orphans(spans)).toEqual([]);
    expect(spans.map(({ name }) => name).sort()).toEqual(['A', 'Support', 'answer', 'response', 'turn 1']);
    expect(named(spans, 'Support').parent_id).toBe(named(spans, 'answer').id);
    expect(named(spans, 'response').parent_id).toBe(named(spans, 'turn 1').id);
  });

  it('accepts an end before its start, and the end of the trace before those of its spans', async () => {
    const { tracer, spans } = createTestTracer();
    const processor = tracer.getAgentsTracingProcessor();
    const [root, child] = [agentsSpan('span_1', null, 'Root'), agentsSpan('span_2', 'span_1', 'Child')];
    await processor.onTraceStart({ traceId: TRACE, name: 'T' });
    await processor.onSpanEnd(child);
    await processor.onTraceEnd({ traceId: TRACE, name: 'T' });
    await processor.onSpanStart(child);
    await processor.onSpanStart(root);
    await processor.onSpanEnd(root);
    expect(outline(spans)).toEqual(['agent Root', '  agent Child']);
    expect(spans[0]).toMatchObject({
      started_at: '2026-01-01T00:00:01.000000Z',
      ended_at: '2026-01-01T00:00:02.000000Z',
    });
  });

  it('records a failed run completely, although the package never reports the end of its trace', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    const ends: string[] = [];
    addTraceProcessor({ ...slowProcessor(), onTraceEnd: async (trace) => void ends.push(trace.traceId) });
    server.reply = () => FAILURE;
    await expect(runner.run(new Agent({ name: 'A', model: responses }), 'hi')).rejects.toThrow();
    await settled();
    expect(ends).toEqual([]);
    expect(outline(spans)).toEqual(WHOLE_RUN);
    expect(tracer.stats().recorded).toBe(spans.length);
  });

  it('works after shutdown, which the package calls on processors that it continues to use', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    const processor = tracer.getAgentsTracingProcessor();
    setTraceProcessors([processor]);
    await processor.shutdown(5000);
    await runner.run(new Agent({ name: 'A', model: responses }), 'hi');
    expect(outline(spans)).toEqual(WHOLE_RUN);
  });

  it('is the same each time, so that registering it twice records no span twice', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    addTraceProcessor(tracer.getAgentsTracingProcessor());
    await runner.run(new Agent({ name: 'A', model: responses }), 'hi');
    expect(outline(spans)).toEqual(WHOLE_RUN);
  });

  it('never rejects and never waits for any argument', async () => {
    const { tracer } = createTestTracer({ logger: { warn: () => undefined } });
    const processor = tracer.getAgentsTracingProcessor();
    const refuse = (): never => {
      throw new Error('no');
    };
    const hostile = new Proxy({}, { get: refuse }) as never;
    const all = [
      processor.onTraceStart(hostile),
      processor.onSpanStart(hostile),
      processor.onSpanEnd(hostile),
      processor.onTraceEnd(hostile),
    ];
    await expect(Promise.all(all)).resolves.toEqual([undefined, undefined, undefined, undefined]);
  });

  it('sends nothing when tracing is off', async () => {
    const { spans, traces, responses, runner } = await agentsUnderTest(server, { enabled: false });
    await expect(runner.run(new Agent({ name: 'A', model: responses }), 'hi')).resolves.toMatchObject({
      finalOutput: 'Hello.',
    });
    expect([spans, traces]).toEqual([[], []]);
  });

  it('forgets spans that never end, oldest first, and still accepts their end', async () => {
    const { tracer, spans } = createTestTracer();
    const processor = tracer.getAgentsTracingProcessor();
    const makeSpan = (index: number) => ({
      ...agentsSpan('span_1', null, `Run ${index}`),
      traceId: `run ${index}`,
    });
    for (let index = 0; index < 3_000; index++)
      await processor.onSpanStart({ ...makeSpan(index), endedAt: null });
    await processor.onSpanEnd(makeSpan(0));
    await processor.onSpanEnd(makeSpan(2_999));
    expect(spans.map(({ name }) => name)).toEqual(['Run 0', 'Run 2999']);
  });
});

describe('the types of agents spans', () => {
  it.each([
    ['task', 'agent'],
    ['agent', 'agent'],
    ['response', 'llm'],
    ['generation', 'llm'],
    ['transcription', 'llm'],
    ['speech', 'llm'],
    ['function', 'function'],
    ['mcp_tools', 'function'],
    ['guardrail', 'guardrail'],
    ['handoff', 'handoff'],
    ['turn', 'custom'],
    ['custom', 'custom'],
    ['speech_group', 'custom'],
    ['not_invented_yet', 'custom'],
  ])('%s becomes %s', async (type, expected) => {
    const { tracer, spans } = createTestTracer();
    await tracer.getAgentsTracingProcessor().onSpanEnd({ ...agentsSpan('span_1', null), spanData: { type } });
    expect(spans).toMatchObject([{ type: expected, trace_function_key: `agents.${type}`, status: 'ok' }]);
  });

  it('record the size of sound, not the sound', async () => {
    const { tracer, spans } = createTestTracer();
    const sound = { data: 'UklGRg'.repeat(100), format: 'pcm' };
    const processor = tracer.getAgentsTracingProcessor();
    await processor.onSpanEnd({
      ...agentsSpan('a', null),
      spanData: { type: 'transcription', input: sound, output: 'hi', model: 'stt' },
    });
    await processor.onSpanEnd({
      ...agentsSpan('b', null),
      spanData: { type: 'speech', input: 'hi', output: sound, model: 'tts' },
    });
    expect(spans[0]!.span_data).toMatchObject({
      input: [{ format: 'pcm', base64Length: 600 }],
      output: 'hi',
      usage: { model: 'stt' },
    });
    expect(JSON.stringify(spans)).not.toContain('UklGRg');
  });
});

const TRACE = 'trace_0123456789abcdef0123456789abcdef';

function agentsSpan(spanId: string, parentId: string | null, name?: string): AgentsSpan {
  return {
    traceId: TRACE,
    spanId,
    parentId,
    spanData: { type: 'agent', ...(name !== undefined && { name }) },
    startedAt: '2026-01-01T00:00:01.000Z',
    endedAt: '2026-01-01T00:00:02.000Z',
    error: null,
  };
}
