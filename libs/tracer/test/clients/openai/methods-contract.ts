import type { SpanRecord } from '@dacapo/protocol';
import type OpenAI from 'openai';
import { readAll } from '../replayed-agent.js';
import { openAiScene, type OpenAiUnderTest } from './openai-under-test.js';

const sound = (): File => new File(['sound'], 'a.mp3');
const picture = (): File => new File(['picture'], 'a.png', { type: 'image/png' });
const WORDS = { model: 'm', input: 'words' };

interface Method {
  ask(client: OpenAI): PromiseLike<unknown> | undefined;
  readonly prompt?: string;
  readonly recorded?: Partial<SpanRecord['span_data']>;
}

/** What sends a request to a model, under the key of its span. */
const METHODS: Record<string, Method> = {
  'completions.create': {
    ask: ({ completions }) => completions.create({ model: 'm', prompt: 'words' }),
    prompt: 'user:\nwords',
    recorded: { contexts: [{ finishReason: 'stop', responseModel: 'm', requestId: 'req_1' }] },
  },
  'responses.create': {
    ask: ({ responses }) => responses.create(WORDS),
    prompt: 'user:\nwords',
    recorded: { usage: { input_tokens: 12, output_tokens: 9, cached_input_tokens: 4, reasoning_tokens: 0 } },
  },
  'embeddings.create': {
    ask: async ({ embeddings }) => {
      const { data } = await embeddings.create(WORDS);
      expect(Array.from(data[0]!.embedding)).toEqual([0.5, -1]);
    },
    prompt: 'user:\nwords',
    recorded: { usage: { input_tokens: 12 } },
  },
  'moderations.create': { ask: ({ moderations }) => moderations.create(WORDS), prompt: 'user:\nwords' },
  'images.generate': {
    ask: ({ images }) => images.generate({ model: 'm', prompt: 'a cat' }),
    prompt: 'user:\na cat',
    recorded: { usage: { input_tokens: 12, output_tokens: 9 } },
  },
  'images.edit': {
    ask: ({ images }) => images.edit({ model: 'm', prompt: 'a dog', image: picture() }),
    prompt: 'user:\na dog',
    recorded: { input: [{ image: { file: 'a.png', type: 'image/png', size: 7 } }] },
  },
  'images.createVariation': {
    ask: (client) => call(client, 'images.createVariation', { model: 'm', image: picture() }),
    recorded: { input: [{ image: { file: 'a.png', type: 'image/png', size: 7 } }] },
  },
  'audio.transcriptions.create': {
    ask: ({ audio }) => audio.transcriptions.create({ model: 'm', file: sound() }),
    recorded: { input: [{ file: { file: 'a.mp3', size: 5 } }], output: { text: 'Hello.' } },
  },
  'audio.translations.create': {
    ask: (client) => call(client, 'audio.translations.create', { model: 'm', file: sound() }),
    recorded: { input: [{ file: { file: 'a.mp3', size: 5 } }], output: { text: 'Hello.' } },
  },
  'audio.speech.create': {
    ask: async ({ audio }) => {
      const speech = await audio.speech.create({ ...WORDS, voice: 'alloy' });
      expect(Buffer.from(await speech.arrayBuffer()).toString()).toBe('sound');
    },
    prompt: 'user:\nwords',
    recorded: {
      output: {
        response: { status: 200, contentType: 'audio/mpeg' },
        body: Buffer.from('sound').toString('base64'),
      },
    },
  },
};

/** What newer versions have beside them. */
const NEWER = ['responses.compact', 'beta.responses.create', 'beta.responses.compact'];

/** Calls what a version may not have, or have for little longer. */
function call(client: object, path: string, body: object = WORDS): PromiseLike<unknown> | undefined {
  let [owner, method]: unknown[] = [undefined, client];
  for (const name of path.split('.'))
    [owner, method] = [method, (method as Record<string, unknown> | undefined)?.[name]];
  return typeof method === 'function'
    ? (Reflect.apply(method, owner, [body]) as PromiseLike<unknown>)
    : undefined;
}

