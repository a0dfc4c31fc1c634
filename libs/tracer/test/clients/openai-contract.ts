import type OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { createTestTracer, type TestTracer } from '../../src/testing.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { readAll } from './replayed-agent.js';

const MESSAGES = [
  { role: 'system' as const, content: 'Be brief.' },
  { role: 'user' as const, content: 'Weather?' },
];
const BODY = { model: 'gpt-5-mini', messages: MESSAGES, temperature: 0.2 };
const KEY = 'openai.chat.completions.create';
const PNG = `data:image/png;base64,${Buffer.from('a picture of a cat, again and again and again').toString('base64')}`;

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather of a city.',
    parse: JSON.parse as (text: string) => { city: string },
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
    function: ({ city }: { city: string }) => `${city}: mild`,
  },
};

export interface OpenAiUnderTest {
  readonly version: string;
  readonly OpenAI: typeof OpenAI;
  /** The first ones have none of what came later. */
  readonly has: { readonly responses: boolean; readonly parse: boolean };
}

/** What a wrapped client of one version does, beside what a bare one does. */
export function describeOpenAi({ version, OpenAI, has }: OpenAiUnderTest): void {
  describe(`a wrapped client of openai ${version}`, () => {
    let server: ModelServer;
    let test: TestTracer;
    let bare: OpenAI;
    let client: OpenAI;

    beforeAll(async () => {
      server = await startModelServer();
    });
    afterAll(() => server.close());
    beforeEach(() => {
      server.reply = () => ({ text: 'A mild day in Oslo.' });
      server.requests.length = 0;
      test = createTestTracer();
      bare = newClient();
      client = test.tracer.wrapClient(newClient());
    });

    const newClient = (options: object = {}): OpenAI =>
      new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0, logLevel: 'off', ...options });

    /** In version 4 the helpers are elsewhere. */
    const helpersOf = ({ chat, beta }: OpenAI): OpenAI['chat']['completions'] =>
      has.parse ? chat.completions : (beta as unknown as OpenAI).chat.completions;

    it('is the same object, and gives what the bare one gives', async () => {
      const own = newClient();
      expect(test.tracer.wrapClient(own)).toBe(own);
      expect(own).toBeInstanceOf(OpenAI);
      const [here, there] = [
        await client.chat.completions.create(BODY),
        await bare.chat.completions.create(BODY),
      ];
      expect(here).toEqual(there);
      expect(here._request_id).toBe('req_1');
    });

    it('records the messages, the parameters, the answer, the usage and who answered', async () => {
      const answer = await client.chat.completions.create(BODY);
      expect(test.spans).toMatchObject([
        {
          trace_function_key: KEY,
          type: 'llm',
          status: 'ok',
          span_data: {
            input: [BODY],
            output: JSON.parse(JSON.stringify(answer)),
            prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
            usage: {
              model: 'gpt-5-mini',
              provider: 'openai',
              input_tokens: 12,
              output_tokens: 9,
              cached_input_tokens: 4,
              attempts: 1,
            },
            contexts: [{ finishReason: 'stop', responseModel: 'gpt-5-mini-2025', requestId: 'req_1' }],
          },
        },
      ]);
      expect(test.spans).toHaveLength(1);
    });

    it('describes images in place of their bytes, and sends them as they are', async () => {
      const picture = { type: 'image_url' as const, image_url: { url: PNG } };
      const content = [{ type: 'text' as const, text: 'What is it?' }, picture];
      await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content }] });
      const recorded = JSON.stringify(test.spans[0]!.span_data);
      expect(recorded).toMatch(/\[image\/png, 45 bytes, sha256 [0-9a-f]{16}\]/);
      expect(recorded).not.toContain(PNG.slice(30, 60));
      expect(test.spans[0]!.span_data.prompt).toBe('user:\nWhat is it?[image]');
      expect(server.requests[0]!.body.messages[0].content[1]).toEqual(picture);
    });

    it('is part of the span that it is called in', async () => {
      await test.tracer.withSpan('ask', { type: 'llm' }, () => client.chat.completions.create(BODY))();
      const [call, ask] = test.spans;
      expect(call).toMatchObject({ parent_id: ask!.id, span_data: { usage: { input_tokens: 12 } } });
      expect(ask!.span_data).not.toHaveProperty('usage');
    });

    it('records a stream as it is read: the same chunks, and what they come to', async () => {
      const [here, there] = [
        await readAll(await client.chat.completions.create({ ...BODY, stream: true })),
        await readAll(await bare.chat.completions.create({ ...BODY, stream: true })),
      ];
      expect(here).toEqual(there);
      expect(test.spans).toMatchObject([
        {
          status: 'ok',
          span_data: {
            output: JSON.parse(JSON.stringify(here)),
            usage: { input_tokens: 12, output_tokens: 9, time_to_first_token_ms: expect.any(Number) },
            contexts: [
              { message: { content: 'A mild day in Oslo.' }, finishReason: 'stop', requestId: 'req_1' },
            ],
            meta: { stream: { items: here.length } },
          },
        },
      ]);
    });

    it('leaves a stream its own members', async () => {
      const stream = await client.chat.completions.create({ ...BODY, stream: true });
      const [left, right] = stream.tee();
      expect(await readAll(left)).toEqual(await readAll(right));
      expect(test.spans).toMatchObject([{ status: 'ok' }]);
      const lines = (await client.chat.completions.create({ ...BODY, stream: true })).toReadableStream();
      expect(await new Response(lines).text()).toContain('A mild d');
      expect(test.spans).toHaveLength(2);
    });

    it('is cancelled when its reader stops', async () => {
      for await (const chunk of await client.chat.completions.create({ ...BODY, stream: true })) {
        expect(chunk.id).toBe('chatcmpl-1');
        break;
      }
      expect(test.spans).toMatchObject([
        { status: 'cancelled', span_data: { meta: { stream: { items: 1 } } } },
      ]);
    });

    it('is cancelled when it is aborted: before the answer, while it is read, and between', async () => {
      server.reply = () => ({ hang: true });
      const controller = new AbortController();
      const pending = client.chat.completions.create(BODY, { signal: controller.signal });
      controller.abort();
      await expect(pending).rejects.toThrow('aborted');
      server.reply = () => ({ hangAfter: 2 });
      const stream = await client.chat.completions.create({ ...BODY, stream: true });
      let read = 0;
      for await (const chunk of stream) {
        expect(chunk.id).toBe('chatcmpl-1');
        if (++read === 2)
          setImmediate(() => {
            stream.controller.abort();
          });
      }
      const unread = await client.chat.completions.create({ ...BODY, stream: true });
      unread.controller.abort();
      expect(test.spans.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
      expect(test.spans[1]!.span_data.meta).toMatchObject({ stream: { items: 2 } });
    });

    it('throws the error of the client, and records it', async () => {
      server.reply = () => ({ status: 500 });
      const error = await client.chat.completions.create(BODY).then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(OpenAI.InternalServerError);
      expect(error).toMatchObject({ status: 500 });
      expect(test.spans).toMatchObject([
        { status: 'error', span_data: { error: { message: expect.stringContaining('500') } } },
      ]);
      expect(test.spans[0]!.span_data.contexts).toMatchObject([{ requestId: 'req_1' }]);
    });

    it('counts the tries of a request that was too many', async () => {
      let asked = 0;
      server.reply = () => (++asked < 3 ? { status: 429, headers: { 'retry-after-ms': '1' } } : {});
      await test.tracer.wrapClient(newClient({ maxRetries: 2 })).chat.completions.create(BODY);
      expect(test.spans).toMatchObject([
        {
          status: 'ok',
          span_data: {
            usage: { attempts: 3, input_tokens: 12 },
            contexts: [{ attempts: [{ status: 429 }, { status: 429 }, { status: 200 }] }],
          },
        },
      ]);
    });

    it('is an error when the answer is no JSON, whole or in a stream, and when a stream breaks', async () => {
      server.reply = () => ({ malformed: true });
      await expect(client.chat.completions.create(BODY)).rejects.toThrow();
      server.reply = () => ({ malformedAt: 2 });
      await expect(client.chat.completions.create({ ...BODY, stream: true }).then(readAll)).rejects.toThrow();
      server.reply = () => ({ breakAfter: 3 });
      await expect(client.chat.completions.create({ ...BODY, stream: true }).then(readAll)).rejects.toThrow();
      expect(test.spans.map(({ status }) => status)).toEqual(['error', 'error', 'error']);
      expect(test.spans.slice(1).map(({ span_data }) => span_data.meta)).toMatchObject([
        { stream: { items: 2 } },
        { stream: { items: 3 } },
      ]);
    });

    it('stays a promise with ways to the response', async () => {
      const { data, response } = await client.chat.completions.create(BODY).withResponse();
      expect(data.choices[0]!.message.content).toBe('A mild day in Oslo.');
      expect(response.headers.get('x-request-id')).toBe('req_1');
      const raw = await client.chat.completions.create(BODY).asResponse();
      expect(JSON.parse(await raw.text())).toMatchObject({ id: 'chatcmpl-1' });
      const { data: stream } = await client.chat.completions.create({ ...BODY, stream: true }).withResponse();
      await readAll(stream);
      expect(test.spans).toMatchObject([
        { span_data: { usage: { input_tokens: 12 } } },
        {
          status: 'ok',
          span_data: { output: { response: { status: 200 } }, meta: { output: { replayable: false } } },
        },
        { span_data: { meta: { stream: { items: 6 } } } },
      ]);
    });

    it('records each request of the helper that runs tools, under the span around it', async () => {
      server.reply = ({ toolResult }) =>
        toolResult === ''
          ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
          : { text: toolResult };
      const run = test.tracer.withSpan('run', async () => {
        return helpersOf(client)
          .runTools({ ...BODY, tools: [WEATHER] })
          .finalContent();
      });
      expect(await run()).toBe('Oslo: mild');
      const [first, second, root] = test.spans;
      expect([first, second]).toMatchObject([{ parent_id: root!.id }, { parent_id: root!.id }]);
      expect(first!.span_data.contexts).toMatchObject([{ finishReason: 'tool_calls' }]);
      expect(JSON.stringify(first!.span_data.input)).toContain('The weather of a city.');
      expect(second!.span_data.prompt).toContain('[calls weather {"city":"Oslo"}]');
      expect(second!.span_data.prompt).toContain('tool:\n[result of call_0] Oslo: mild');
    });

    it('records the request of the helper that streams', async () => {
      const helper = helpersOf(client).stream(BODY);
      expect(await helper.finalContent()).toBe('A mild day in Oslo.');
      expect(test.spans).toMatchObject([{ trace_function_key: KEY, status: 'ok' }]);
    });

    it('records the request of the helper that parses, and the application gets what it parsed', async () => {
      server.reply = () => ({ text: '{"mild":true}' });
      const response_format = zodResponseFormat(z.object({ mild: z.boolean() }), 'weather');
      const answer = await helpersOf(client).parse({ ...BODY, response_format });
      expect(answer.choices[0]!.message.parsed).toEqual({ mild: true });
      expect(test.spans).toMatchObject([{ status: 'ok', span_data: { usage: { output_tokens: 9 } } }]);
      expect(JSON.stringify(test.spans[0]!.span_data.input)).toContain('json_schema');
    });

    it('keeps twenty requests at one time apart', async () => {
      server.reply = ({ text }) => ({ text: `to ${text}` });
      const ask = test.tracer.withSpan('ask', async (content: string) => {
        const stream = await client.chat.completions.create({
          model: 'm',
          messages: [{ role: 'user', content }],
          stream: true,
        });
        return (await readAll(stream)).length;
      });
      await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`question ${n}`)));
      const roots = new Map(test.spans.filter(({ name }) => name !== KEY).map((span) => [span.id, span]));
      const calls = test.spans.filter(({ trace_function_key }) => trace_function_key === KEY);
      expect(calls).toHaveLength(20);
      for (const { parent_id, span_data } of calls) {
        const [question] = roots.get(parent_id!)!.span_data.input as [string];
        expect(span_data.contexts).toMatchObject([{ message: { content: `to ${question}` } }]);
      }
    });

    it('records embeddings, moderations, images, transcriptions and speech', async () => {
      const { data } = await client.embeddings.create({ model: 'e', input: 'words' });
      expect(Array.from(data[0]!.embedding)).toEqual([0.5, -1]);
      await client.moderations.create({ model: 'm', input: 'words' });
      await client.images.generate({ model: 'i', prompt: 'a cat' });
      await client.audio.transcriptions.create({ model: 'w', file: new File(['sound'], 'a.mp3') });
      const speech = await client.audio.speech.create({ model: 's', voice: 'alloy', input: 'words' });
      expect(Buffer.from(await speech.arrayBuffer()).toString()).toBe('sound');
      expect(
        test.spans.map(({ trace_function_key, type, span_data: { prompt } }) => [
          trace_function_key,
          type,
          prompt,
        ]),
      ).toEqual([
        ['openai.embeddings.create', 'llm', 'user:\nwords'],
        ['openai.moderations.create', 'llm', 'user:\nwords'],
        ['openai.images.generate', 'llm', 'user:\na cat'],
        ['openai.audio.transcriptions.create', 'llm', undefined],
        ['openai.audio.speech.create', 'llm', 'user:\nwords'],
      ]);
      expect(test.spans[0]!.span_data).toMatchObject({
        output: { data: [{ embedding: [0.5, -1] }] },
        usage: { input_tokens: 12 },
      });
      expect(test.spans[3]!.span_data.input).toMatchObject([{ file: { file: 'a.mp3', size: 5 } }]);
      expect(test.spans[4]!.span_data.output).toMatchObject({ response: { contentType: 'audio/mpeg' } });
    });

    it('lets what is no request to a model pass', async () => {
      await client.models.list().then(undefined, () => undefined);
      expect(test.spans).toEqual([]);
    });

    it('is recorded once, however often it is wrapped, and so is a client that is made of it', async () => {
      test.tracer.wrapClient(client);
      await client.chat.completions.create(BODY);
      const other = (client as { withOptions?: (options: object) => OpenAI }).withOptions?.({
        apiKey: 'other',
      });
      await other?.chat.completions.create(BODY);
      expect(test.spans).toHaveLength(other === undefined ? 1 : 2);
      if (other !== undefined) expect(test.spans[1]!.span_data.usage).toMatchObject({ attempts: 1 });
    });

    it('keeps a subclass what it is, with what is private in it', async () => {
      class Desk extends OpenAI {
        readonly #tone = 'Be kind.';
        ask(content: string) {
          const messages = [
            { role: 'system' as const, content: this.#tone },
            { role: 'user' as const, content },
          ];
          return this.chat.completions.create({ model: 'm', messages });
        }
      }
      const desk = test.tracer.wrapClient(new Desk({ apiKey: 'k', baseURL: `${server.url}/v1` }));
      expect((await desk.ask('Hm?')).choices[0]!.message.content).toBe('A mild day in Oslo.');
      expect(test.spans).toMatchObject([{ span_data: { prompt: 'system:\nBe kind.\n\nuser:\nHm?' } }]);
    });

    if (!has.responses) return;

    describe('of its responses', () => {
      const ASK = { model: 'gpt-5', instructions: 'Be brief.', input: 'Weather?' };

      it('records whole ones and streams', async () => {
        const whole = await client.responses.create(ASK);
        expect(whole.output_text).toBe('A mild day in Oslo.');
        const chunks = await readAll(await client.responses.create({ ...ASK, stream: true }));
        const helper = client.responses.stream(ASK);
        expect((await helper.finalResponse()).id).toBe('resp_1');
        const common = {
          trace_function_key: 'openai.responses.create',
          status: 'ok',
          span_data: {
            prompt: 'system:\nBe brief.\n\nuser:\nWeather?',
            usage: { input_tokens: 12, output_tokens: 9, cached_input_tokens: 4, reasoning_tokens: 0 },
            contexts: [{ finishReason: 'completed', responseModel: 'gpt-5-2025', requestId: 'req_1' }],
          },
        };
        expect(test.spans).toMatchObject([common, common, common]);
        expect(test.spans[1]!.span_data).toMatchObject({
          output: JSON.parse(JSON.stringify(chunks)),
          contexts: [{ message: { content: 'A mild day in Oslo.' } }],
        });
      });
    });
  });
}
