import { Agent, handoff, Runner, tool, withCustomSpan, withTrace } from '@openai/agents';
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
  server.reply = () => ({});
});

const weather = tool({
  name: 'weather',
  description: 'The weather in a city',
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 21 }),
});

describe('SPEC 4.2 getAgentsTracingProcessor', () => {
  it('records a run with a tool as one tree, each fact from where it really lives', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    server.reply = ({ toolResult }) =>
      toolResult === ''
        ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
        : { text: 'Mild.' };
    const agent = new Agent({
      name: 'Forecaster',
      instructions: 'Be brief.',
      model: responses,
      tools: [weather],
    });
    const run = await runner.run(agent, 'Weather in Oslo?');
    expect(run.finalOutput).toBe('Mild.');

    expect(outline(spans)).toEqual([
      'agent Support',
      '  agent Forecaster',
      '    custom turn 1',
      '      llm response',
      '      function weather',
      '    custom turn 2',
      '      llm response',
    ]);
    expect(named(spans, 'weather')).toMatchObject({
      trace_function_key: 'agents.function.weather',
      kind: 'tool',
      span_data: { input: [{ city: 'Oslo' }], output: { city: 'Oslo', degrees: 21 } },
    });
    expect(named(spans, 'response').span_data).toMatchObject({
      prompt: 'system:\nBe brief.\n\nuser:\nWeather in Oslo?',
      output: [{ type: 'function_call', name: 'weather' }],
      usage: {
        provider: 'openai',
        model: 'gpt-4.1-mini-2025',
        input_tokens: 12,
        output_tokens: 9,
        cached_input_tokens: 4,
      },
    });
    expect(spans.filter(({ span_data }) => span_data.usage).map(({ type }) => type)).toEqual(['llm', 'llm']);
    for (const name of ['Support', 'Forecaster'])
      expect(named(spans, name).span_data).toMatchObject({
        input: [[{ role: 'user', content: 'Weather in Oslo?' }]],
        output: 'Mild.',
      });
    expect(named(spans, 'Forecaster').span_data.contexts).toEqual([
      { tools: ['weather'], handoffs: [], output_type: 'text' },
    ]);
    expect(spans.every(({ status }) => status === 'ok')).toBe(true);
  });

  it('reads usage and model of a chat completion from the completion', async () => {
    const { spans, chat, runner } = await agentsUnderTest(server);
    await runner.run(new Agent({ name: 'A', instructions: 'Be brief.', model: chat }), 'Hi');
    expect(named(spans, 'generation')).toMatchObject({
      type: 'llm',
      span_data: {
        prompt: 'system:\nBe brief.\n\nuser:\nHi',
        usage: {
          model: 'gpt-4o-mini-2025',
          input_tokens: 12,
          output_tokens: 9,
          cached_input_tokens: 4,
        },
        contexts: [{ finish_reason: 'stop' }, { model_config: {} }],
      },
    });
  });

  it.each(['responses', 'chat'] as const)(
    'records what the model received in addition to the prompt, by %s',
    async (endpoint) => {
      const { spans, runner, ...models } = await agentsUnderTest(server);
      const modelSettings = { temperature: 0.2 };
      await runner.run(
        new Agent({ name: 'A', model: models[endpoint], modelSettings, tools: [weather] }),
        'Hi',
      );
      const { contexts, usage } = spans.find(({ type }) => type === 'llm')!.span_data;
      expect(JSON.stringify(contexts)).toContain('"temperature":0.2');
      expect(usage).toMatchObject({ input_tokens: 12 });
      expect(named(spans, 'A').span_data.output).toBe('Hello.');
    },
  );

  it('records a handoff, and the agent that took over', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    const billing = new Agent({ name: 'Billing', instructions: 'Billing.', model: responses });
    const triage = new Agent({
      name: 'Triage',
      instructions: 'Triage.',
      model: responses,
      handoffs: [handoff(billing)],
    });
    server.reply = ({ body }) =>
      body.instructions === 'Triage.'
        ? { toolCalls: [{ name: 'transfer_to_Billing', arguments: {} }] }
        : { text: 'Refunded.' };
    await runner.run(triage, 'Refund me');
    expect(outline(spans)).toEqual([
      'agent Support',
      '  agent Triage',
      '    custom turn 1',
      '      llm response',
      '      handoff handoff',
      '  agent Billing',
      '    custom turn 2',
      '      llm response',
    ]);
    expect(named(spans, 'handoff').span_data).toMatchObject({ input: ['Triage'], output: 'Billing' });
  });

  it('records a tripped guardrail: the guardrail reports it, the run is the error', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    const agent = new Agent({
      name: 'Guarded',
      model: responses,
      inputGuardrails: [
        {
          name: 'no homework',
          execute: async () => ({ tripwireTriggered: true, outputInfo: {} }),
          runInParallel: false,
        },
      ],
    });
    await expect(runner.run(agent, 'Solve x')).rejects.toThrow();
    expect(named(spans, 'no homework')).toMatchObject({
      type: 'guardrail',
      status: 'ok',
      span_data: { output: { triggered: true } },
    });
    expect(named(spans, 'Guarded').status).toBe('error');
    expect(orphans(spans)).toEqual([]);
  });

  it('records a streamed run', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    const result = await runner.run(new Agent({ name: 'A', model: responses }), 'Hi', { stream: true });
    for await (const event of result) expect(event).toBeDefined();
    await result.completed;
    expect(outline(spans)).toEqual(['agent Support', '  agent A', '    custom turn 1', '      llm response']);
    expect(named(spans, 'response').span_data.usage).toMatchObject({ input_tokens: 12, output_tokens: 9 });
  });

  it('records a streamed run that is broken off', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    const result = await runner.run(new Agent({ name: 'A', model: responses }), 'Hi', { stream: true });
    for await (const event of result) {
      expect(event).toBeDefined();
      break;
    }
    await result.completed.catch(() => undefined);
    expect(orphans(spans)).toEqual([]);
  });

  it('nests an agent that is the tool of another under the tool', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    const translator = new Agent({ name: 'Translator', instructions: 'Translate.', model: responses });
    const writer = new Agent({
      name: 'Writer',
      instructions: 'Write.',
      model: responses,
      tools: [translator.asTool({ toolName: 'translate', toolDescription: 'Translates' })],
    });
    server.reply = ({ body, toolResult }) =>
      body.instructions === 'Write.' && toolResult === ''
        ? { toolCalls: [{ name: 'translate', arguments: { input: 'hello' } }] }
        : { text: 'Bonjour.' };
    await runner.run(writer, 'Greet in French');
    const lines = outline(spans);
    const at = lines.indexOf('      function translate');
    expect(lines.slice(at, at + 5)).toEqual([
      '      function translate',
      expect.stringMatching(/^ {8}agent /),
      '          agent Translator',
      '            custom turn 1',
      '              llm response',
    ]);
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  });

  it('records a model failure where it happened and up to the run', async () => {
    const { spans, responses, runner } = await agentsUnderTest(server);
    server.reply = () => FAILURE;
    await expect(runner.run(new Agent({ name: 'A', model: responses }), 'Hi')).rejects.toThrow('500');
    expect(spans.map(({ name, status }) => [name, status])).toEqual(
      expect.arrayContaining([
        ['response', 'error'],
        ['turn 1', 'error'],
        ['A', 'error'],
        ['Support', 'error'],
      ]),
    );
    expect(named(spans, 'response').span_data.error).toMatchObject({
      name: 'AgentsError',
      message: expect.stringContaining('500'),
    });
    expect(named(spans, 'response').span_data.error).not.toHaveProperty('stack');
  });

  it('records an error whose data is not JSON', async () => {
    const { spans } = await agentsUnderTest(server);
    const data: Record<string, unknown> = { attempt: 3n };
    data['self'] = data;
    await withTrace('checks', () =>
      withCustomSpan(
        async (span) => {
          span.setError({ message: 'Not allowed', data: { error: data } });
        },
        { data: { name: 'check' } },
      ),
    );
    expect(named(spans, 'check')).toMatchObject({
      status: 'error',
      span_data: { error: { message: expect.stringMatching(/^Not allowed: .*attempt: 3n/) } },
    });
  });

  it('excludes private data of the run', async () => {
    const { spans, responses } = await agentsUnderTest(server);
    server.reply = ({ toolResult }) =>
      toolResult === ''
        ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
        : { text: 'Mild.' };
    const agent = new Agent({ name: 'A', model: responses, tools: [weather] });
    await new Runner({ traceIncludeSensitiveData: false }).run(agent, 'Secret question');
    expect(JSON.stringify(spans)).not.toMatch(/Secret question|Oslo|Mild/);
    expect(named(spans, 'weather').span_data).not.toHaveProperty('input');
  });
});
