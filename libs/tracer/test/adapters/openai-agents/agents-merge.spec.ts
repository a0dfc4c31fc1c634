import { Agent, getCurrentSpan as currentAgentsSpan, Runner, tool, withTrace } from '@openai/agents';
import { z } from 'zod';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { named, orphans, outline } from '../outline.js';
import { agentsUnderTest, FAILURE } from './agents-under-test.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.reply = ({ toolResult }) =>
    toolResult === '' ? { toolCalls: [{ name: 'look', arguments: { at: 'x' } }] } : {};
});

const lookTool = (execute: (input: { at: string }) => unknown) =>
  tool({
    name: 'look',
    description: 'Looks',
    parameters: z.object({ at: z.string() }),
    execute: async (input) => execute(input),
  });

describe('agents and spans of the application', () => {
  it('make one tree: a run inside a span, spans inside a tool, and a run inside those', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    const plain = new Agent({ name: 'Inner', instructions: 'inner', model: responses });
    const inner = tracer.withSpan('inner', async (at: string) => (await runner.run(plain, at)).finalOutput);
    const lookUp = tracer.withSpan('look-up', { type: 'function' }, async (at: string) => inner(at));
    const agent = new Agent({ name: 'Outer', model: responses, tools: [lookTool(({ at }) => lookUp(at))] });
    const reply = server.reply;
    server.reply = (request) => (request.body.instructions === 'inner' ? {} : reply(request));

    const answer = tracer.withSpan(
      'answer',
      async (text: string) => (await runner.run(agent, text)).finalOutput,
    );
    await answer('hi');

    expect(outline(spans)).toEqual([
      'custom answer',
      '  agent Support',
      '    agent Outer',
      '      custom turn 1',
      '        llm response',
      '        function look',
      '          function look-up',
      '            custom inner',
      '              agent Support',
      '                agent Inner',
      '                  custom turn 1',
      '                    llm response',
      '      custom turn 2',
      '        llm response',
    ]);
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
    expect(orphans(spans)).toEqual([]);
  });

  it('make one tree also where the application called something before the run', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    const plain = new Agent({ name: 'Inner', instructions: 'inner', model: responses });
    const step = tracer.withSpan('step', async (at: string) => at);
    const lookUp = tracer.withSpan('look-up', async (at: string) => {
      await step(at);
      return (await runner.run(plain, at)).finalOutput;
    });
    const agent = new Agent({ name: 'Outer', model: responses, tools: [lookTool(({ at }) => lookUp(at))] });
    const reply = server.reply;
    server.reply = (request) => (request.body.instructions === 'inner' ? {} : reply(request));
    await tracer.withSpan('answer', async (text: string) => {
      await step(text);
      return (await runner.run(agent, text)).finalOutput;
    })('hi');

    expect(outline(spans)).toEqual([
      'custom answer',
      '  custom step',
      '  agent Support',
      '    agent Outer',
      '      custom turn 1',
      '        llm response',
      '        function look',
      '          custom look-up',
      '            custom step',
      '            agent Support',
      '              agent Inner',
      '                custom turn 1',
      '                  llm response',
      '      custom turn 2',
      '        llm response',
    ]);
  });

  it('keep parallel tools apart, across awaits', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    server.reply = ({ toolResult }) =>
      toolResult === ''
        ? { toolCalls: ['a', 'b', 'c'].map((at) => ({ name: 'look', arguments: { at } })) }
        : {};
    const fetchIt = tracer.withSpan('fetch', async (at: string) => {
      await new Promise(setImmediate);
      return at;
    });
    const look = lookTool(async ({ at }) => {
      await new Promise(setImmediate);
      return fetchIt(at);
    });
    await runner.run(new Agent({ name: 'A', model: responses, tools: [look] }), 'hi');
    const fetches = spans.filter(({ name }) => name === 'fetch');
    expect(fetches).toHaveLength(3);
    for (const fetched of fetches) {
      const parent = spans.find(({ id }) => id === fetched.parent_id);
      expect(parent).toMatchObject({
        name: 'look',
        span_data: { input: [{ at: fetched.span_data.input![0] }] },
      });
    }
  });

  it('make one trace when withTrace is outermost, with spans of ours between its runs', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    server.reply = () => ({});
    const agent = new Agent({ name: 'A', model: responses });
    const between = tracer.withSpan('between', async () => (await runner.run(agent, 'two')).finalOutput);
    await withTrace('Both', async () => {
      await runner.run(agent, 'one');
      await between();
    });
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
    const inner = spans.filter(({ name }) => name === 'A').at(-1)!;
    const task = spans.find(({ id }) => id === inner.parent_id)!;
    expect(task.parent_id).toBe(named(spans, 'between').id);
    expect(orphans(spans)).toEqual([]);
  });

  it('go on side by side in concurrent runs', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    server.reply = ({ text }) => ({ text, delayMs: text.length % 5 });
    const agent = new Agent({ name: 'A', model: responses });
    const answer = tracer.withSpan(
      'answer',
      async (text: string) => (await runner.run(agent, text)).finalOutput,
    );
    await Promise.all(Array.from({ length: 10 }, (_, index) => answer('.'.repeat(index + 1))));
    const traces = new Set(spans.map(({ trace_id }) => trace_id));
    expect(traces.size).toBe(10);
    for (const traceId of traces) {
      const ofTrace = spans.filter(({ trace_id }) => trace_id === traceId);
      expect(outline(ofTrace)).toEqual([
        'custom answer',
        '  agent Support',
        '    agent A',
        '      custom turn 1',
        '        llm response',
      ]);
      expect(named(ofTrace, 'response').span_data.input).toEqual([
        [expect.objectContaining({ content: named(ofTrace, 'answer').span_data.input![0] })],
      ]);
    }
  });

  it('record the real error of a tool on the span of ours that threw it', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    const fail = tracer.withSpan('fail', () => {
      throw new TypeError('no such place');
    });
    await runner.run(new Agent({ name: 'A', model: responses, tools: [lookTool(() => fail())] }), 'hi');
    expect(named(spans, 'fail').span_data.error).toMatchObject({
      name: 'TypeError',
      message: 'no such place',
    });
    expect(named(spans, 'look')).toMatchObject({
      status: 'error',
      span_data: { error: { message: expect.stringContaining('non-fatal') } },
    });
  });

  it('make the span of a tool and its trace current', async () => {
    const { tracer, spans, traces, responses, runner } = await agentsUnderTest(server);
    const look = lookTool(() => {
      tracer.getCurrentSpan().addContext({ seen: true });
      tracer.getCurrentTrace().setMetadata({ shop: 7 });
      return currentAgentsSpan()?.spanId;
    });
    await runner.run(new Agent({ name: 'A', model: responses, tools: [look] }), 'hi');
    expect(named(spans, 'look').span_data.contexts).toContainEqual({ seen: true });
    expect(traces).toContainEqual(expect.objectContaining({ metadata: { shop: 7 } }));
  });

  it('leave no context behind, whether a run failed or not', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    server.reply = () => FAILURE;
    await runner.run(new Agent({ name: 'A', model: responses }), 'hi').catch(() => undefined);
    tracer.withSpan('after', () => 1)();
    expect(named(spans, 'after')).not.toHaveProperty('parent_id');
    expect(named(spans, 'after').trace_id).not.toBe(named(spans, 'A').trace_id);
  });
});

