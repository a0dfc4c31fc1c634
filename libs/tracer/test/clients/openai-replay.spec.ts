import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import type { Tracer } from '../../src/tracer.js';
import { createTestTracer } from '../../src/testing.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { type StoredSpansService, startStoredSpansService } from '../service/stored-spans-service.js';
import { type Sink, startSink } from './sink.js';

const FORMAT = zodResponseFormat(z.object({ mild: z.boolean() }), 'weather');

let server: ModelServer;
let sink: Sink;
let service: StoredSpansService | undefined;

beforeEach(async () => {
  [server, sink] = [await startModelServer(), await startSink()];
  server.reply = ({ body, toolResult }) => {
    if (body.response_format !== undefined) return { text: '{"mild":true}' };
    return body.tools !== undefined && toolResult === ''
      ? { toolCalls: [{ name: 'weather', arguments: { city: 'Oslo' } }] }
      : { text: 'A mild day.' };
  };
});

afterEach(async () => {
  await Promise.all([server.close(), sink.close(), service?.close()]);
  service = undefined;
});

type Ask = (client: OpenAI, system: string) => Promise<unknown>;

/** An agent that asks the model in one way, at `url`. */
function agentOf(tracer: Tracer, url: string, ask: Ask, system = 'Be brief.') {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off' });
  tracer.wrapClient(client);
  return tracer.withSpan('agent', { type: 'agent' }, (question: string) =>
    ask(client, `${system} ${question}`),
  );
}

/** Records one call of the agent, and plays it again where nothing listens but a sink. */
async function recordAndReplay(ask: Ask, options: object = {}, system?: string, url = sink.url) {
  const recorded = createTestTracer();
  await agentOf(recorded.tracer, server.url, ask)('Weather?').catch(() => undefined);
  service = await startStoredSpansService(recorded.spans);
  const { tracer, spans } = createTestTracer({ serviceUrl: service.url });
  const run = await tracer.replay('agent', agentOf(tracer, url, ask, system), { mock: 'all', ...options });
  return { run, item: run.items[0]!, spans };
}

const bodyOf = (system: string) => ({
  model: 'm',
  messages: [
    { role: 'system' as const, content: system },
    { role: 'user' as const, content: 'Weather?' },
  ],
});

const WAYS: Record<string, Ask> = {
  'a whole answer': async (client, system) => client.chat.completions.create(bodyOf(system)),
  'a stream': async (client, system) => {
    const texts: unknown[] = [];
    const stream = await client.chat.completions.create({ ...bodyOf(system), stream: true });
    for await (const chunk of stream) texts.push(chunk);
    return texts;
  },
  'a stream that is split': async (client, system) => {
    const stream = await client.chat.completions.create({ ...bodyOf(system), stream: true });
    const [left, right] = stream.tee();
    return [
      await new Response(left.toReadableStream()).text(),
      await new Response(right.toReadableStream()).text(),
    ];
  },
  'a stream that is left early': async (client, system) => {
    for await (const chunk of await client.chat.completions.create({ ...bodyOf(system), stream: true }))
      return chunk;
    return undefined;
  },
  'the helper that streams': (client, system) =>
    client.chat.completions.stream(bodyOf(system)).finalChatCompletion(),
  'the helper that parses': async (client, system) => {
    const answer = await client.chat.completions.parse({ ...bodyOf(system), response_format: FORMAT });
    return answer.choices[0]!.message.parsed;
  },
  'the helper that runs tools': (client, system) =>
    client.chat.completions
      .runTools({
        ...bodyOf(system),
        tools: [
          {
            type: 'function',
            function: { name: 'weather', description: 'w', parameters: {}, function: () => 'mild' },
          },
        ],
      })
      .finalContent(),
  'an answer with its response': async (client, system) => {
    const { data, response } = await client.chat.completions.create(bodyOf(system)).withResponse();
    return [data.choices[0]!.message.content, response.status, response.ok];
  },
  'a response, whole and streamed': async (client, system) => {
    const asked = { model: 'm', instructions: system, input: 'Weather?' };
    const whole = await client.responses.create(asked);
    const streamed = await client.responses.stream(asked).finalResponse();
    return [whole.output_text, streamed.output_text];
  },
  'an embedding': (client, system) => client.embeddings.create({ model: 'e', input: system }),
};

