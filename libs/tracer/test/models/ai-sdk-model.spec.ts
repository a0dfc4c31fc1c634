import * as v5 from 'ai-v5';
import * as v6 from 'ai-v6';
import * as v7 from 'ai-v7';
import { z } from 'zod';
import { countUsage } from '@dacapo/evaluation';
import type { Tracer } from '../../src/tracer.js';
import { type MakeAgent, recordAndReplay } from '../clients/replayed-agent.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { ServedLanguageModel } from './served-models.js';

type Ai = typeof v6;
type Ask = (ai: Ai, model: never, telemetry: object, question: string) => Promise<unknown>;

const VERSIONS: [string, Ai, string][] = [
  ['5', v5 as unknown as Ai, 'v2'],
  ['6', v6, 'v3'],
  ['7', v7 as unknown as Ai, 'v4'],
];

const tools = (ai: Ai) => ({
  weather: ai.tool({ inputSchema: z.object({ city: z.string() }), execute: async () => 'mild' }),
});

const WAYS: Record<string, Ask> = {
  'an agent that calls a tool': async (ai, model, telemetry, prompt) => {
    const { text, steps } = await ai.generateText({
      model,
      prompt,
      tools: tools(ai),
      stopWhen: ai.stepCountIs(3),
      maxRetries: 0,
      ...telemetry,
    });
    return [text, steps.length];
  },
  'a stream, part by part': async (ai, model, telemetry, prompt) => {
    const parts: unknown[] = [];
    const { fullStream } = ai.streamText({ model, prompt, ...telemetry });
    for await (const part of fullStream) parts.push(part.type === 'text-delta' ? part.text : part.type);
    return parts;
  },
  'a middleware around the model': async (ai, model, telemetry, prompt) => {
    const wrapped = ai.wrapLanguageModel({ model, middleware: { specificationVersion: 'v3' } });
    return (await ai.generateText({ model: wrapped, prompt, ...telemetry })).text;
  },
};

describe.each(VERSIONS)('a model of AI SDK %s that wrapModel wraps', (version, ai, specification) => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    server.reply = ({ body, toolResult }) =>
      body.tools !== undefined && toolResult === ''
        ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
        : { text: 'A mild day.' };
  });

  const telemetryOptions = (tracer: Tracer): object =>
    version === '7'
      ? { telemetry: { integrations: [tracer.getAiSdkTelemetry()] } }
      : { experimental_telemetry: tracer.getAiSdkTelemetry() };
  const modelAt = (url: string, id?: string): ServedLanguageModel =>
    new ServedLanguageModel(url, specification, id);
  const createAgent =
    (ask: Ask, withTelemetry: boolean, id?: string): MakeAgent =>
    (tracer, url) => {
      const model = tracer.wrapModel(modelAt(url, id)) as never;
      return (question) => ask(ai, model, withTelemetry ? telemetryOptions(tracer) : {}, question);
    };
  const cells = Object.entries(WAYS).flatMap(([way, ask]) =>
    [true, false].map((withTelemetry) => [way, withTelemetry ? 'with' : 'without', ask] as const),
  );

  it.each(cells)('is answered from the recording: %s, %s telemetry', async (_, telemetry, ask) => {
    const agent = createAgent(ask, telemetry === 'with');
    const { run, item, recorded, connections } = await recordAndReplay(server.url, agent, {
      network: 'deny',
    });
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(JSON.stringify(item.result)).toContain('mild');
    expect([run.ranLive, connections]).toEqual([{}, 0]);
    expect(run.warnings.join()).not.toContain('wrapModel');
    const used = countUsage(
      recorded.map(({ id, parent_id: parentId, type, span_data: { usage } }) => ({
        spanId: id,
        parentId,
        type,
        usage,
      })),
    );
    expect(used).toMatchObject({ inputTokens: 12 * server.requests.length });
  });

  it('runs where the replay names it as live', async () => {
    const agent = createAgent(WAYS['an agent that calls a tool']!, true);
    const { run, item } = await recordAndReplay(server.url, agent, {
      live: ['llm'],
      network: 'deny',
      replayedAt: server.url,
    });
    expect(item).toMatchObject({ verdict: 'same' });
    expect(run.ranLive).toEqual({ 'ai.doGenerate': 2 });
    expect(server.requests).toHaveLength(4);
  });

  it.each([
    ['another model', 'm-2', 'Weather?'],
    ['another prompt', undefined, 'Weather tomorrow?'],
  ])('fails for %s, which was not recorded, and asks nothing', async (_, id, prompt) => {
    const ask: Ask = (made, model, telemetry) =>
      WAYS['an agent that calls a tool']!(made, model, telemetry, prompt);
    const agent = createAgent(WAYS['an agent that calls a tool']!, true);
    const { item, connections } = await recordAndReplay(server.url, agent, {
      changed: createAgent(ask, true, id),
    });
    expect(item).toMatchObject({ verdict: 'error', error: { code: 'TRACER_REPLAY_MOCK_MISS' } });
    expect(connections).toBe(0);
  });

  it('throws an error that the SDK recognizes as its own, and retries as before', async () => {
    let calls = 0;
    server.reply = () => (calls++ === 0 ? { status: 503 } : { text: 'A mild day.' });
    const fail = (statusCode: number): Error =>
      new ai.APICallError({
        message: `answered with ${statusCode}`,
        url: server.url,
        requestBodyValues: {},
        statusCode,
        isRetryable: true,
        responseHeaders: { 'retry-after-ms': '1' },
      });
    const agent: MakeAgent = (tracer, url) => {
      const model = tracer.wrapModel(new ServedLanguageModel(url, specification, 'm', fail)) as never;
      return async (prompt) => (await ai.generateText({ model, prompt })).text;
    };
    const { item, connections, spans } = await recordAndReplay(server.url, agent);
    expect(item).toMatchObject({ verdict: 'same', result: 'A mild day.', divergences: [] });
    expect(spans.filter(({ trace_function_key: key }) => key === 'ai.doGenerate')).toHaveLength(2);
    expect(connections).toBe(0);
  });

  it('records one span for each request, with its prompt, its model and its usage', async () => {
    const agent = createAgent(WAYS['a stream, part by part']!, false);
    const { recorded } = await recordAndReplay(server.url, agent);
    expect(recorded[0]).toMatchObject({
      trace_function_key: 'ai.doStream',
      type: 'llm',
      status: 'ok',
      span_data: {
        prompt: 'user:\nWeather?',
        usage: { model: 'm', provider: 'served.chat', input_tokens: 12, output_tokens: 9 },
      },
    });
    expect(recorded).toHaveLength(2);
  });
});
