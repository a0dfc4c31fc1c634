import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import {
  Agent,
  type Model,
  OpenAIProvider,
  Runner,
  setTraceProcessors,
  setTracingDisabled,
} from '@openai/agents';
import * as v6 from 'ai-v6';
import * as v7 from 'ai-v7';
import type OpenAI from 'openai';
import { z } from 'zod';
import type { CaptureOptions } from '../../src/options/capture-options.js';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { b, useModelServer } from '../adapters/baml/baml-client.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { newOpenAi, ServedChatModel, ServedLanguageModel } from '../models/served-models.js';

/** In everything that goes into a call: system prompt, question, description of a tool, stop sequence. */
const ASKED = 'marker-of-what-is-asked';
/** In everything that comes out: text, name of a city in the call of a tool, message of an error. */
const ANSWERED = 'marker-of-what-is-answered';
const SYSTEM = `Be brief, ${ASKED}.`;
const QUESTION = `How is it, ${ASKED}?`;
const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const DESCRIPTION = `The weather, ${ASKED}`;
const CITY = z.object({ city: z.string() });

interface Way {
  /** Calls the model once, and reads all of a streamed answer. */
  readonly ask: (tracer: Tracer, url: string, stream: boolean) => Promise<unknown>;
  readonly streams?: false;
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const item of stream) if (item === stream) break;
}

const makeChat = (stream: boolean, tools: boolean) => ({
  model: 'm',
  messages: [
    { role: 'system' as const, content: SYSTEM },
    { role: 'user' as const, content: QUESTION },
  ],
  stop: [ASKED],
  ...(tools && {
    tools: [
      {
        type: 'function' as const,
        function: { name: 'weather', description: DESCRIPTION, parameters: PARAMETERS },
      },
    ],
  }),
  stream,
});

const openAi = (tracer: Tracer, url: string): OpenAI => tracer.wrapClient(newOpenAi(url));
const read = async (answer: unknown): Promise<void> => {
  const result = await answer;
  if (typeof result === 'object' && result !== null && Symbol.asyncIterator in result)
    await drain(result as AsyncIterable<unknown>);
};

const aiSdk =
  (ai: typeof v6, isWrapped: boolean): Way['ask'] =>
  async (tracer, url, stream) => {
    const own = new ServedLanguageModel(url, ai === v6 ? 'v3' : 'v4');
    const model = (isWrapped ? tracer.wrapModel(own) : own) as never;
    const telemetry =
      ai === v6
        ? { experimental_telemetry: tracer.getAiSdkTelemetry() }
        : { telemetry: { integrations: [tracer.getAiSdkTelemetry()] } };
    const weather = ai.tool({ description: DESCRIPTION, inputSchema: CITY, execute: async () => ANSWERED });
    const request = {
      model,
      system: SYSTEM,
      prompt: QUESTION,
      stopSequences: [ASKED],
      maxRetries: 0,
      ...(server.reply({} as never).toolCalls && { tools: { weather } }),
      ...(isWrapped ? {} : telemetry),
    };
    if (!stream) await ai.generateText(request);
    else await drain(ai.streamText({ ...request, onError: () => undefined }).fullStream);
  };

const langChain =
  (isWrapped: boolean): Way['ask'] =>
  async (tracer, url, stream) => {
    const own = new ServedChatModel(url);
    const model = isWrapped ? tracer.wrapModel(own) : own;
    const hasTools = server.reply({} as never).toolCalls !== undefined;
    const weather = tool(async () => ANSWERED, { name: 'weather', description: DESCRIPTION, schema: CITY });
    const bound = hasTools ? model.bindTools([weather]) : model;
    const callbacks = isWrapped ? [] : [tracer.getLangChainHandler() as never];
    const messages = [new SystemMessage(SYSTEM), new HumanMessage(QUESTION)];
    if (stream) await drain(await bound.stream(messages, { callbacks, stop: [ASKED] } as never));
    else await bound.invoke(messages, { callbacks, stop: [ASKED] } as never);
    if (!isWrapped && !stream) await weather.invoke({ city: ASKED }, { callbacks });
  };

