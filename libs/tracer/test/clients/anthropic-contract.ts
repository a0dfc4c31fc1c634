import type Anthropic from '@anthropic-ai/sdk';
import { createTestTracer, type TestTracer } from '../../src/testing.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { expectChangedPromptToMiss, type MakeAgent, readAll, recordAndReplay } from './replayed-agent.js';

const KEY = 'anthropic.messages.create';
const BODY = {
  model: 'claude-sonnet-5',
  max_tokens: 100,
  system: 'Be brief.',
  messages: [{ role: 'user' as const, content: 'Weather?' }],
};

const WEATHER = {
  type: 'custom' as const,
  name: 'weather',
  description: 'The weather of a city.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' as const } } },
  parse: (given: unknown) => given as { city: string },
  run: ({ city }: { city: string }) => `${city}: mild`,
};

export interface AnthropicUnderTest {
  readonly version: string;
  readonly Anthropic: typeof Anthropic;
  /** The first ones have none of what came later. */
  readonly has: { readonly toolRunner: boolean };
}

/** What a wrapped client of one version does, beside what a bare one does. */
export function describeAnthropic({ version, Anthropic, has }: AnthropicUnderTest): void {
  describe(`a wrapped client of @anthropic-ai/sdk ${version}`, () => {
    let server: ModelServer;
    let test: TestTracer;
    let bare: Anthropic;
    let client: Anthropic;

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

    const newClient = (options: object = {}): Anthropic =>
      new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0, logLevel: 'off', ...options });

    it('gives what the bare one gives, and records it', async () => {
      const answer = await client.messages.create(BODY);
      expect(answer).toEqual(await bare.messages.create(BODY));
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
              model: 'claude-sonnet-5',
              provider: 'anthropic',
              input_tokens: 12,
              output_tokens: 9,
              total_tokens: 21,
              attempts: 1,
            },
            contexts: [{ finishReason: 'end_turn', responseModel: 'claude-sonnet-5', requestId: 'req_1' }],
          },
        },
      ]);
    });

    it('records streams and the helper that streams, with the same events', async () => {
      const events = await readAll(await client.messages.create({ ...BODY, stream: true }));
      expect(events).toEqual(await readAll(await bare.messages.create({ ...BODY, stream: true })));
      const helper = client.messages.stream(BODY);
      const texts: string[] = [];
      helper.on('text', (text) => texts.push(text));
      expect((await helper.finalMessage()).content).toMatchObject([{ text: 'A mild day in Oslo.' }]);
      expect(texts.join('')).toBe('A mild day in Oslo.');
      const common = {
        trace_function_key: KEY,
        status: 'ok',
        span_data: {
          usage: { input_tokens: 12, output_tokens: 9, time_to_first_token_ms: expect.any(Number) },
          contexts: [
            { message: { content: 'A mild day in Oslo.' }, finishReason: 'end_turn', requestId: 'req_1' },
          ],
          meta: { stream: { items: events.length } },
        },
      };
      expect(test.spans).toMatchObject([common, common]);
      expect(test.spans[0]!.span_data.output).toEqual(JSON.parse(JSON.stringify(events)));
    });

    it('records the beta routes, tools and pictures', async () => {
      server.reply = () => ({ toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] });
      const data = Buffer.from('a picture of a cat, again and again and again').toString('base64');
      await readAll(
        await client.beta.messages.create({
          ...BODY,
          stream: true,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'Where is it?' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
              ],
            },
            { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'look', input: { at: 1 } }] },
            { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'a cat' }] },
          ],
        }),
      );
      expect(test.spans).toMatchObject([
        {
          trace_function_key: 'anthropic.beta.messages.create',
          span_data: {
            prompt:
              'system:\nBe brief.\n\nuser:\nWhere is it?\n[image]\n\nassistant:\n[calls look {"at":1}]\n\nuser:\n[result of t1] a cat',
            contexts: [{ message: { toolCalls: [{ name: 'weather', arguments: '{"city":"Oslo"}' }] } }],
          },
        },
      ]);
      expect(JSON.stringify(test.spans[0]!.span_data.input)).toMatch(
        /\[image\/png, 45 bytes, sha256 \w{16}\]/,
      );
    });

    it('ends as the request does: cancelled, in error, after tries', async () => {
      for await (const event of await client.messages.create({ ...BODY, stream: true })) {
        expect(event.type).toBe('message_start');
        break;
      }
      server.reply = () => ({ hang: true });
      const controller = new AbortController();
      const pending = client.messages.create(BODY, { signal: controller.signal });
      controller.abort();
      await expect(pending).rejects.toThrow('aborted');
      server.reply = () => ({ status: 500 });
      await expect(client.messages.create(BODY)).rejects.toBeInstanceOf(Anthropic.InternalServerError);
      server.reply = () => ({ malformed: true });
      await expect(client.messages.create(BODY)).rejects.toThrow();
      server.reply = () => ({ malformedAt: 2 });
      await expect(client.messages.create({ ...BODY, stream: true }).then(readAll)).rejects.toThrow();
      server.reply = () => ({ breakAfter: 3 });
      await expect(client.messages.create({ ...BODY, stream: true }).then(readAll)).rejects.toThrow();
      let asked = 0;
      server.reply = () => (++asked < 3 ? { status: 429, headers: { 'retry-after-ms': '1' } } : {});
      await test.tracer.wrapClient(newClient({ maxRetries: 2 })).messages.create(BODY);
      expect(test.spans.map(({ status }) => status)).toEqual([
        'cancelled',
        'cancelled',
        'error',
        'error',
        'error',
        'error',
        'ok',
      ]);
      expect(test.spans.at(-1)!.span_data.contexts).toMatchObject([
        { attempts: [{ status: 429 }, { status: 429 }, { status: 200 }] },
      ]);
    });

    it('stays a promise with ways to the response', async () => {
      const { data, response } = await client.messages.create(BODY).withResponse();
      expect([data.id, response.status]).toEqual(['msg_1', 200]);
      expect(await (await client.messages.create(BODY).asResponse()).json()).toMatchObject({ id: 'msg_1' });
      expect(test.spans).toMatchObject([
        { span_data: { usage: { input_tokens: 12 } } },
        { status: 'ok', span_data: { output: { response: { status: 200 } } } },
      ]);
    });

    it('keeps twenty requests at one time apart', async () => {
      server.reply = ({ text }) => ({ text: `to ${text}` });
      const ask = test.tracer.withSpan('ask', async (content: string) => {
        await client.messages.stream({ ...BODY, messages: [{ role: 'user', content }] }).finalText();
      });
      await Promise.all(Array.from({ length: 20 }, (_, n) => ask(`question ${n}`)));
      const roots = new Map(test.spans.filter(({ name }) => name !== KEY).map((span) => [span.id, span]));
      const calls = test.spans.filter(({ name }) => name === KEY);
      expect(calls).toHaveLength(20);
      for (const { parent_id, span_data } of calls) {
        const [question] = roots.get(parent_id!)!.span_data.input as [string];
        expect(span_data.contexts).toMatchObject([{ message: { content: `to ${question}` } }]);
      }
    });

    const agentOf =
      (ask: (client: Anthropic, system: string) => Promise<unknown>, system = 'Be brief.'): MakeAgent =>
      (tracer, url) => {
        const own = tracer.wrapClient(newClient({ baseURL: url }));
        return () => ask(own, system);
      };

    const WAYS: Record<string, (client: Anthropic, system: string) => Promise<unknown>> = {
      'a whole answer': async ({ messages }, system) => messages.create({ ...BODY, system }),
      'a stream': async ({ messages }, system) =>
        readAll(await messages.create({ ...BODY, system, stream: true })),
      'the helper that streams': ({ messages }, system) => messages.stream({ ...BODY, system }).finalText(),
      ...(has.toolRunner && {
        'the tool runner': async ({ beta }, system) =>
          beta.messages.toolRunner({ ...BODY, system, tools: [WEATHER] }).runUntilDone(),
        'the tool runner that streams': async ({ beta }, system) => {
          const texts: string[] = [];
          const runner = beta.messages.toolRunner({ ...BODY, system, tools: [WEATHER], stream: true });
          for await (const turn of runner) {
            turn.on('text', (text) => texts.push(text));
            await turn.finalMessage();
          }
          return texts;
        },
      }),
    };

    it.each(Object.entries(WAYS))('answers %s in a replay, and nothing connects', async (way, ask) => {
      server.reply = ({ toolResult, body }) =>
        body.tools !== undefined && toolResult === ''
          ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
          : { text: 'A mild day in Oslo.' };
      const { run, item, recorded, connections } = await recordAndReplay(server.url, agentOf(ask), {
        network: 'deny',
      });
      const requests = recorded.filter(({ type }) => type === 'llm');
      expect(requests.map(({ status }) => status)).toEqual(way.includes('runner') ? ['ok', 'ok'] : ['ok']);
      for (const { span_data } of requests) expect(span_data.usage).toMatchObject({ output_tokens: 9 });
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(JSON.stringify(item.result)).toContain('mild');
      expect([run.ranLive, connections]).toEqual([{}, 0]);
    });

    it('fails in a replay for a changed prompt, and asks the model where it is live', async () => {
      const ask = WAYS['a whole answer']!;
      await expectChangedPromptToMiss(server.url, (system) => agentOf(ask, system), KEY);
    });

    it('throws the recorded error again as one of the class of the client', async () => {
      server.reply = () => ({ status: 429 });
      const { item } = await recordAndReplay(
        server.url,
        agentOf(async ({ messages }) => {
          const error = await messages.create(BODY).then(undefined, (thrown: unknown) => thrown);
          return error instanceof Anthropic.RateLimitError && [error.status, error.message];
        }),
      );
      expect(item).toMatchObject({ verdict: 'same', result: [429, expect.stringContaining('429')] });
    });
  });
}