describe('a replay of an agent on a wrapped client, with mock all', () => {
  it.each(Object.entries(WAYS))('answers %s from the recording, and nothing connects', async (_, ask) => {
    const { run, item } = await recordAndReplay(ask, { network: 'deny' });
    expect(item).toMatchObject({ verdict: 'same', divergences: [] });
    expect(item).not.toHaveProperty('error');
    expect(run.ranLive).toEqual({});
    expect(item).not.toHaveProperty('deniedConnections');
    expect(sink.connections).toBe(0);
  });

  it('marks the spans as answered, with their prompt and without usage of their own', async () => {
    const { spans } = await recordAndReplay(WAYS['a whole answer']!);
    expect(spans[0]).toMatchObject({
      trace_function_key: 'openai.chat.completions.create',
      span_data: { meta: { mocked: true }, prompt: 'system:\nBe brief. Weather?\n\nuser:\nWeather?' },
    });
    expect(spans[0]!.span_data.usage).not.toHaveProperty('input_tokens');
  });

  it('fails for a changed prompt, and shows what changed in it', async () => {
    const { item } = await recordAndReplay(WAYS['a whole answer']!, {}, 'Be thorough.');
    expect(item).toMatchObject({
      verdict: 'error',
      error: { code: 'TRACER_REPLAY_MOCK_MISS', message: expect.stringMatching(/thorough[\s\S]*brief/) },
      divergences: [
        {
          kind: 'changed_arguments',
          newArguments: expect.stringContaining('Be thorough.'),
          recordedArguments: expect.stringContaining('Be brief.'),
        },
      ],
    });
    expect(sink.connections).toBe(0);
  });

  it.each(Object.entries(WAYS))('fails for a changed prompt by a rejection: %s', async (_, ask) => {
    const { item } = await recordAndReplay(ask, {}, 'Be thorough.');
    expect(item).toMatchObject({ verdict: 'error' });
    expect(sink.connections).toBe(0);
  });

  it('asks the model for a changed prompt where it is live', async () => {
    const { run, item } = await recordAndReplay(
      WAYS['a whole answer']!,
      { live: ['llm'] },
      'Be thorough.',
      server.url,
    );
    expect(item).toMatchObject({ verdict: 'same', divergences: [{ kind: 'changed_arguments' }] });
    expect(run.ranLive).toEqual({ 'openai.chat.completions.create': 1 });
    expect(server.requests.at(-1)!.body.messages[0].content).toBe('Be thorough. Weather?');
  });

  it('cannot give the raw response, which is not recorded', async () => {
    const whole: Ask = (client, system) => client.chat.completions.create(bodyOf(system));
    const raw: Ask = (client, system) => client.chat.completions.create(bodyOf(system)).asResponse();
    const recorded = createTestTracer();
    await agentOf(recorded.tracer, server.url, whole)('Weather?');
    service = await startStoredSpansService(recorded.spans);
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('agent', agentOf(tracer, sink.url, raw), { mock: 'all' });
    expect(items).toMatchObject([
      {
        verdict: 'error',
        error: { code: 'TRACER_REPLAY_MOCK_MISS', message: expect.stringContaining('asResponse') },
        divergences: [{ kind: 'unanswerable' }],
      },
    ]);
    expect(sink.connections).toBe(0);
  });

  it('cannot answer speech, whose bytes are not recorded', async () => {
    const speak: Ask = async (client) => {
      const speech = await client.audio.speech.create({ model: 's', voice: 'alloy', input: 'Hm' });
      return (await speech.arrayBuffer()).byteLength;
    };
    const { item } = await recordAndReplay(speak);
    expect(item).toMatchObject({ error: { code: 'TRACER_REPLAY_MOCK_MISS' } });
    expect(sink.connections).toBe(0);
  });

  it('throws the recorded error again as one of the class of the client', async () => {
    server.reply = () => ({ status: 429 });
    const ask: Ask = async (client, system) => {
      try {
        return await client.chat.completions.create(bodyOf(system));
      } catch (error) {
        return error instanceof OpenAI.RateLimitError ? [error.status, error.message] : 'another';
      }
    };
    const { item } = await recordAndReplay(ask);
    expect(item).toMatchObject({ verdict: 'same', result: [429, '429 answered with 429'] });
    expect(sink.connections).toBe(0);
  });
});
