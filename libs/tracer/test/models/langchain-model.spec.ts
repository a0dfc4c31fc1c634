import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { StringOutputParser } from '@langchain/core/output_parsers';
import { ChatPromptTemplate } from '@langchain/core/prompts';
import { tool } from '@langchain/core/tools';
import { AIMessageChunk, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import OpenAI from 'openai';
import { z } from 'zod';
import { countUsage } from '@dacapo/evaluation';
import type { Tracer } from '../../src/tracer.js';
import { createTestTracer } from '../../src/testing.js';
import { type MakeAgent, readAll, recordAndReplay } from '../clients/replayed-agent.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { newOpenAi, ServedChatModel } from './served-models.js';

type Ask = (model: ServedChatModel, config: object, question: string) => Promise<unknown>;

const weather = tool(async () => 'mild', {
  name: 'weather',
  description: 'w',
  schema: z.object({ city: z.string() }),
});

const WAYS: Record<string, Ask> = {
  'a chain': async (model, config, question) =>
    ChatPromptTemplate.fromMessages([
      ['system', 'Be brief.'],
      ['user', '{question}'],
    ])
      .pipe(model)
      .pipe(new StringOutputParser())
      .invoke({ question }, config),
  'an agent that calls a tool': async (model, config, question) => {
    const bound = model.bindTools([weather]);
    const messages: BaseMessage[] = [new HumanMessage(question)];
    for (;;) {
      const answer = await bound.invoke(messages, config);
      if ((answer.tool_calls ?? []).length === 0) return answer.content;
      messages.push(answer);
      for (const call of answer.tool_calls ?? []) messages.push(await weather.invoke(call));
    }
  },
  'a stream': async (model, config, question) => {
    const chunks = await readAll(await model.stream(question, config));
    return chunks.map((chunk) => [chunk instanceof AIMessageChunk, chunk.content]);
  },
  'a batch': async (model, config, question) =>
    (await model.batch([question, `${question} Now?`], config)).map(({ content }) => content),
  'structured output': async (model, config, question) =>
    model.withStructuredOutput(z.object({ city: z.string() }), { name: 'weather' }).invoke(question, config),
};

describe('a LangChain chat model that wrapModel wraps', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
    server.reply = ({ body, toolResult }) =>
      body.tools !== undefined && toolResult === ''
        ? { toolCalls: [{ name: 'weather', arguments: { city: 'mild' } }] }
        : { text: 'A mild day.' };
  });

  const callbackOptions = (tracer: Tracer): object => ({
    callbacks: [tracer.getLangChainHandler() as unknown as BaseCallbackHandler],
  });
  const createAgent =
    (ask: Ask, withHandler: boolean, withClient = false): MakeAgent =>
    (tracer, url) => {
      const client = newOpenAi(url);
      if (withClient) tracer.wrapClient(client);
      const model = tracer.wrapModel(new ServedChatModel(url, client));
      return (question) => ask(model, withHandler ? callbackOptions(tracer) : {}, question);
    };
  const cells = Object.entries(WAYS).flatMap(([way, ask]) =>
    [true, false].map((withHandler) => [way, withHandler ? 'with' : 'without', ask] as const),
  );

  it.each(cells)('is answered from the recording: %s, %s a callback handler', async (_, handler, ask) => {
    for (const withClient of [false, true]) {
      server.requests.length = 0;
      const agent = createAgent(ask, handler === 'with', withClient);
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
      const requests = server.requests.filter(({ body }) => body.stream !== true);
      if (requests.length > 0) expect(used).toMatchObject({ inputTokens: 12 * requests.length });
    }
  });

  it('stays the same object of the same class', () => {
    const { tracer } = createTestTracer();
    const model = new ServedChatModel(server.url);
    expect(tracer.wrapModel(model)).toBe(model);
    expect(tracer.wrapModel(model)).toBeInstanceOf(ServedChatModel);
    expect(Object.keys(model)).not.toContain('_generate');
  });

  it('does not stream where the model does not', async () => {
    const { tracer, spans } = createTestTracer();
    const model = tracer.wrapModel(new FakeListChatModel({ responses: ['Hello.'] }));
    await readAll(await model.stream('Hi'));
    expect(spans.map(({ trace_function_key: key }) => key)).toEqual(['langchain.stream']);
  });

  it('throws the recorded error as one of the class of the client', async () => {
    server.reply = () => ({ status: 429, headers: { 'x-should-retry': 'false' } });
    const ask: Ask = async (model, config, question) => {
      try {
        return await model.invoke(question, config);
      } catch (error) {
        return error instanceof OpenAI.RateLimitError ? [error.status, error.message] : 'another';
      }
    };
    const { item, connections } = await recordAndReplay(server.url, createAgent(ask, true));
    expect(item).toMatchObject({ verdict: 'same', result: [429, '429 answered with 429'] });
    expect(connections).toBe(0);
  });

  it('runs where the replay names it as live', async () => {
    const { run, item } = await recordAndReplay(server.url, createAgent(WAYS['a chain']!, true), {
      live: ['llm'],
      network: 'deny',
      replayedAt: server.url,
    });
    expect(item).toMatchObject({ verdict: 'same' });
    expect(run.ranLive).toEqual({ 'langchain.generate': 1 });
    expect(server.requests).toHaveLength(2);
  });

  it('fails for another prompt, which was not recorded, and calls nothing', async () => {
    const changed = createAgent((model, config) => WAYS['a chain']!(model, config, 'And tomorrow?'), true);
    const agent = createAgent(WAYS['a chain']!, true);
    const { item, connections } = await recordAndReplay(server.url, agent, { changed });
    expect(item).toMatchObject({ verdict: 'error', error: { code: 'TRACER_REPLAY_MOCK_MISS' } });
    expect(connections).toBe(0);
  });
});
