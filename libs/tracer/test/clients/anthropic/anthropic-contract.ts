import { randomBytes } from 'node:crypto';
import { expandChunks } from '../../../src/recording/result/expand-chunks.js';
import type Anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import { z } from 'zod';
import { createTestTracer, type TestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { createCells, describeCells } from '../cells/cells-contract.js';
import { anthropicMessages, newAnthropic } from '../cells/anthropic-api.js';
import { describeReplay } from '../cells/replay-contract.js';
import { type MakeAgent, readAll, recordAndReplay } from '../replayed-agent.js';

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
  parse: (value: unknown) => value as { city: string },
  run: ({ city }: { city: string }) => `${city}: mild`,
};

/** What is no request to a model. */
const PASSING: Record<string, (client: Anthropic) => Promise<unknown>> = {
  'the count of tokens': async ({ messages }) =>
    (messages as Partial<typeof messages>).countTokens?.call(messages, BODY),
  'a list of models': async ({ models }) => (models as Partial<typeof models> | undefined)?.list?.(),
};

export interface AnthropicUnderTest {
  readonly version: string;
  readonly Anthropic: typeof Anthropic;
  /** The first ones have none of what came later. */
  readonly has: { readonly toolRunner: boolean; readonly parse: boolean };
}

/** What a wrapped client of one version does, beside what a bare one does. */
export function describeAnthropic({ version, Anthropic, has }: AnthropicUnderTest): void {
  const title = `@anthropic-ai/sdk ${version}`;
  const newOne = (url: string): Anthropic => newAnthropic(Anthropic, url);
  // An aborted stream of the first ones never ends.
  const without = has.toolRunner ? undefined : 'an abort in mid-stream';
  const run = createCells(newOne, anthropicMessages, without);
  describeCells({ name: title, run, ...(without && { without }) });
  describeReplay(title, newOne, anthropicMessages, without);

  describe(`a wrapped client of ${title}`, () => {
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

    it('returns what the bare one returns, and records it', async () => {
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
              response_model: 'claude-sonnet-5',
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
          output: { role: 'assistant', content: [{ type: 'text', text: 'A mild day in Oslo.' }] },
          contexts: [{ finishReason: 'end_turn', requestId: 'req_1' }],
          meta: { stream: { items: events.length } },
        },
      };
      expect(test.spans).toMatchObject([common, common]);
      expect(expandChunks(test.spans[0]!.span_data.meta?.stream?.chunks)).toEqual(events);
    });

    it('records the beta routes, tools and pictures', async () => {
      server.reply = () => ({ toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] });
      const data = randomBytes(6000).toString('base64');
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
            output: { content: [{ type: 'tool_use', name: 'weather', input: { city: 'Oslo' } }] },
          },
        },
      ]);
      expect(JSON.stringify(test.spans[0]!.span_data.input)).not.toContain(data.slice(100, 200));
      expect(test.media).toMatchObject([{ size: 6000, data }]);
    });

    it('records a response parsed by a schema, in versions that parse', async () => {
      if (!has.parse) return;
      server.reply = () => ({ text: '{"mild":true}' });
      const format = zodOutputFormat(z.object({ mild: z.boolean() }));
      const { parsed_output } = await client.messages.parse({ ...BODY, output_config: { format } });
      expect(parsed_output).toEqual({ mild: true });
      const stream = client.messages.stream({ ...BODY, output_config: { format } });
      expect((await stream.finalMessage()).parsed_output).toEqual({ mild: true });
      expect(test.spans).toMatchObject([
        { trace_function_key: KEY, status: 'ok' },
        { trace_function_key: KEY, status: 'ok' },
      ]);
      expect(JSON.stringify(test.spans[0]!.span_data.input)).toContain('json_schema');
    });

    it('records the older endpoint of texts, where a version has it', async () => {
      const { completions } = client as unknown as { completions?: Pick<Anthropic['messages'], 'create'> };
      const request = { model: 'm', max_tokens_to_sample: 9, prompt: 'words' };
      await completions?.create(request as never);
      expect(test.spans).toMatchObject(
        completions === undefined
          ? []
          : [{ trace_function_key: 'anthropic.completions.create', span_data: { prompt: 'user:\nwords' } }],
      );
    });

    it.each(Object.entries(PASSING))('passes on calls that are not model requests: %s', async (_, ask) => {
      const settled = (own: Anthropic): Promise<unknown> =>
        ask(own).then(undefined, (error: unknown) => String(error));
      expect(JSON.stringify(await settled(client))).toBe(JSON.stringify(await settled(bare)));
      expect(test.spans).toEqual([]);
    });

    it('keeps a subclass and its private fields', async () => {
      class Desk extends Anthropic {
        readonly #tone = 'Be kind.';
        ask(content: string) {
          return this.messages.create({ ...BODY, system: this.#tone, messages: [{ role: 'user', content }] });
        }
      }
      const desk = test.tracer.wrapClient(new Desk({ apiKey: 'k', baseURL: server.url }));
      expect((await desk.ask('Hm?')).content).toMatchObject([{ text: 'A mild day in Oslo.' }]);
      expect(test.spans).toMatchObject([{ span_data: { prompt: 'system:\nBe kind.\n\nuser:\nHm?' } }]);
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

    const createAgent =
      (ask: (client: Anthropic, system: string) => Promise<unknown>, system = 'Be brief.'): MakeAgent =>
      (tracer, url) => {
        const own = tracer.wrapClient(newClient({ baseURL: url }));
        return () => ask(own, system);
      };

    const WAYS: Record<string, (client: Anthropic, system: string) => Promise<unknown>> = {
      'a whole answer': async ({ messages }, system) => messages.create({ ...BODY, system }),
      'a stream': async ({ messages }, system) =>
        readAll(await messages.create({ ...BODY, system, stream: true })),
      'an answer with its response': async ({ messages }, system) => {
        const { data, response } = await messages.create({ ...BODY, system }).withResponse();
        return [data.content, response.status];
      },
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
      const { run, item, recorded, connections } = await recordAndReplay(server.url, createAgent(ask), {
        network: 'deny',
      });
      const requests = recorded.filter(({ type }) => type === 'llm');
      expect(requests.map(({ status }) => status)).toEqual(way.includes('runner') ? ['ok', 'ok'] : ['ok']);
      for (const { span_data } of requests) expect(span_data.usage).toMatchObject({ output_tokens: 9 });
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(JSON.stringify(item.result)).toContain('mild');
      expect([run.ranLive, connections]).toEqual([{}, 0]);
    });

    it('cannot return the raw response in a replay, which is not recorded', async () => {
      const changed = createAgent(async ({ messages }) => messages.create(BODY).asResponse());
      const agent = createAgent(async ({ messages }) => messages.create(BODY));
      const { item, connections } = await recordAndReplay(server.url, agent, { changed });
      expect(item).toMatchObject({
        error: { code: 'TRACER_REPLAY_MOCK_MISS', message: expect.stringContaining('asResponse') },
      });
      expect(connections).toBe(0);
    });

    it('throws the recorded error again as one of the class of the client', async () => {
      server.reply = () => ({ status: 429 });
      const { item } = await recordAndReplay(
        server.url,
        createAgent(async ({ messages }) => {
          const error = await messages.create(BODY).then(undefined, (thrown: unknown) => thrown);
          return error instanceof Anthropic.RateLimitError && [error.status, error.message];
        }),
      );
      expect(item).toMatchObject({ verdict: 'same', result: [429, expect.stringContaining('429')] });
    });
  });
}
