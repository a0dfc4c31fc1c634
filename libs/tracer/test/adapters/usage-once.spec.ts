import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { SimpleChatModel } from '@langchain/core/language_models/chat_models';
import type { BaseMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, OpenAIProvider, Runner, setTraceProcessors, setTracingDisabled } from '@openai/agents';
import * as v6 from 'ai-v6';
import * as v7 from 'ai-v7';
import type OpenAI from 'openai';
import { countUsage, findCallsWithoutUsage } from '@dacapo/evaluation';
import type { SpanRecord } from '@dacapo/protocol';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { readAll } from '../clients/replayed-agent.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { ClientLanguageModel, newOpenAi, ServedChatModel } from '../models/served-models.js';
import { b, useModelServer } from './baml/baml-client.js';
import { usageSpans } from './usage-spans.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  useModelServer(server.url);
  setTracingDisabled(false);
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

interface Cell {
  readonly tracer: Tracer;
  /** Wrapped, or bare. */
  readonly client: OpenAI;
  readonly isStreamed: boolean;
}
/** Asks once. */
type Ask = (cell: Cell, question: string) => Promise<unknown>;

const makeChat = (content: string) => ({ model: 'm', messages: [{ role: 'user' as const, content }] });

async function askClient({ client, isStreamed }: Cell, question: string): Promise<unknown> {
  if (!isStreamed) return client.chat.completions.create(makeChat(question));
  const usage = { stream: true, stream_options: { include_usage: true } } as const;
  return readAll(await client.chat.completions.create({ ...makeChat(question), ...usage }));
}

const aiSdk =
  (ai: typeof v6, version: string, isModelWrapped: boolean): Ask =>
  async ({ tracer, client, isStreamed }, prompt) => {
    const own = new ClientLanguageModel(client, version);
    const model = (isModelWrapped ? tracer.wrapModel(own) : own) as never;
    const telemetry =
      ai === v6
        ? { experimental_telemetry: tracer.getAiSdkTelemetry() }
        : { telemetry: { integrations: [tracer.getAiSdkTelemetry()] } };
    return isStreamed
      ? readAll(ai.streamText({ model, prompt, ...telemetry }).textStream)
      : ai.generateText({ model, prompt, ...telemetry });
  };

/** A chat model of an application, which says nothing of its usage. */
class OwnChatModel extends SimpleChatModel {
  constructor(private readonly cell: Cell) {
    super({});
  }
  _llmType(): string {
    return 'own';
  }
  async _call(messages: BaseMessage[]): Promise<string> {
    await askClient(this.cell, `Be brief. ${messages.at(-1)!.content as string}`);
    return 'A mild day.';
  }
}

const langChain =
  (isModelWrapped: boolean): Ask =>
  async ({ tracer, client, isStreamed }, question) => {
    const own = new ServedChatModel(server.url, client);
    const model = isModelWrapped ? tracer.wrapModel(own) : own;
    const config: object = { callbacks: [tracer.getLangChainHandler() as unknown as BaseCallbackHandler] };
    return isStreamed ? readAll(await model.stream(question, config)) : model.invoke(question, config);
  };

/** The class of LangChain's partner package, which asks by the client of this cell. */
const chatOpenAi =
  (isModelWrapped: boolean): Ask =>
  async ({ tracer, client, isStreamed }, question) => {
    const own = new ChatOpenAI({ model: 'm', apiKey: 'k', maxRetries: 0, useResponsesApi: false });
    Object.assign((own as unknown as { completions: object }).completions, { client });
    const model = isModelWrapped ? tracer.wrapModel(own) : own;
    const config: object = { callbacks: [tracer.getLangChainHandler() as unknown as BaseCallbackHandler] };
    return isStreamed ? readAll(await model.stream(question, config)) : model.invoke(question, config);
  };

const agents =
  (useResponses: boolean): Ask =>
  async ({ tracer, client, isStreamed }, question) => {
    setTraceProcessors([tracer.getAgentsTracingProcessor()]);
    const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses });
    const runner = new Runner({ modelProvider });
    const agent = new Agent({ name: 'Desk', model: 'm' });
    if (!isStreamed) return runner.run(agent, question);
    const run = await runner.run(agent, question, { stream: true });
    await readAll(run);
    return run.completed;
  };

