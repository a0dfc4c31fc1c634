import { type Dialect, TEXT } from './dialect.js';
import { USED } from './model-reply.js';
import type { ModelRequest } from './model-request.js';

const PICTURE = Buffer.from('a picture of a cat, again and again and again').toString('base64');

const googleEmbedding: Dialect = {
  matches: ({ path }) => /:(batchEmbedContents|embedContent)/.test(path),
  isStream: () => false,
  whole: () => ({ embedding: { values: [0.5, -1] }, embeddings: [{ values: [0.5, -1] }] }),
  events: () => [],
};

const bedrock: Dialect = {
  matches: ({ path }) => path.endsWith('/converse'),
  isStream: () => false,
  whole: (_, reply) => ({
    output: { message: { role: 'assistant', content: [{ text: reply.text ?? TEXT }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: USED.input, outputTokens: USED.output, totalTokens: USED.input + USED.output },
    metrics: { latencyMs: 1 },
  }),
  events: () => [],
};

const usage = {
  input_tokens: USED.input,
  output_tokens: USED.output,
  total_tokens: USED.input + USED.output,
};
const event = (type: string, fields: object) => ({ event: type, data: { type, ...fields } });

/** What vendors have beside chats: the end of its path, and what it answers. */
const WHOLE: Record<string, (request: ModelRequest) => object> = {
  '/completions': ({ model }) => ({
    id: 'cmpl-1',
    object: 'text_completion',
    created: 1,
    model,
    choices: [{ index: 0, text: TEXT, finish_reason: 'stop', logprobs: null }],
    usage: { prompt_tokens: USED.input, completion_tokens: USED.output, total_tokens: usage.total_tokens },
  }),
  '/responses/compact': () => ({ id: 'resp_1', object: 'response.compaction', output: [], usage }),
  '/embeddings': ({ model }) => ({
    object: 'list',
    model,
    data: [
      {
        object: 'embedding',
        index: 0,
        embedding: Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64'),
      },
    ],
    usage: { prompt_tokens: USED.input, total_tokens: USED.input },
  }),
  '/moderations': ({ model }) => ({ id: 'mod_1', model, results: [{ flagged: false }] }),
  '/images/generations': () => ({ created: 1, data: [{ b64_json: PICTURE }], usage }),
  '/images/edits': () => ({ created: 1, data: [{ url: 'https://images.test/2.png' }], usage }),
  '/images/variations': () => ({ created: 1, data: [{ url: 'https://images.test/3.png' }] }),
  '/audio/transcriptions': () => ({ text: TEXT }),
  '/audio/translations': () => ({ text: TEXT }),
  '/audio/speech': () => Buffer.from('sound'),
  '/models': () => ({ object: 'list', data: [{ id: 'm', object: 'model' }] }),
  '/complete': ({ model }) => ({
    type: 'completion',
    id: 'c',
    model,
    completion: TEXT,
    stop_reason: 'stop_sequence',
  }),
  '/messages/count_tokens': () => ({ input_tokens: USED.input }),
  ':countTokens': () => ({ totalTokens: USED.input }),
  ':predict': () => ({ predictions: [{ mimeType: 'image/png', bytesBase64Encoded: PICTURE }] }),
};

const EVENTS: Record<string, ReturnType<Dialect['events']>> = {
  '/images/generations': [
    event('image_generation.partial_image', { partial_image_index: 0, b64_json: PICTURE }),
    event('image_generation.completed', { b64_json: PICTURE, usage }),
  ],
  '/audio/transcriptions': [
    event('transcript.text.delta', { delta: 'Hel' }),
    event('transcript.text.delta', { delta: 'lo.' }),
    event('transcript.text.done', { text: TEXT, usage }),
  ],
};

const byPath: readonly Dialect[] = Object.entries(WHOLE).map(([ending, whole]) => ({
  matches: ({ path }) => path.split('?')[0]!.endsWith(ending),
  isStream: ({ body }) => String(body.stream) === 'true' && EVENTS[ending] !== undefined,
  whole,
  events: () => EVENTS[ending] ?? [],
}));

export const OTHER_DIALECTS: readonly Dialect[] = [googleEmbedding, bedrock, ...byPath];
