// Memory of the adapters over many runs: `node --expose-gc libs/tracer/test/memory/adapters-memory.mjs [runs]`.
// Needs a build. Ends with 1 when a run keeps memory.
import { Agent, OpenAIProvider, Runner, setTraceProcessors, tool } from '@openai/agents';
import { createServer } from 'node:http';
import { z } from 'zod';
import { Tracer } from '../../dist/esm/index.js';

const RUNS = Number(process.argv[2] ?? 1000);
const ALLOWED_BYTES_A_RUN = 2048;
const ROUNDS = 5;

const model = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk) => (text += chunk));
  request.on('end', () => {
    const body = JSON.parse(text);
    const failing = text.includes('fail please');
    if (failing) {
      response.writeHead(500, { 'x-should-retry': 'false', 'content-type': 'application/json' });
      response.end('{"error":{"message":"no"}}');
      return;
    }
    const called = body.input.at(-1)?.type === 'function_call_output';
    const output = called
      ? [
          {
            type: 'message',
            id: 'm',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'Mild.', annotations: [] }],
          },
        ]
      : [
          {
            type: 'function_call',
            id: 'f',
            call_id: 'c',
            name: 'weather',
            arguments: '{"city":"Oslo"}',
            status: 'completed',
          },
        ];
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'r',
        object: 'response',
        created_at: 1,
        status: 'completed',
        model: body.model,
        output,
        usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
      }),
    );
  });
});
await new Promise((resolve) => model.listen(0, '127.0.0.1', resolve));

const sink = createServer((request, response) => {
  let lines = 0;
  request.on('data', (chunk) => (lines += chunk.filter((byte) => byte === 10).length));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"accepted":${lines},"rejected":[]}`);
  });
});
await new Promise((resolve) => sink.listen(0, '127.0.0.1', resolve));

const tracer = new Tracer({ apiKey: 'memory', serviceUrl: `http://127.0.0.1:${sink.address().port}` });
setTraceProcessors([tracer.getAgentsTracingProcessor()]);
const provider = new OpenAIProvider({
  apiKey: 'k',
  baseURL: `http://127.0.0.1:${model.address().port}/v1`,
  useResponses: true,
});
const weather = tool({
  name: 'weather',
  description: 'w',
  parameters: z.object({ city: z.string() }),
  execute: tracer.withSpan('look-up', async ({ city }) => `${city}: mild`),
});
const agent = new Agent({ name: 'A', model: await provider.getModel('m'), tools: [weather] });
const runner = new Runner({ workflowName: 'Memory' });
const answer = tracer.withSpan('answer', async (text) => (await runner.run(agent, text)).finalOutput);

async function round(runs) {
  for (let index = 0; index < runs; index++) {
    // Every tenth fails: the package never tells that such a trace ended.
    const text = index % 10 === 0 ? 'fail please' : 'hi';
    await (index % 2 === 0 ? answer(text) : runner.run(agent, text)).catch(() => undefined);
  }
  await tracer.flush(5000);
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}

await round(Math.ceil(RUNS / ROUNDS));
const heaps = [];
for (let index = 0; index < ROUNDS; index++) heaps.push(await round(Math.ceil(RUNS / ROUNDS)));
const first = heaps[0];
const grown = (heaps.at(-1) - first) / (RUNS * ((ROUNDS - 1) / ROUNDS));
const mib = heaps.map((heap) => (heap / 1024 / 1024).toFixed(1)).join(', ');
process.stdout.write(
  `heap after each fifth of ${RUNS} runs (MiB): ${mib}; ${grown.toFixed(0)} bytes kept a run\n`,
);
process.exit(grown > ALLOWED_BYTES_A_RUN ? 1 : 0);
