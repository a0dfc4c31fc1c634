// Memory of a wrapped client over many streamed requests: `node --expose-gc libs/tracer/test/memory/clients-memory.mjs [requests]`.
// Needs a build. Ends with 1 when a request keeps memory.
import { createServer } from 'node:http';
import OpenAI from 'openai';
import { Tracer } from '../../dist/esm/index.js';

const REQUESTS = Number(process.argv[2] ?? 10_000);
const ALLOWED_BYTES_A_REQUEST = 512;
const ROUNDS = 5;
const AT_ONCE = 20;

const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const ANSWER = [
  ...Array.from({ length: 20 }, (_, index) => chunk({ content: `word ${index} ` })),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
].join('');

const listen = (server) =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}`));
  });

const model = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(ANSWER);
});
const sink = createServer((request, response) => {
  let lines = 0;
  request.on('data', (bytes) => (lines += bytes.filter((byte) => byte === 10).length));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"accepted":${lines},"rejected":[]}`);
  });
});

const tracer = new Tracer({ apiKey: 'memory', serviceUrl: await listen(sink) });
const client = tracer.wrapClient(new OpenAI({ apiKey: 'k', baseURL: `${await listen(model)}/v1` }));

async function ask(index) {
  const messages = [{ role: 'user', content: `question ${index}` }];
  const stream = await client.chat.completions.create({ model: 'm', messages, stream: true });
  // Every tenth is left early.
  let left = index % 10 === 0 ? 3 : Infinity;
  for await (const { id } of stream) if (id === '' || --left === 0) break;
}

async function round(requests) {
  for (let index = 0; index < requests; index += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, requests - index) }, (_, one) => ask(index + one)),
    );
  await tracer.flush(5000);
  // Connections that were left end in their own time.
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

await round(Math.ceil(REQUESTS / ROUNDS));
const heaps = [];
for (let index = 0; index < ROUNDS; index++) heaps.push(await round(Math.ceil(REQUESTS / ROUNDS)));
const grown = (heaps.at(-1) - heaps[0]) / (REQUESTS * ((ROUNDS - 1) / ROUNDS));
const mib = heaps.map((heap) => (heap / 1024 / 1024).toFixed(1)).join(', ');
const { recorded, dropped } = tracer.stats();
process.stdout.write(
  `heap after each fifth of ${REQUESTS} streamed requests (MiB): ${mib}; ${grown.toFixed(0)} bytes kept a request; ` +
    `${recorded} recorded, ${JSON.stringify(dropped)} dropped\n`,
);
process.exit(grown > ALLOWED_BYTES_A_REQUEST ? 1 : 0);