describe('the ids of agents', () => {
  it('keep the trace id, which is a UUID without its dashes', async () => {
    const { spans, responses } = await agentsUnderTest(server);
    server.reply = () => ({});
    const traceId = 'trace_0123456789abcdef0123456789abcdef';
    await new Runner({ traceId }).run(new Agent({ name: 'A', model: responses }), 'hi');
    expect(spans.map(({ trace_id }) => trace_id)).toEqual(
      spans.map(() => '01234567-89ab-cdef-0123-456789abcdef'),
    );
  });

  it('are derived when the application chose the trace id itself', async () => {
    const { spans, responses } = await agentsUnderTest(server);
    server.reply = () => ({});
    const agent = new Agent({ name: 'A', model: responses });
    await new Runner({ traceId: 'order 17' }).run(agent, 'hi');
    await new Runner({ traceId: 'order 17' }).run(agent, 'hi again');
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
    expect(new Set(spans.map(({ id }) => id)).size).toBe(spans.length);
  });

  it('use the group id as the session id, and record the metadata', async () => {
    const { traces, responses } = await agentsUnderTest(server);
    server.reply = () => ({});
    const runner = new Runner({ groupId: 'chat-42', traceMetadata: { shop: '7' } });
    await runner.run(new Agent({ name: 'A', model: responses }), 'hi');
    expect(Object.assign({}, ...traces)).toMatchObject({ session_id: 'chat-42', metadata: { shop: '7' } });
  });
});
