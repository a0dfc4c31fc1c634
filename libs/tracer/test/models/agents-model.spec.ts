import {
  Agent,
  type Model,
  type ModelProvider,
  OpenAIProvider,
  Runner,
  setTraceProcessors,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { z } from 'zod';
import { countUsage } from '@dacapo/evaluation';
import type { Tracer } from '../../src/tracer.js';
import { type MakeAgent, recordAndReplay } from '../clients/replayed-agent.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';

type Ask = (runner: Runner, agent: Agent, question: string) => Promise<unknown>;

const weather = tool({
  name: 'weather',
  description: 'w',
  parameters: z.object({ city: z.string() }),
  execute: async () => 'mild',
});

const WAYS: Record<string, Ask> = {
  'a run that calls a tool': async (runner, agent, question) => {
    const { finalOutput, rawResponses } = await runner.run(agent, question);
    return [finalOutput, rawResponses.length];
  },
  'a streamed run': async (runner, agent, question) => {
    const result = await runner.run(agent, question, { stream: true });
    let text = '';
    for await (const part of result.toTextStream()) text += part;
    await result.completed;
    return [text, result.finalOutput];
  },
};

describe('a model of OpenAI Agents that wrapModel wraps', () => {
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

  const trace = (tracer: Tracer, isTraced: boolean): void => {
    setTracingDisabled(!isTraced);
    setTraceProcessors(isTraced ? [tracer.getAgentsTracingProcessor()] : []);
  };
  const providerAt = (url: string, useResponses: boolean): ModelProvider =>
    new OpenAIProvider({
      useResponses,
      openAIClient: new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0 }) as never,
    });
  const createAgent =
    (ask: Ask, useResponses: boolean, isTraced = true): MakeAgent =>
    (tracer, url) => {
      const modelProvider = tracer.wrapModel(providerAt(url, useResponses));
      return async (question) => {
        trace(tracer, isTraced);
        const runner = new Runner({ modelProvider, tracingDisabled: !isTraced });
        return ask(runner, new Agent({ name: 'Desk', model: 'gpt-m', tools: [weather] }), question);
      };
    };
  const cells = Object.entries(WAYS).flatMap(([way, ask]) =>
    ['responses', 'chat completions'].flatMap((endpoint) =>
      ['with', 'without'].map((processor) => [way, endpoint, processor, ask] as const),
    ),
  );

  it.each(cells)(
    'is answered from the recording: %s, of %s, %s a processor',
    async (_, endpoint, processor, ask) => {
      const agent = createAgent(ask, endpoint === 'responses', processor === 'with');
      const { run, item, recorded, connections } = await recordAndReplay(server.url, agent, {
        network: 'deny',
      });
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(JSON.stringify(item.result)).toContain('mild');
      expect([run.ranLive, connections]).toEqual([{}, 0]);
      const used = countUsage(
        recorded.map(({ id, parent_id: parentId, type, span_data: { usage } }) => ({
          spanId: id,
          parentId,
          type,
          usage,
        })),
      );
      expect(used).toMatchObject({ inputTokens: 12 * server.requests.length });
    },
  );

  it('is mocked when the application gives the agent a model', async () => {
    const agent: MakeAgent = (tracer, url) => async (question) => {
      trace(tracer, true);
      const model: Model = tracer.wrapModel(await providerAt(url, true).getModel('gpt-m'));
      return WAYS['a run that calls a tool']!(
        new Runner(),
        new Agent({ name: 'Desk', model, tools: [weather] }),
        question,
      );
    };
    const { run, item, connections } = await recordAndReplay(server.url, agent);
    expect(item).toMatchObject({ verdict: 'same', divergences: [], result: ['A mild day.', 2] });
    expect([run.ranLive, connections]).toEqual([{}, 0]);
  });

  it.each([true, false])(
    'throws the recorded error as one of the class of the client: %s',
    async (useResponses) => {
      server.reply = () => ({ status: 429, headers: { 'x-should-retry': 'false' } });
      const ask: Ask = async (runner, agent, question) => {
        try {
          return await runner.run(agent, question);
        } catch (error) {
          return error instanceof OpenAI.RateLimitError ? [error.status, error.message] : 'another';
        }
      };
      const { item, connections } = await recordAndReplay(server.url, createAgent(ask, useResponses));
      expect(item).toMatchObject({ verdict: 'same', result: [429, '429 answered with 429'] });
      expect(connections).toBe(0);
    },
  );
});
