// Memory of streamed calls: `node --expose-gc libs/tracer/test/memory/streams-memory.mjs [calls]`. Half of them through an
// adapter, half through a wrapped generator; every tenth is left by its reader. Needs a build. Ends with 1 when they keep memory.
import { simulateReadableStream, streamText } from 'ai-v6';
import { MockLanguageModelV3 } from 'ai-v6/test';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { Tracer } from '../../dist/esm/index.js';

const CALLS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 5;
const ALLOWED_BYTES_A_CALL = 256;

const sink = createServer(async (request, response) => {
  const parts = await request.toArray();
  const body = Buffer.concat(parts);
  const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  const accepted = text.toString('utf8').split('\n').length - 1;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ accepted, rejected: [] }));
});
await new Promise((resolve) => sink.listen(0, '127.0.0.1', resolve));
const tracer = new Tracer({
  apiKey: 'key',
  serviceUrl: `http://127.0.0.1:${sink.address().port}`,
  delivery: { spool: false, maxQueueBytes: 2 * 1024 * 1024 },
  logger: { warn: () => undefined },
});

const words = Array.from({ length: 20 }, (_, at) => ({ type: 'text-delta', id: '1', delta: `word ${at} ` }));
const chunks = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...words,
  { type: 'text-end', id: '1' },
  {
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 20 } },
  },
];
const model = () =>
  new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({ chunks, initialDelayInMs: null, chunkDelayInMs: null }),
    }),
  });
const experimental_telemetry = tracer.getAiSdkTelemetry();
const talk = tracer.withSpan('talk', async function* () {
  for (const { delta } of words) yield delta;
});

async function call(at) {
  if (at % 2 === 0)
    await streamText({ model: model(), prompt: 'hi', experimental_telemetry }).consumeStream();
  else for await (const word of talk()) if (at % 10 === 1 && word.includes('5')) break;
}

const used = [];
for (let round = 0; round <= ROUNDS; round++) {
  for (let at = 0; at < CALLS / ROUNDS; at++) await call(at);
  await tracer.flush(5_000);
  for (let times = 0; times < 3; times++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { heapUsed, external } = process.memoryUsage();
  used.push(heapUsed + external);
}
const [, first, ...later] = used;
const perCall = (later.at(-1) - first) / (CALLS * ((ROUNDS - 1) / ROUNDS));
console.log(
  `${CALLS} streamed calls: ${used.map((bytes) => (bytes / 2 ** 20).toFixed(1)).join(', ')} MiB after each round, ` +
    `${perCall.toFixed(0)} bytes a call`,
);
process.exitCode = perCall <= ALLOWED_BYTES_A_CALL ? 0 : 1;
await tracer.shutdown(100);
sink.close();
sink.closeAllConnections();