const agents =
  (useResponses: boolean, isWrapped: boolean): Way['ask'] =>
  async (tracer, url, stream) => {
    setTracingDisabled(isWrapped);
    if (!isWrapped) setTraceProcessors([tracer.getAgentsTracingProcessor()]);
    const provider = new OpenAIProvider({ apiKey: 'k', baseURL: `${url}/v1`, useResponses });
    const own = await provider.getModel('gpt-4o-mini');
    const model: Model = isWrapped ? tracer.wrapModel(own) : own;
    const agent = new Agent({ name: 'Desk', instructions: SYSTEM, model });
    const runner = new Runner();
    if (!stream) await runner.run(agent, QUESTION);
    else {
      const run = await runner.run(agent, QUESTION, { stream: true });
      await drain(run);
      await run.completed;
    }
  };

const WAYS: Record<string, Way> = {
  'OpenAI chat': {
    ask: (tracer, url, stream) =>
      read(openAi(tracer, url).chat.completions.create(makeChat(stream, server.reply({} as never).toolCalls !== undefined))), // prettier-ignore
  },
  'OpenAI responses': {
    ask: (tracer, url, stream) =>
      read(
        openAi(tracer, url).responses.create({ model: 'm', instructions: SYSTEM, input: QUESTION, stream }),
      ),
  },
  Anthropic: {
    ask: (tracer, url, stream) =>
      read(
        tracer.wrapClient(new Anthropic({ apiKey: 'k', baseURL: url, maxRetries: 0 })).messages.create({
          model: 'm',
          max_tokens: 9,
          system: SYSTEM,
          stop_sequences: [ASKED],
          stream,
          messages: [{ role: 'user', content: QUESTION }],
          tools: [
            { name: 'weather', description: DESCRIPTION, input_schema: { ...PARAMETERS, required: [] } },
          ],
        }),
      ),
  },
  Google: {
    ask: async (tracer, url, stream) => {
      const client = tracer.wrapClient(new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }));
      const request = {
        model: 'gemini-2.5-flash',
        contents: QUESTION,
        config: { systemInstruction: SYSTEM, stopSequences: [ASKED] },
      };
      if (stream) await drain(await client.models.generateContentStream(request));
      else await client.models.generateContent(request);
    },
  },
  MCP: {
    streams: false,
    ask: async (tracer) => {
      const mcp = new McpServer({ name: 's', version: '1' });
      const isFailing = server.reply({} as never).status !== undefined;
      mcp.registerTool('weather', { description: ANSWERED, inputSchema: CITY.shape }, () => {
        if (isFailing) throw new Error(ANSWERED);
        return { content: [{ type: 'text', text: ANSWERED }] };
      });
      const [near, far] = InMemoryTransport.createLinkedPair();
      const client = tracer.wrapMcpClient(new Client({ name: 'c', version: '1' }));
      await Promise.all([mcp.connect(far), client.connect(near)]);
      await client.listTools();
      await client.callTool({ name: 'weather', arguments: { city: ASKED } });
      await client.close();
    },
  },
  'AI SDK 6': { ask: aiSdk(v6, false) },
  'AI SDK 7': { ask: aiSdk(v7 as unknown as typeof v6, false) },
  LangChain: { ask: langChain(false) },
  'OpenAI Agents, responses': { ask: agents(true, false) },
  'OpenAI Agents, chat': { ask: agents(false, false) },
  'a wrapped model of the AI SDK': { ask: aiSdk(v6, true) },
  'a wrapped model of LangChain': { ask: langChain(true) },
  'a wrapped model of OpenAI Agents': { ask: agents(true, true) },
};

/** What the model answers. */
const REPLIES: Record<string, ReturnType<ModelServer['reply']>> = {
  text: { text: `Fine, ${ANSWERED}.` },
  'a call of a tool': { toolCalls: [{ name: 'weather', arguments: { city: ANSWERED } }] },
  'an error': { status: 400, message: `${ANSWERED} and ${ASKED}` },
  'a stream that breaks off': { text: `Fine, ${ANSWERED}.`, breakAfter: 3 },
};

/** Which switch withholds which markers. */
const SWITCHES: [string, CaptureOptions, readonly string[]][] = [
  ['input: false', { input: false }, [ASKED]],
  ['output: false', { output: false }, [ANSWERED]],
  ['input and output: false', { input: false, output: false }, [ASKED, ANSWERED]],
  ['metadataOnly', { metadataOnly: true }, [ASKED, ANSWERED]],
];

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  useModelServer(server.url);
});
afterAll(() => server.close());

