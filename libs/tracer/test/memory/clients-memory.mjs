// Memory of each vendor's wrapped client over many streamed requests:
// `node --expose-gc libs/tracer/test/memory/clients-memory.mjs [requests] [openai|responses|anthropic|google]`.
// Needs a build. Ends with 1 when a request keeps memory.
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import { createServer } from 'node:http';
import OpenAI from 'openai';
import { Tracer } from '../../dist/esm/index.js';

const REQUESTS = Number(process.argv[2] ?? 10_000);
const ALLOWED_BYTES_A_REQUEST = 512;
const ROUNDS = 5;
const WARM_UP_ROUNDS = 3;
const AT_ONCE = 20;
const WORDS = Array.from({ length: 20 }, (_, index) => `word ${index} `);

const data = (event) => `data: ${JSON.stringify(event)}\n\n`;
const typed = (type, fields) => `event: ${type}\n${data({ type, ...fields })}`;
const chatChunk = (delta, finish_reason = null) =>
  data({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
const response = { id: 'r', object: 'response', status: 'completed', model: 'm', output: [] };
const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [] };

/** How each vendor's server answers, and how its client asks and reads. */
const VENDORS = {
  openai: {
    answer: [...WORDS.map((content) => chatChunk({ content })), chatChunk({}, 'stop'), 'data: [DONE]\n\n'],
    client: (url) => new OpenAI({ apiKey: 'k', baseURL: `${url}/v1` }),
    ask: ({ chat }, content) =>
      chat.completions.create({ model: 'm', messages: [{ role: 'user', content }], stream: true }),
  },
  responses: {
    answer: [
      typed('response.created', { response }),
      ...WORDS.map((delta) => typed('response.output_text.delta', { delta })),
      typed('response.completed', { response }),
    ],
    client: (url) => new OpenAI({ apiKey: 'k', baseURL: `${url}/v1` }),
    ask: ({ responses }, input) => responses.create({ model: 'm', input, stream: true }),
  },
  anthropic: {
    answer: [
      typed('message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } }),
      typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      ...WORDS.map((text) => typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text } })),
      typed('content_block_stop', { index: 0 }),
      typed('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } }),
      typed('message_stop', {}),
    ],
    client: (url) => new Anthropic({ apiKey: 'k', baseURL: url }),
    ask: ({ messages }, content) =>
      messages.create({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content }], stream: true }),
  },
  google: {
    answer: WORDS.map((text) => data({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] })),
    client: (url) => new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: url } }),
    ask: ({ models }, contents) => models.generateContentStream({ model: 'm', contents }),
  },
};

const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });

const sink = createServer((request, reply) => {
  let lines = 0;
  request.on('data', (bytes) => (lines += bytes.filter((byte) => byte === 10).length));
  request.on('end', () => {
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(`{"accepted":${lines},"rejected":[]}`);
  });
});
const serviceUrl = await listen(sink);

/** Bytes that a request keeps. */
async function measure(name, { answer, client: newClient, ask }) {
  const events = answer.join('');
  const model = createServer((request, reply) => {
    request.resume();
    reply.writeHead(200, { 'content-type': 'text/event-stream' }).end(events);
  });
  const tracer = new Tracer({ apiKey: 'memory', serviceUrl });
  const client = tracer.wrapClient(newClient(await listen(model)));
  const askAndRead = async (index) => {
    const stream = await ask(client, `question ${index}`);
    // Every tenth is left early.
    let left = index % 10 === 0 ? 3 : Infinity;
    for await (const chunk of stream) if (chunk === undefined || --left === 0) break;
  };
  const round = async (requests) => {
    for (let index = 0; index < requests; index += AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, requests - index) }, (_, one) => askAndRead(index + one)),
      );
    await tracer.flush(5000);
    // Connections that were left end in their own time.
    await new Promise((resolve) => setImmediate(resolve));
    globalThis.gc?.();
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  // The heap reaches its level after some thousand requests, later on a busy machine.
  for (let index = 0; index < WARM_UP_ROUNDS; index++) await round(Math.ceil(REQUESTS / ROUNDS));
  const heaps = [];
  for (let index = 0; index < ROUNDS; index++) heaps.push(await round(Math.ceil(REQUESTS / ROUNDS)));
  const kept = (heaps.at(-1) - heaps[0]) / (REQUESTS * ((ROUNDS - 1) / ROUNDS));
  const mib = heaps.map((heap) => (heap / 1024 / 1024).toFixed(1)).join(', ');
  const { recorded, dropped } = tracer.stats();
  process.stdout.write(
    `${name}: heap after each fifth of ${REQUESTS} streamed requests (MiB): ${mib}; ${kept.toFixed(0)} bytes kept a request; ` +
      `${recorded} recorded, ${JSON.stringify(dropped)} dropped\n`,
  );
  await tracer.shutdown();
  return kept;
}

let isKept = false;
for (const [name, vendor] of Object.entries(VENDORS))
  if ((process.argv[3] ?? name) === name)
    isKept = (await measure(name, vendor)) > ALLOWED_BYTES_A_REQUEST || isKept;
process.exit(isKept ? 1 : 0);
