import type OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { findHelpers, newOpenAi } from '../cells/openai-apis.js';
import type { OpenAiUnderTest } from './openai-under-test.js';
import { type MakeAgent, recordAndReplay } from '../replayed-agent.js';

type Ask = (client: OpenAI, system: string) => Promise<unknown>;

const FORMAT = zodResponseFormat(z.object({ mild: z.boolean() }), 'weather');

const makeBody = (system: string) => ({
  model: 'm',
  messages: [
    { role: 'system' as const, content: system },
    { role: 'user' as const, content: 'Weather?' },
  ],
});

/** What only this vendor's client has, beside what each of them does. */
const WAYS: Record<string, Ask> = {
  'a whole answer': async (client, system) => client.chat.completions.create(makeBody(system)),
  'a stream': async (client, system) => {
    const texts: unknown[] = [];
    const stream = await client.chat.completions.create({ ...makeBody(system), stream: true });
    for await (const chunk of stream) texts.push(chunk);
    return texts;
  },
  'a stream that is split': async (client, system) => {
    const stream = await client.chat.completions.create({ ...makeBody(system), stream: true });
    const [left, right] = stream.tee();
    return [
      await new Response(left.toReadableStream()).text(),
      await new Response(right.toReadableStream()).text(),
    ];
  },
  'a stream that is left early': async (client, system) => {
    for await (const chunk of await client.chat.completions.create({ ...makeBody(system), stream: true }))
      return chunk;
    return undefined;
  },
  'the helper that streams': (client, system) =>
    findHelpers(client).stream(makeBody(system)).finalChatCompletion(),
  'the helper that parses': async (client, system) => {
    const answer = await findHelpers(client).parse({ ...makeBody(system), response_format: FORMAT });
    return answer.choices[0]!.message.parsed;
  },
  'the helper that runs tools': (client, system) =>
    findHelpers(client)
      .runTools({
        ...makeBody(system),
        tools: [
          {
            type: 'function',
            function: { name: 'weather', description: 'w', parameters: {}, function: () => 'mild' },
          },
        ],
      })
      .finalContent(),
  'an answer with its response': async (client, system) => {
    const { data, response } = await client.chat.completions.create(makeBody(system)).withResponse();
    return [data.choices[0]!.message.content, response.status, response.ok];
  },
  'a response, whole and streamed': async (client, system) => {
    const request = { model: 'm', instructions: system, input: 'Weather?' };
    const whole = await client.responses.create(request);
    const streamed = await client.responses.stream(request).finalResponse();
    return [whole.output_text, streamed.output_text];
  },
  'an embedding': (client, system) => client.embeddings.create({ model: 'e', input: system }),
};

/** How an application reads sound. In version 4 the body is a stream of Node. */
const SOUNDS: Record<string, (response: Response) => Promise<string>> = {
  arrayBuffer: async (response) => Buffer.from(await response.arrayBuffer()).toString(),
  'its body': async ({ body }) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  },
};

export function describeOpenAiReplay({ version, OpenAI }: OpenAiUnderTest): void {
  describe(`a replay of an agent on a wrapped client of openai ${version}, with mock all`, () => {
    let server: ModelServer;

    beforeAll(async () => {
      server = await startModelServer();
    });
    afterAll(() => server.close());
    beforeEach(() => {
      server.reply = ({ body, toolResult }) => {
        if (body.response_format !== undefined) return { text: '{"mild":true}' };
        return body.tools !== undefined && toolResult === ''
          ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
          : { text: 'A mild day.' };
      };
    });

    const createAgent =
      (ask: Ask, system = 'Be brief.'): MakeAgent =>
      (tracer, url) => {
        const client = tracer.wrapClient(newOpenAi(OpenAI, url));
        return (question) => ask(client, `${system} ${question}`);
      };

    it.each(Object.entries(WAYS))('answers %s from the recording, and nothing connects', async (_, ask) => {
      const { run, item, connections } = await recordAndReplay(server.url, createAgent(ask), {
        network: 'deny',
      });
      expect(item).toMatchObject({ verdict: 'same', divergences: [] });
      expect(item).not.toHaveProperty('error');
      expect(item).not.toHaveProperty('deniedConnections');
      expect([run.ranLive, connections]).toEqual([{}, 0]);
    });

    it.each(Object.entries(WAYS))('fails for a changed prompt by a rejection: %s', async (_, ask) => {
      const changed = createAgent(ask, 'Be thorough.');
      const { item, connections } = await recordAndReplay(server.url, createAgent(ask), { changed });
      expect(item).toMatchObject({ verdict: 'error' });
      expect(connections).toBe(0);
    });

    it('marks the spans as mocked, with their prompt and without usage of their own', async () => {
      const { spans } = await recordAndReplay(server.url, createAgent(WAYS['a whole answer']!));
      expect(spans[0]).toMatchObject({
        trace_function_key: 'openai.chat.completions.create',
        span_data: { meta: { mocked: true }, prompt: 'system:\nBe brief. Weather?\n\nuser:\nWeather?' },
      });
      expect(spans[0]!.span_data.usage).not.toHaveProperty('input_tokens');
    });

    it('cannot return the raw response, which is not recorded', async () => {
      const raw: Ask = (client, system) => client.chat.completions.create(makeBody(system)).asResponse();
      const { item, connections } = await recordAndReplay(server.url, createAgent(WAYS['a whole answer']!), {
        changed: createAgent(raw),
      });
      expect(item).toMatchObject({
        verdict: 'error',
        error: { code: 'TRACER_REPLAY_MOCK_MISS', message: expect.stringContaining('asResponse') },
        divergences: [{ kind: 'unanswerable' }],
      });
      expect(connections).toBe(0);
    });

    it.each(Object.entries(SOUNDS))(
      'answers speech with the recorded sound, which is read by %s',
      async (_, read) => {
        const speak: Ask = async (client) => {
          const speech = await client.audio.speech.create({ model: 's', voice: 'alloy', input: 'Hm' });
          return read(speech);
        };
        const { item, connections } = await recordAndReplay(server.url, createAgent(speak));
        expect(item).toMatchObject({ verdict: 'same', result: 'sound', divergences: [] });
        expect(connections).toBe(0);
      },
    );

    it('throws the recorded error again as one of the class of the client', async () => {
      server.reply = () => ({ status: 429, headers: { 'x-should-retry': 'false' } });
      const ask: Ask = async (client, system) => {
        try {
          return await client.chat.completions.create(makeBody(system));
        } catch (error) {
          return error instanceof OpenAI.RateLimitError ? [error.status, error.message] : 'another';
        }
      };
      const { item, connections } = await recordAndReplay(server.url, createAgent(ask));
      expect(item).toMatchObject({ verdict: 'same', result: [429, '429 answered with 429'] });
      expect(connections).toBe(0);
    });
  });
}