/** Streams of what is no chat. */
const STREAMS: Record<string, (client: OpenAI) => PromiseLike<AsyncIterable<unknown>>> = {
  'images.generate': ({ images }) => images.generate({ model: 'm', prompt: 'a cat', stream: true }),
  'audio.transcriptions.create': ({ audio }) =>
    audio.transcriptions.create({ model: 'm', file: sound(), stream: true }),
};

/** What is no request to a model. */
const PASSING: Record<string, (client: OpenAI) => PromiseLike<unknown>> = {
  'models.list': ({ models }) => models.list(),
  'files.retrieve': ({ files }) => files.retrieve('file_1'),
  'get of a path': (client) => client.get('/models'),
};

export function describeMethods(under: OpenAiUnderTest): void {
  describe(`the methods of a wrapped client of openai ${under.version}`, () => {
    const scene = openAiScene(under);

    it.each(Object.entries(METHODS))('are recorded: %s', async (key, { ask, prompt, recorded }) => {
      await ask(scene.client);
      expect(scene.test.spans).toMatchObject([
        { trace_function_key: `openai.${key}`, type: 'llm', status: 'ok', span_data: recorded ?? {} },
      ]);
      expect(scene.test.spans[0]!.span_data.prompt).toBe(prompt);
    });

    it.each(NEWER)('are recorded where a version has them: %s', async (key) => {
      const pending = call(scene.client, key);
      await pending;
      const keys = scene.test.spans.map(({ trace_function_key }) => trace_function_key);
      expect(keys).toEqual(pending === undefined ? [] : [`openai.${key}`]);
    });

    it.each(Object.entries(STREAMS))('are recorded as streams: %s', async (key, ask) => {
      const bare: unknown = await ask(scene.bare);
      // Version 4 streams no pictures.
      if (typeof bare === 'string') return;
      const chunks = await readAll(await ask(scene.client));
      expect(chunks).toEqual(await readAll(bare as AsyncIterable<unknown>));
      expect(scene.test.spans).toMatchObject([
        {
          trace_function_key: `openai.${key}`,
          status: 'ok',
          span_data: {
            output: JSON.parse(JSON.stringify(chunks.at(-1))) as object,
            usage: { input_tokens: 12, output_tokens: 9, time_to_first_token_ms: expect.any(Number) },
          },
        },
      ]);
    });

    it.each(Object.entries(PASSING))('pass where they are no request to a model: %s', async (_, ask) => {
      const settled = (promise: PromiseLike<unknown>): PromiseLike<unknown> =>
        promise.then(undefined, (error: unknown) => String(error));
      expect(JSON.stringify(await settled(ask(scene.client)))).toBe(
        JSON.stringify(await settled(ask(scene.bare))),
      );
      expect(scene.server.requests).toHaveLength(2);
      expect(scene.test.spans).toEqual([]);
    });

    it('are recorded with the helper that streams, and the one that parses, of a response', async () => {
      const pending = { ...WORDS, instructions: 'Be brief.' };
      await scene.client.responses.stream(pending).finalResponse();
      scene.server.reply = () => ({ text: '{"mild":true}' });
      const format = { type: 'json_schema' as const, name: 'weather', schema: {} };
      const { output_parsed } = await scene.client.responses.parse({ ...pending, text: { format } });
      expect(output_parsed).toEqual({ mild: true });
      const common = {
        trace_function_key: 'openai.responses.create',
        span_data: {
          prompt: 'system:\nBe brief.\n\nuser:\nwords',
          contexts: [{ finishReason: 'completed', responseModel: 'm-2025', requestId: 'req_1' }],
        },
      };
      expect(scene.test.spans).toMatchObject([common, common]);
    });
  });
}
