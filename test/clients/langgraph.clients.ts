import '../../libs/tracer/test/clients/outside-fetch.js';
import type { CallbackManagerForLLMRun } from '@langchain/core/callbacks/manager';
import type * as ChatModels from '@langchain/core/language_models/chat_models';
import type * as Messages from '@langchain/core/messages';
import type * as Outputs from '@langchain/core/outputs';
import type OpenAI from 'openai';
import { countUsage, findCallsWithoutUsage } from '@dacapo/evaluation';
import { createTestTracer } from '../../libs/tracer/src/testing.js';
import type { Tracer } from '@dacapo/tracer';
import { usageSpans } from '../../libs/tracer/test/adapters/usage-spans.js';
import { type ModelServer, startModelServer } from '../../libs/tracer/test/model-server/model-server.js';
import { newOpenAi } from '../../libs/tracer/test/models/served-models.js';
import { startStoredSpansService } from '../../libs/tracer/test/service/stored-spans-service.js';

type State = { readonly messages: readonly Messages.BaseMessage[] };
type Node = ((state: State, config: object) => Promise<object>) | Graph;
interface Graph {
  invoke(input: object, config: object): Promise<State>;
  stream(input: object, config: object): Promise<AsyncIterable<unknown>>;
}
interface GraphBuilder {
  addNode(name: string, node: Node): this;
  addEdge(from: string, to: string): this;
  compile(): Graph;
}

/** LangGraph needs a newer core than the workspace has, so both are installed only in this folder. */
const { StateGraph, MessagesAnnotation, START, END } = jest.requireActual<{
  StateGraph: new (state: unknown) => GraphBuilder;
  MessagesAnnotation: unknown;
  START: string;
  END: string;
}>('@langchain/langgraph');
const { BaseChatModel } = jest.requireActual<typeof ChatModels>(
  '@langchain/core/language_models/chat_models',
);
const { AIMessage, AIMessageChunk } = jest.requireActual<typeof Messages>('@langchain/core/messages');
const { ChatGenerationChunk } = jest.requireActual<typeof Outputs>('@langchain/core/outputs');

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.requests.length = 0;
});

const makeRequest = (messages: readonly Messages.BaseMessage[]) => ({
  model: 'm',
  messages: [{ role: 'user' as const, content: messages.map(({ content }) => content as string).join('\n') }],
});

function messageOf(
  content: string,
  usage: OpenAI.CompletionUsage | null | undefined,
): Messages.AIMessageFields {
  if (usage === null || usage === undefined) return { content };
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens, total_tokens } = usage;
  return {
    content,
    usage_metadata: { input_tokens, output_tokens, total_tokens },
  } as Messages.AIMessageFields;
}

/** A chat model like those of partner packages. */
class GraphModel extends BaseChatModel {
  constructor(private readonly openai: OpenAI) {
    super({ maxRetries: 0 });
  }

  _llmType(): string {
    return 'graph';
  }

  async _generate(messages: Messages.BaseMessage[]): Promise<Outputs.ChatResult> {
    const { choices, usage } = await this.openai.chat.completions.create(makeRequest(messages));
    const text = choices[0]?.message.content ?? '';
    return { generations: [{ text, message: new AIMessage(messageOf(text, usage)) }] };
  }

  override async *_streamResponseChunks(
    messages: Messages.BaseMessage[],
    _: this['ParsedCallOptions'],
    run?: CallbackManagerForLLMRun,
  ): AsyncGenerator<Outputs.ChatGenerationChunk> {
    const stream = await this.openai.chat.completions.create({
      ...makeRequest(messages),
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const { choices, usage } of stream) {
      const text = choices[0]?.delta.content ?? '';
      const chunk = new ChatGenerationChunk({
        text,
        message: new AIMessageChunk(messageOf(text, usage)),
      });
      yield chunk;
      await run?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

/** A node with one request. */
type MakeNode = (tracer: Tracer, client: OpenAI) => Node;

const modelNode =
  (isModelWrapped: boolean): MakeNode =>
  (tracer, client) => {
    const own = new GraphModel(client);
    const model = isModelWrapped ? tracer.wrapModel(own) : own;
    return async ({ messages }, config) => ({ messages: [await model.invoke([...messages], config)] });
  };

const createGraph = (...nodes: Node[]): Graph => {
  const graph = new StateGraph(MessagesAnnotation);
  const names = nodes.map((_, index) => `node${index}`);
  for (const [index, node] of nodes.entries()) graph.addNode(names[index]!, node);
  for (const [index, name] of [...names, END].entries()) graph.addEdge(names[index - 1] ?? START, name);
  return graph.compile();
};

const NODES: Record<string, MakeNode> = {
  'a model': modelNode(false),
  'a wrapped model': modelNode(true),
  'a client':
    (_, client) =>
    async ({ messages }) => {
      const { choices } = await client.chat.completions.create(makeRequest(messages));
      return { messages: [new AIMessage(choices[0]?.message.content ?? '')] };
    },
};

const GRAPHS: Record<string, (node: () => Node) => Graph> = {
  'one node': (node) => createGraph(node()),
  'two nodes': (node) => createGraph(node(), node()),
  'a graph in a graph': (node) => createGraph(createGraph(node()), node()),
};

async function run(tracer: Tracer, graph: Graph, isStreamed: boolean): Promise<unknown> {
  const input = { messages: [{ role: 'user', content: 'Hm?' }] };
  const config = { callbacks: [tracer.getLangChainHandler()] };
  if (!isStreamed) return (await graph.invoke(input, config)).messages.map(({ content }) => content);
  let pieces = 0;
  for await (const piece of await graph.stream(input, { ...config, streamMode: 'messages' }))
    pieces += piece === undefined ? 0 : 1;
  return pieces;
}

describe.each(Object.entries(GRAPHS))('LangGraph with %s', (_, makeGraph) => {
  describe.each(Object.entries(NODES))('that asks %s', (asked, makeNode) => {
    describe.each(['bare', 'wrapped'])('over a %s client', (kind) => {
      it.each([
        ['alone', false],
        ['alone', true],
        ['inside withSpan', false],
        ['inside withSpan', true],
      ])('counts the usage of each request once: %s, streamed: %s', async (place, isStreamed) => {
        const { tracer, spans } = createTestTracer();
        const bare = newOpenAi(server.url);
        const client = kind === 'wrapped' ? tracer.wrapClient(bare) : bare;
        const graph = makeGraph(() => makeNode(tracer, client));
        const work = (): Promise<unknown> => run(tracer, graph, isStreamed);
        await (place === 'alone' ? work() : tracer.withSpan('desk', work)());
        const requests = server.requests.length;
        expect(requests).toBeGreaterThan(0);
        const seesNothing = asked === 'a client' && kind === 'bare';
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

it.each([false, true])(
  'a graph over wrapped clients is replayed without a request, streamed: %s',
  async (isStreamed) => {
    const agent = (tracer: Tracer) => {
      const client = tracer.wrapClient(newOpenAi(server.url));
      const graph = createGraph(modelNode(false)(tracer, client), NODES['a client']!(tracer, client));
      return tracer.withSpan('desk', () => run(tracer, graph, isStreamed));
    };
    const recorded = createTestTracer();
    await agent(recorded.tracer)();
    const requests = server.requests.length;
    const service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('desk', agent(tracer), { mock: 'all' });
    await service.close();
    expect(items).toMatchObject([{ verdict: 'same', divergences: [] }]);
    expect(requests).toBe(2);
    expect(server.requests).toHaveLength(requests);
  },
);
