import { startCollector } from '@dacapo/collector';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Conversation, listTraceIds, MESSAGES, readConversation } from './support/conversation.js';
import { removeFolder } from './support/remove-folder.js';

const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' };

let folder: string;
let collector: Awaited<ReturnType<typeof startCollector>>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dacapo-senders-'));
  collector = await startCollector({ port: 0, dataDir: join(folder, 'data') });
});

afterAll(async () => {
  await collector.close();
  await removeFolder(folder);
});

/** Sends the recorded request of a sender, and reads the trace in it. */
async function send(sender: string, encoding: keyof typeof TYPES): Promise<Conversation> {
  const known = new Set(await listTraceIds(collector));
  const answer = await fetch(`${collector.url}/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${collector.apiKey ?? ''}`,
      'content-type': TYPES[encoding],
      'content-encoding': 'gzip',
    },
    body: await readFile(join(__dirname, 'otlp-senders', `${sender}.${encoding}.gz`)),
  });
  expect([answer.status, await answer.text()]).toEqual([200, encoding === 'json' ? '{}' : '']);
  const added = (await listTraceIds(collector)).filter((id) => !known.has(id));
  expect(added).toHaveLength(1);
  return readConversation(collector, added[0] ?? '');
}

const CALLS = ['answer', '  llm', '  llm'];
/** The agent, its steps with the requests, and the tool. */
const AI_SDK_6 = ['desk', '  llm', '  track', '  llm'];
const AI_SDK_7 = ['desk', '  step 1', '    llm', '    track', '  step 2', '    llm'];
/** 52 input tokens at 2.5, 8 cached ones at 1.25 and 11 output tokens at 10 millionths of a dollar. */
const COST = 250e-6;
/** These senders report no cached tokens, so all 60 input tokens cost the full price. */
const COST_WITHOUT_CACHE = 260e-6;
const MODELS = ['gpt-4o', 'gpt-4o-2024-08-06'];
/** It reports the model of the response only. */
const OPENINFERENCE_MODELS = ['gpt-4o-2024-08-06', undefined];

describe('the recorded request of', () => {
  it.each<[string, keyof typeof TYPES, readonly string[], number]>([
    ['openinference', 'protobuf', CALLS, COST],
    ['openllmetry', 'protobuf', CALLS, COST_WITHOUT_CACHE],
    ['contrib', 'json', CALLS, COST_WITHOUT_CACHE],
    ['ai-sdk-6', 'json', AI_SDK_6, COST],
    ['ai-sdk-7', 'protobuf', AI_SDK_7, COST],
    ['python', 'protobuf', CALLS, COST],
  ])(
    '%s has the tree, messages, usage and cost of its conversation',
    async (sender, encoding, tree, cost) => {
      const read = await send(sender, encoding);
      expect(read.tree).toEqual(tree);
      // It sends messages as logs, which the service does not accept.
      expect(read.input).toEqual(sender === 'contrib' ? undefined : MESSAGES);
      const models = sender === 'openinference' ? OPENINFERENCE_MODELS : MODELS;
      expect(read.usage).toEqual([
        [...models, 20, 8],
        [...models, 40, 3],
      ]);
      expect(read.cost).toBeCloseTo(cost, 9);
    },
  );
});
