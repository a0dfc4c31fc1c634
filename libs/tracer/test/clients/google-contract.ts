import type { FunctionCall, GoogleGenAI } from '@google/genai';
import { createTestTracer, type TestTracer } from '../../src/testing.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import './outside-fetch.js';
import { expectChangedPromptToMiss, type MakeAgent, readAll, recordAndReplay } from './replayed-agent.js';

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
}

/** What a wrapped client of one version does, beside what a bare one does. */
export function describeGoogle({ version, GoogleGenAI }: GoogleUnderTest): void {
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

    it('gives what the bare one gives, and records it', async () => {
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
            contexts: [{ finishReason: 'STOP', responseModel: `${MODEL}-001` }],
          },
        },
      ]);
      expect(JSON.stringify(test.spans)).not.toContain('sdkHttpResponse');
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
            contexts: [{ message: { content: 'A mild day in Oslo.' }, finishReason: 'STOP' }],
            meta: { stream: { items: chunks.length } },
          },
        },
      ]);
    });

    it('records chats, whole and streamed, with what was said before', async () => {
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

    it('records embeddings, and describes pictures', async () => {
      await client.models.embedContent({ model: 'e', contents: 'words' });
      const data = Buffer.from('a picture of a cat, again and again and again').toString('base64');
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
        { trace_function_key: 'google.models.embedContent', span_data: { prompt: 'user:\nwords' } },
        { trace_function_key: KEY, span_data: { prompt: 'user:\nWhat is it? [image/png]' } },
      ]);
      expect(test.spans[0]!.span_data.output).toMatchObject({ embeddings: [{ values: [0.5, -1] }] });
      expect(JSON.stringify(test.spans[1]!.span_data.input)).toMatch(
        /\[image\/png, 45 bytes, sha256 \w{16}\]/,
      );
    });

    it('ends as the request does: cancelled, or in error', async () => {
      for await (const chunk of await client.models.generateContentStream(request())) {
        expect(chunk.text).toBe('A mild d');
        break;
      }
      server.reply = () => ({ hang: true });
      const controller = new AbortController();
      const { signal } = controller;
      const pending = client.models.generateContent({ ...request(), config: { abortSignal: signal } });
      setImmediate(() => {
        controller.abort();
      });
      await expect(pending).rejects.toThrow(/abort/i);
      server.reply = () => ({ status: 500 });
      await expect(client.models.generateContent(request())).rejects.toThrow();
      server.reply = () => ({ malformed: true });
      await expect(client.models.generateContent(request())).rejects.toThrow();
      server.reply = () => ({ text: 'A mild day in Oslo.', breakAfter: 1 });
      await expect(client.models.generateContentStream(request()).then(readAll)).rejects.toThrow();
      expect(test.spans.map(({ status }) => status)).toEqual([
        'cancelled',
        'cancelled',
        'error',
        'error',
        'error',
      ]);
      expect(JSON.stringify(test.spans)).not.toContain('abortSignal');
    });

    it('keeps twenty requests at one time apart', async () => {
      server.reply = ({ text }) => ({ text: `to ${text}` });
      const ask = test.tracer.withSpan('ask', async (contents: string) => {
        await readAll(await client.models.generateContentStream({ model: MODEL, contents }));
      });
      await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`question ${n}`)));
      const roots = new Map(test.spans.filter(({ name }) => name === 'ask').map((span) => [span.id, span]));
      const calls = test.spans.filter(({ name }) => name === STREAM_KEY);
      expect(calls).toHaveLength(20);
      for (const { parent_id, span_data } of calls) {
        const [question] = roots.get(parent_id!)!.span_data.input as [string];
        expect(span_data.contexts).toMatchObject([{ message: { content: `to ${question}` } }]);
      }
    });

    type Ask = (client: GoogleGenAI, system?: string) => Promise<unknown>;

    const agentOf =
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
      const { run, item, connections } = await recordAndReplay(server.url, agentOf(ask), { network: 'deny' });
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(JSON.stringify(item.result)).toContain('mild');
      expect([run.ranLive, connections]).toEqual([{}, 0]);
    });

    it('fails in a replay for a changed prompt, and asks the model where it is live', async () => {
      const ask = WAYS['a whole answer']!;
      await expectChangedPromptToMiss(server.url, (system) => agentOf(ask, system), KEY);
    });
  });
}
