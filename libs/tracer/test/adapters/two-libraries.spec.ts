import '@langchain/core/context';
import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { RunnableLambda } from '@langchain/core/runnables';
import { Agent, tool } from '@openai/agents';
import { generateText } from 'ai-v7';
import { MockLanguageModelV4 } from 'ai-v7/test';
import { z } from 'zod';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { agentsUnderTest } from './openai-agents/agents-under-test.js';
import { orphans, outline } from './outline.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());

describe('libraries inside one another', () => {
  it('make one tree, with and without spans of the application between them', async () => {
    const { tracer, spans, responses, runner } = await agentsUnderTest(server);
    server.reply = ({ toolResult }) =>
      toolResult === ''
        ? { toolCalls: [{ name: 'search', arguments: { query: 'fjords' } }] }
        : { text: 'Done.' };
    const callbacks = [tracer.getLangChainHandler() as unknown as BaseCallbackHandler];
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    const model = new MockLanguageModelV4({
      modelId: 'mock-1',
      doGenerate: async () => ({
        content: [{ type: 'text', text: 'short' }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      }),
    });
    const summarize = tracer.withSpan('summarize', async (prompt: string) => {
      const { text } = await generateText({
        model,
        prompt,
        telemetry: { integrations: [tracer.getAiSdkTelemetry()] },
      });
      return text;
    });
    const retrieve = RunnableLambda.from(async (query: string) => summarize(query)).withConfig({
      runName: 'retrieve',
    });
    const search = tool({
      name: 'search',
      description: 'Searches',
      parameters: z.object({ query: z.string() }),
      execute: async ({ query }) => retrieve.invoke(query, { callbacks }),
    });
    await runner.run(new Agent({ name: 'A', model: responses, tools: [search] }), 'hi');

    expect(outline(spans)).toEqual([
      'agent Support',
      '  agent A',
      '    custom turn 1',
      '      llm response',
      '      function search',
      '        custom retrieve',
      '          custom summarize',
      '            agent generateText',
      '              llm mock-1',
      '    custom turn 2',
      '      llm response',
    ]);
    expect(orphans(spans)).toEqual([]);
    expect(new Set(spans.map(({ trace_id }) => trace_id)).size).toBe(1);
  });
});
