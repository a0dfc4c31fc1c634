import { randomBytes } from 'node:crypto';
import type { FunctionCall, GoogleGenAI } from '@google/genai';
import { createTestTracer, type TestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import '../outside-fetch.js';
import { createCells, describeCells } from '../cells/cells-contract.js';
import { googleModels, newGoogle } from '../cells/google-api.js';
import { describeReplay } from '../cells/replay-contract.js';
import { type MakeAgent, readAll, recordAndReplay } from '../replayed-agent.js';

const KEY = 'google.models.generateContent';
const STREAM_KEY = 'google.models.generateContentStream';
const MODEL = 'gemini-3-flash';

const request = (systemInstruction = 'Be brief.') => ({
  model: MODEL,
  contents: 'Weather?',
  config: { systemInstruction, temperature: 0.2 },
});

/** A tool that the client calls by itself. */
const WEATHER = {
  tool: () =>
    Promise.resolve({ functionDeclarations: [{ name: 'weather', description: 'The weather of a city.' }] }),
  callTool: (calls: FunctionCall[]) =>
    Promise.resolve(
      calls.map(({ name = '' }) => ({
        functionResponse: { name, response: { result: 'A mild day in Oslo.' } },
      })),
    ),
};

export interface GoogleUnderTest {
  readonly version: string;
  readonly GoogleGenAI: typeof GoogleGenAI;
  /** The first ones try nothing again. */
  readonly hasRetries?: boolean;
  /** The older ones show no tries where there may be several. */
  readonly showsTries?: boolean;
}

/** What a wrapped client of one version does, beside what a bare one does. */
export function describeGoogle({ version, GoogleGenAI, ...shows }: GoogleUnderTest): void {
  const title = `@google/genai ${version}`;
  const newOne = (url: string): GoogleGenAI => newGoogle(GoogleGenAI, url);
  describeCells({ name: title, run: createCells(newOne, googleModels), ...shows });
  // In Jest's realm fetch's abort is no Error, and what the client retries with makes a TypeError of it.
  describeReplay(title, newOne, googleModels, 'an abort before the answer');

  describe(`a wrapped client of @google/genai ${version}`, () => {
    let server: ModelServer;
    let test: TestTracer;
    let bare: GoogleGenAI;
    let client: GoogleGenAI;

    beforeAll(async () => {
      server = await startModelServer();
    });
    afterAll(() => server.close());
    beforeEach(() => {
      server.reply = () => ({ text: 'A mild day in Oslo.' });
      test = createTestTracer();
      bare = newClient();
      client = test.tracer.wrapClient(newClient());
    });

    const newClient = (baseUrl = server.url): GoogleGenAI =>
      new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl, retryOptions: { attempts: 1 } } });

    it('returns what the bare one returns, and records it', async () => {
      const answer = await client.models.generateContent(request());
      const { text, candidates, usageMetadata } = await bare.models.generateContent(request());
      expect(answer).toMatchObject({ text, candidates, usageMetadata });
      expect(test.spans).toMatchObject([
        {
          trace_function_key: KEY,
          type: 'llm',
          status: 'ok',
          span_data: {
            input: [{ model: MODEL, config: { temperature: 0.2 } }],
            output: { candidates },
            prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
            usage: { model: MODEL, provider: 'google', input_tokens: 12, output_tokens: 9, total_tokens: 21 },
            contexts: [
              {
                finishReason: 'STOP',
                responseModel: `${MODEL}-001`,
                ...(answer.responseId && { responseId: 'answer_1' }),
                requestId: 'req_1',
              },
            ],
          },
        },
      ]);
    });

    it('records streams, with the same chunks', async () => {
      const stream = await client.models.generateContentStream(request());
      const chunks = await readAll(stream);
      const others = await readAll(await bare.models.generateContentStream(request()));
      expect(chunks.map(({ text }) => text)).toEqual(others.map(({ text }) => text));
      expect(test.spans).toMatchObject([
        {
          trace_function_key: STREAM_KEY,
          status: 'ok',
          span_data: {
            usage: { input_tokens: 12, output_tokens: 9, time_to_first_token_ms: expect.any(Number) },
            output: {
              candidates: [{ content: { role: 'model', parts: [{ text: 'A mild day in Oslo.' }] } }],
            },
            contexts: [{ finishReason: 'STOP' }],
            meta: { stream: { items: chunks.length } },
          },
        },
      ]);
    });

    it('records chats, whole and streamed, with earlier messages', async () => {
      const chat = client.chats.create({ model: MODEL });
      await chat.sendMessage({ message: 'Weather?' });
      await readAll(await chat.sendMessageStream({ message: 'And tomorrow?' }));
      expect(test.spans).toMatchObject([
        { trace_function_key: KEY, span_data: { prompt: 'user:\nWeather?' } },
        {
          trace_function_key: STREAM_KEY,
          span_data: {
            prompt: 'user:\nWeather?\n\nmodel:\nA mild day in Oslo.\n\nuser:\nAnd tomorrow?',
          },
        },
      ]);
    });

    it('records embeddings, and pictures as media', async () => {
      await client.models.embedContent({ model: 'e', contents: 'words' });
      const data = randomBytes(6000).toString('base64');
      await client.models.generateContent({
        model: MODEL,
        contents: [
          {
            role: 'user',
            parts: [{ text: 'What is it? ' }, { inlineData: { mimeType: 'image/png', data } }],
          },
        ],
      });
      expect(test.spans).toMatchObject([
        {
          trace_function_key: 'google.models.embedContent',
          kind: 'embedding',
          span_data: { prompt: 'user:\nwords' },
        },
        { trace_function_key: KEY, span_data: { prompt: 'user:\nWhat is it? [image/png]' } },
      ]);
      expect(test.spans[0]!.span_data.output).toMatchObject({ embeddings: [{ values: [0.5, -1] }] });
      expect(JSON.stringify(test.spans[1]!.span_data.input)).not.toContain(data.slice(100, 200));
      expect(test.media).toMatchObject([{ size: 6000, data }]);
    });

    it('is cancelled when its reader stops, and records no signal', async () => {
      const { signal } = new AbortController();
      const config = { abortSignal: signal };
      for await (const chunk of await client.models.generateContentStream({ ...request(), config })) {
        expect(chunk.text).toBe('A mild d');
        break;
      }
      expect(test.spans).toMatchObject([
        { status: 'cancelled', span_data: { meta: { stream: { items: 1 } } } },
      ]);
      expect(JSON.stringify(test.spans)).not.toContain('abortSignal');
    });

    it('records pictures that are made', async () => {
      const vertex = new GoogleGenAI({ vertexai: true, apiKey: 'k', httpOptions: { baseUrl: server.url } });
      const { generatedImages } = await test.tracer
        .wrapClient(vertex)
        .models.generateImages({ model: 'imagen', prompt: 'a cat' });
      expect(generatedImages).toHaveLength(1);
      expect(test.spans).toMatchObject([
        {
          trace_function_key: 'google.models.generateImages',
          status: 'ok',
          span_data: { prompt: 'user:\na cat', usage: { provider: 'vertex', model: 'imagen' } },
        },
      ]);
    });

    it('sends with the fetch of the application, in versions with that option', async () => {
      const sentBy = async (wrap: (own: GoogleGenAI) => GoogleGenAI): Promise<number> => {
        let sent = 0;
        const own: typeof fetch = (...args) => {
          sent++;
          return fetch(...args);
        };
        const httpOptions = { baseUrl: server.url, fetch: own };
        await wrap(new GoogleGenAI({ apiKey: 'k', httpOptions })).models.generateContent(request());
        return sent;
      };
      expect(await sentBy((own) => test.tracer.wrapClient(own))).toBe(await sentBy((own) => own));
      expect(test.spans).toMatchObject([{ status: 'ok', span_data: { usage: { attempts: 1 } } }]);
    });

    it('passes on calls that are not model requests', async () => {
      const counted = await client.models.countTokens({ model: MODEL, contents: 'words' });
      expect(counted.totalTokens).toBe(12);
      expect(test.spans).toEqual([]);
    });

    it('keeps a subclass and its private fields', async () => {
      class Desk extends GoogleGenAI {
        readonly #tone = 'Be kind.';
        ask() {
          return this.models.generateContent(request(this.#tone));
        }
      }
      const desk = test.tracer.wrapClient(new Desk({ apiKey: 'k', httpOptions: { baseUrl: server.url } }));
      expect((await desk.ask()).text).toBe('A mild day in Oslo.');
      expect(test.spans).toMatchObject([{ span_data: { prompt: 'system:\nBe kind.\n\nuser:\nWeather?' } }]);
    });

    type Ask = (client: GoogleGenAI, system?: string) => Promise<unknown>;

    const createAgent =
      (ask: Ask, system?: string): MakeAgent =>
      (tracer, url) => {
        const own = tracer.wrapClient(newClient(url));
        return () => ask(own, system);
      };

    const WAYS: Record<string, Ask> = {
      'a whole answer': async ({ models }, system) => (await models.generateContent(request(system))).text,
      'a stream': async ({ models }, system) =>
        (await readAll(await models.generateContentStream(request(system)))).map(({ text }) => text).join(''),
      'a chat': async ({ chats }, systemInstruction) => {
        const chat = chats.create({
          model: MODEL,
          config: { ...(systemInstruction && { systemInstruction }) },
        });
        await chat.sendMessage({ message: 'Weather?' });
        await readAll(await chat.sendMessageStream({ message: 'And tomorrow?' }));
        return chat.getHistory();
      },
      'functions that the client calls': async ({ models }) =>
        (await models.generateContent({ ...request(), config: { tools: [WEATHER] } })).text,
    };

    it.each(Object.entries(WAYS))('answers %s in a replay, and nothing connects', async (_, ask) => {
      server.reply = ({ toolResult, body }) =>
        body.tools !== undefined && toolResult === ''
          ? { toolCalls: [{ name: 'weather', arguments: {} }] }
          : { text: 'A mild day in Oslo.' };
      const { run, item, connections } = await recordAndReplay(server.url, createAgent(ask), {
        network: 'deny',
      });
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(JSON.stringify(item.result)).toContain('mild');
      expect([run.ranLive, connections]).toEqual([{}, 0]);
    });
  });
}
