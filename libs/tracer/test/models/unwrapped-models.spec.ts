import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { Agent, OpenAIProvider, Runner, setTraceProcessors, setTracingDisabled } from '@openai/agents';
import * as ai from 'ai-v6';
import { type MakeAgent, recordAndReplay } from '../clients/replayed-agent.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { newOpenAi, ServedChatModel, ServedLanguageModel } from './served-models.js';

/** Agents whose model calls an adapter sees, and no wrapper. */
const AGENTS: Record<string, MakeAgent> = {
  'ai.model': (tracer, url) => async (prompt) => {
    const model = new ServedLanguageModel(url, 'v3') as never;
    const options = { model, prompt, maxRetries: 0, experimental_telemetry: tracer.getAiSdkTelemetry() };
    return (await ai.generateText(options)).text;
  },
  'langchain.model.ServedChatModel': (tracer, url) => async (question) => {
    const callbacks = [tracer.getLangChainHandler() as unknown as BaseCallbackHandler];
    return (await new ServedChatModel(url).invoke(question, { callbacks } as object)).content;
  },
  'agents.response': (tracer, url) => async (question) => {
    setTracingDisabled(false);
    setTraceProcessors([tracer.getAgentsTracingProcessor()]);
    const modelProvider = new OpenAIProvider({ apiKey: 'k', baseURL: `${url}/v1`, useResponses: true });
    return (await new Runner({ modelProvider }).run(new Agent({ name: 'Desk', model: 'm' }), question))
      .finalOutput;
  },
};

describe('a model call that only an adapter sees, in a replay with mock all', () => {
  let server: ModelServer;

  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server.close());
  beforeEach(() => {
    server.requests.length = 0;
  });

  it.each(Object.entries(AGENTS))('is reported as run live, with its cure: %s', async (key, agent) => {
    const { run, item } = await recordAndReplay(server.url, agent, { replayedAt: server.url });
    expect(item).toMatchObject({ verdict: 'same' });
    expect(server.requests).toHaveLength(2);
    expect(run.ranLive).toEqual({ [key]: 1 });
    expect(run.warnings).toContainEqual(expect.stringMatching(new RegExp(`${key} 1.*wrapModel`)));
    for (const report of [run.toMarkdown(), run.toJUnit()]) expect(report).toContain(`${key} 1`);
  });

  it.each(Object.entries(AGENTS))('fails under network deny: %s', async (_, agent) => {
    const { item } = await recordAndReplay(server.url, agent, { replayedAt: server.url, network: 'deny' });
    expect(item).toMatchObject({ verdict: 'error', deniedConnections: [new URL(server.url).host] });
    expect(server.requests).toHaveLength(1);
  });

  it.each(Object.entries(AGENTS))(
    'is reported without a warning where it is live: %s',
    async (key, agent) => {
      const { run } = await recordAndReplay(server.url, agent, { replayedAt: server.url, live: ['llm'] });
      expect(run.ranLive).toEqual({ [key]: 1 });
      expect(run.warnings.join()).not.toContain('wrapModel');
    },
  );

  it('is not reported when a wrapped client inside a LangChain run answers it', async () => {
    const agent: MakeAgent = (tracer, url) => {
      const model = new ServedChatModel(url, tracer.wrapClient(newOpenAi(url)));
      const callbacks = [tracer.getLangChainHandler() as unknown as BaseCallbackHandler];
      return async (question) => (await model.invoke(question, { callbacks } as object)).content;
    };
    const { run, item, connections } = await recordAndReplay(server.url, agent);
    expect(item).toMatchObject({ verdict: 'same' });
    expect([run.ranLive, connections]).toEqual([{}, 0]);
  });
});