describe.each(Object.entries(WAYS))('%s', (_, { ask, streams }) => {
  describe.each(Object.entries(REPLIES))('answered with %s', (reply, answer) => {
    const includesQuestion = (markers: readonly string[]): boolean => markers.includes(ASKED);
    const run = async (capture: CaptureOptions, stream: boolean): Promise<string> => {
      server.reply = () => answer;
      const { tracer, spans, traces } = createTestTracer({ capture });
      await ask(tracer, server.url, stream).catch(() => undefined);
      // A run of an agent that calls a tool without an end stops by itself.
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(spans.length).toBeGreaterThan(0);
      return JSON.stringify([spans, traces]);
    };

    describe.each(streams === false ? [false] : [false, true])('streamed: %s', (stream) => {
      it('is recorded with the request', async () => {
        expect(await run({}, stream)).toContain(ASKED);
      });

      it.each(SWITCHES)('leaves nothing of it in a record under %s', async (_name, capture, markers) => {
        // An answer goes into the next request of an agent: then it is an input.
        const isAgent = reply === 'a call of a tool' && !includesQuestion(markers);
        const record = await run(capture, stream);
        for (const marker of isAgent ? [] : markers) expect(record).not.toContain(marker);
      });
    });
  });
});

describe('captureInput and captureOutput of a function', () => {
  const options = { captureInput: false, captureOutput: false } as const;

  it.each(Object.entries(WAYS))(
    'withhold the input and output of %s and of its inner calls',
    async (_, { ask }) => {
      server.reply = () => REPLIES['text']!;
      const { tracer, spans } = createTestTracer();
      await tracer.withSpan('desk', options, (question: string) =>
        ask(tracer, server.url, false)
          .catch(() => undefined)
          .then(() => `${ANSWERED} ${question.length}`),
      )(ASKED);
      const outer = spans.filter(({ trace_function_key }) => trace_function_key === 'desk');
      expect(outer).toHaveLength(1);
      expect(JSON.stringify(outer)).not.toMatch(new RegExp(`${ASKED}|${ANSWERED}`));
    },
  );

  it.each([true, false])(
    'withhold the prompt of BAML, which is noted on the function. Streamed: %s',
    async (stream) => {
      server.reply = () => ({ text: ANSWERED });
      const way = async (capture: CaptureOptions, of: object): Promise<string> => {
        const { tracer, spans } = createTestTracer({ capture, frameworkClient: b });
        const call = stream
          ? tracer.wrapFramework(b, b.stream.AskWithoutRoles as never)
          : tracer.wrapFramework(b.AskWithoutRoles);
        await read(tracer.withSpan('ask', of, call as (question: string) => unknown)(QUESTION));
        return JSON.stringify(spans);
      };
      expect(await way({}, {})).toContain(ASKED);
      for (const capture of [{ input: false, output: false }, { metadataOnly: true }])
        expect(await way(capture, {})).not.toMatch(new RegExp(`${ASKED}|${ANSWERED}`));
      expect(await way({}, options)).not.toMatch(new RegExp(`${ASKED}|${ANSWERED}`));
      expect(await way({}, { captureInput: () => ['mapped'] })).not.toContain(ASKED);
      expect(await way({ output: false }, {})).not.toContain(ANSWERED);
    },
  );
});

describe('errors under a switch', () => {
  const quoting = Object.assign(new Error(`no use: ${ANSWERED}`), {
    text: ANSWERED,
    request: { body: ASKED },
  });
  const parse = (): unknown => JSON.parse(`${ANSWERED} is no JSON`);

  it.each<[string, () => unknown]>([
    ['properties and messages that quote them', () => Promise.reject(quoting)],
    ['a cause that quotes them', () => Promise.reject(new Error('failed', { cause: quoting }))],
    ['what could not be parsed', async () => parse()],
    [
      'an object that is thrown',
      () => {
        const thrown: unknown = { text: ANSWERED, body: ASKED };
        throw thrown;
      },
    ],
  ])('are recorded without %s', async (_, fail) => {
    for (const capture of [{ input: false }, { output: false }, { metadataOnly: true }]) {
      const { tracer, spans } = createTestTracer({ capture });
      await expect((async () => tracer.withSpan('k', fail)())()).rejects.toBeDefined();
      expect(spans[0]!.status).toBe('error');
      // Of what could not be parsed the engine quotes some ten characters.
      expect(JSON.stringify(spans)).not.toMatch(/marker-of/);
    }
  });

  it('keep a message that quotes nothing', async () => {
    const { tracer, spans } = createTestTracer({ capture: { input: false, output: false } });
    await expect(tracer.withSpan('k', () => Promise.reject(new Error('timed out')))()).rejects.toThrow();
    expect(spans[0]!.span_data.error).toMatchObject({ message: 'timed out' });
  });
});
