import { startCollector } from '@dacapo/collector';
import { Tracer } from '@dacapo/tracer';
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import OpenAI from 'openai';
import { startModel } from '../otlp-senders/model-server.js';
import { type Conversation, listTraceIds, MESSAGES, readConversation } from '../support/conversation.js';
import { removeFolder } from '../support/remove-folder.js';

const run = promisify(execFile);

let folder: string;
let model: Awaited<ReturnType<typeof startModel>>;
let collector: Awaited<ReturnType<typeof startCollector>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dacapo-otlp-'));
  collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
  model = await startModel();
});

afterAll(async () => {
  await collector.close();
  model.close();
  await removeFolder(folder);
});

async function readNewest(): Promise<Conversation> {
  const [newest = ''] = await listTraceIds(collector);
  return readConversation(collector, newest);
}

async function send(sender: string): Promise<void> {
  const script = join(__dirname, 'otlp/send.mjs');
  await run(process.execPath, [script, sender, collector.url, collector.apiKey ?? '', model.url], {
    timeout: 120_000,
  });
}

/** These instrumentations report no cached tokens, so their input costs the full price. */
const WITHOUT_CACHE = ['openllmetry', 'contrib'];
const CACHED_TOKENS = 8;
/** Of gpt-4o, per token. */
const CACHE_DISCOUNT_USD = 1.25e-6;

describe('a conversation that others record', () => {
  let own: Conversation;

  beforeAll(async () => {
    const tracer = new Tracer({ apiKey: collector.apiKey ?? '', serviceUrl: collector.url });
    const client = tracer.wrapClient(new OpenAI({ apiKey: 'sk-test', baseURL: `${model.url}/v1` }));
    const ask = tracer.withSpan('answer', async () => {
      const messages: OpenAI.ChatCompletionMessageParam[] = [
        { role: 'system', content: 'Be brief' },
        { role: 'user', content: 'Where is parcel 7?' },
      ];
      const first = await client.chat.completions.create({ model: 'gpt-4o', messages });
      messages.push(first.choices[0]!.message, { role: 'tool', tool_call_id: 'c1', content: 'Berlin' });
      await client.chat.completions.create({ model: 'gpt-4o', messages });
    });
    await ask();
    await tracer.shutdown();
    own = await readNewest();
    expect(own.input).toEqual(MESSAGES);
    expect(own.tree).toEqual(['answer', '  llm', '  llm']);
  });

  it.each(['openinference', 'openllmetry', 'contrib', 'ai-sdk-6', 'ai-sdk-7'])(
    'by %s has the messages that it sends in spans, the usage and the cost of our own recording',
    async (sender) => {
      await send(sender);
      const sent = await readNewest();
      // It sends messages as logs, which the service does not accept.
      expect(sent.input).toEqual(sender === 'contrib' ? undefined : own.input);
      expect(sent.usage.map((one) => (one as unknown[]).slice(2))).toEqual(
        own.usage.map((one) => (one as unknown[]).slice(2)),
      );
      const surcharge = WITHOUT_CACHE.includes(sender) ? CACHED_TOKENS * CACHE_DISCOUNT_USD : 0;
      expect(own.cost).toBeGreaterThan(0);
      expect(sent.cost).toBeCloseTo((own.cost ?? 0) + surcharge, 9);
    },
  );

  it.each(['openinference', 'openllmetry', 'contrib'])(
    'by %s has the tree of our own recording',
    async (sender) => {
      await send(sender);
      expect((await readNewest()).tree).toEqual(own.tree);
    },
  );

  it.each(['ai-sdk-6', 'ai-sdk-7'])(
    'by %s is a tree: the agent, its requests and its tool',
    async (sender) => {
      await send(sender);
      const { spans } = await readNewest();
      const agent = spans.find(({ type }) => type === 'agent');
      const tool = spans.find(({ kind }) => kind === 'tool');
      expect(agent?.trace_function_key).toBe('desk');
      expect(tool).toMatchObject({
        trace_function_key: 'track',
        type: 'function',
        span_data: { input: [{ id: 7 }], output: 'Berlin' },
      });
      const ids = new Set(spans.map(({ id }) => id));
      expect(spans.filter(({ parent_id }) => parent_id !== undefined && !ids.has(parent_id))).toEqual([]);
    },
  );
});