const WAYS: Record<string, Ask> = {
  'the AI SDK 6': aiSdk(v6, 'v3', false),
  'the AI SDK 6 with a wrapped model': aiSdk(v6, 'v3', true),
  'the AI SDK 7': aiSdk(v7 as unknown as typeof v6, 'v4', false),
  'the AI SDK 7 with a wrapped model': aiSdk(v7 as unknown as typeof v6, 'v4', true),
  LangChain: langChain(false),
  'LangChain with a wrapped model': langChain(true),
  ChatOpenAI: chatOpenAi(false),
  'ChatOpenAI with a wrapped model': chatOpenAi(true),
  'a chat model of the application': async (cell, question) => {
    const callbacks = [cell.tracer.getLangChainHandler() as unknown as BaseCallbackHandler];
    return new OwnChatModel(cell).invoke(question, { callbacks });
  },
  'OpenAI Agents, chat': agents(false),
  'OpenAI Agents, responses': agents(true),
  BAML: async ({ tracer, client, isStreamed }, question) => {
    const { b: wrapped } = { b };
    if (isStreamed) {
      const stream = tracer.wrapFramework(wrapped, wrapped.stream.AskWithoutRoles);
      return tracer.withSpan('ask', { type: 'llm' }, async () => stream(question).getFinalResponse())();
    }
    return tracer.withSpan('ask', { type: 'llm' }, async () => {
      const request = await wrapped.request.AskWithoutRoles(question);
      return client.chat.completions.create({ model: 'm', ...(request.body.json() as object) } as never);
    })();
  },
  'a class of the application': async (cell, question) => {
    class Desk {
      readonly answer = cell.tracer.withSpan('desk.answer', { type: 'llm' }, async (prompt: string) => {
        const answer = await askClient(cell, prompt);
        cell.tracer.getCurrentSpan().addUsage({ inputTokens: 12, outputTokens: 9 });
        return answer;
      });
    }
    return new Desk().answer(question);
  },
  withSpan: async (cell, question) =>
    cell.tracer.withSpan('desk', (prompt: string) => askClient(cell, prompt))(question),
};

/** What sees no usage where the client is bare. */
const SEES_NOTHING = ['a chat model of the application', 'withSpan'];
const SEES_NOTHING_STREAMED = ['LangChain', 'LangChain with a wrapped model'];

const AROUND: Record<
  string,
  (tracer: Tracer, ask: (question: string) => Promise<unknown>) => Promise<unknown>
> = {
  alone: (_, ask) => ask('Hm?'),
  'inside withSpan': (tracer, ask) => tracer.withSpan('outer', ask)('Hm?'),
  'twice at once': (tracer, ask) =>
    tracer.withSpan('outer', () => Promise.all([ask('How is it?'), ask('And tomorrow?')]))(),
  'twice at once, alone, the same question': (_, ask) => Promise.all([ask('Hm?'), ask('Hm?')]),
};

describe.each(Object.entries(WAYS))('%s', (way, ask) => {
  describe.each(['bare', 'wrapped'])('over a %s client', (kind) => {
    describe.each([false, true])('streamed: %s', (isStreamed) => {
      it.each(Object.entries(AROUND))('counts the usage of each request once: %s', async (_, around) => {
        const { tracer, spans } = createTestTracer();
        const bare = newOpenAi(server.url);
        const client = kind === 'wrapped' ? tracer.wrapClient(bare) : bare;
        await around(tracer, (question) => ask({ tracer, client, isStreamed }, question));
        const requests = server.requests.length;
        const seesNothing =
          kind === 'bare' &&
          (SEES_NOTHING.includes(way) ||
            (isStreamed && SEES_NOTHING_STREAMED.includes(way)) ||
            (way === 'BAML' && !isStreamed));
        expect(countUsage(usageSpans(spans))).toEqual(
          seesNothing
            ? undefined
            : expect.objectContaining({ inputTokens: 12 * requests, outputTokens: 9 * requests }),
        );
        if (!seesNothing) expect(findCallsWithoutUsage(usageSpans(spans))).toEqual([]);
      });
    });
  });
});

describe('a request of a wrapped client next to a LangChain model over a bare one', () => {
  const cell = (): Cell & { spans: readonly SpanRecord[]; wrapped: OpenAI } => {
    const { tracer, spans } = createTestTracer();
    const client = newOpenAi(server.url);
    return { tracer, spans, client, isStreamed: false, wrapped: tracer.wrapClient(newOpenAi(server.url)) };
  };
  const findParent = (spans: readonly SpanRecord[]): string | undefined => {
    const request = spans.find(({ trace_function_key: key }) => key.startsWith('openai'));
    return spans.find(({ id }) => id === request?.parent_id)?.trace_function_key;
  };

  it('is not part of the run when it requests something else', async () => {
    const { spans, wrapped, ...rest } = cell();
    const both = rest.tracer.withSpan('both', () =>
      Promise.all([langChain(false)(rest, 'How is it?'), wrapped.chat.completions.create(makeChat('Bye.'))]),
    );
    await both();
    expect(findParent(spans)).toBe('both');
    expect(countUsage(usageSpans(spans))).toMatchObject({ inputTokens: 24 });
  });

  it('is not part of the run when a function of its own requests it', async () => {
    const { spans, wrapped, ...rest } = cell();
    const ask = rest.tracer.withSpan('own', () => wrapped.chat.completions.create(makeChat('Hm?')));
    await rest.tracer.withSpan('both', () => Promise.all([langChain(false)(rest, 'Hm?'), ask()]))();
    expect(findParent(spans)).toBe('own');
    expect(countUsage(usageSpans(spans))).toMatchObject({ inputTokens: 24 });
  });

  it('is part of the run that it is sent by', async () => {
    const { spans, wrapped, ...rest } = cell();
    await rest.tracer.withSpan('both', () => langChain(false)({ ...rest, client: wrapped }, 'Hm?'))();
    expect(findParent(spans)).toBe('langchain.model.ServedChatModel');
  });
});
