import type { BaseCallbackHandler } from '@langchain/core/callbacks/base';
import { HumanMessage } from '@langchain/core/messages';
import { Agent, OpenAIProvider, Runner, setTraceProcessors, setTracingDisabled } from '@openai/agents';
import * as v6 from 'ai-v6';
import { randomBytes } from 'node:crypto';
import type OpenAI from 'openai';
import { createTestTracer } from '../../src/testing.js';
import type { Tracer } from '../../src/tracer.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { ClientLanguageModel, newOpenAi, ServedChatModel } from '../models/served-models.js';

const IMAGE = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(300_000)]);
const BASE64 = IMAGE.toString('base64');
const DATA_URL = `data:image/png;base64,${BASE64}`;

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  setTracingDisabled(false);
});
afterAll(() => server.close());

/** Asks what is on the image. */
type Ask = (tracer: Tracer, client: OpenAI) => Promise<unknown>;

const LIBRARIES: [library: string, ask: Ask][] = [
  [
    'the AI SDK',
    (tracer) =>
      v6.generateText({
        // A bare client: this model of the tests asks it in words.
        model: new ClientLanguageModel(newOpenAi(server.url), 'v3') as never,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image', image: new Uint8Array(IMAGE) },
            ],
          },
        ],
        experimental_telemetry: tracer.getAiSdkTelemetry(),
      }),
  ],
  [
    'LangChain',
    (tracer, client) => {
      const config: object = { callbacks: [tracer.getLangChainHandler() as unknown as BaseCallbackHandler] };
      const content = [{ type: 'image_url' as const, image_url: { url: DATA_URL } }];
      return new ServedChatModel(server.url, client).invoke([new HumanMessage({ content })], config);
    },
  ],
  [
    'OpenAI Agents',
    (tracer, client) => {
      setTraceProcessors([tracer.getAgentsTracingProcessor()]);
      const modelProvider = new OpenAIProvider({ openAIClient: client as never, useResponses: true });
      return new Runner({ modelProvider }).run(new Agent({ name: 'Desk', model: 'm' }), [
        { role: 'user', content: [{ type: 'input_image', image: DATA_URL }] },
      ]);
    },
  ],
  [
    'a wrapped client alone',
    (_, client) =>
      client.chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: DATA_URL } }] }],
      }),
  ],
];

describe.each(LIBRARIES)('an image of 300 kB that %s sends', (_, ask) => {
  const record = async (maxMediaBytes?: number) => {
    const { tracer, spans, media } = createTestTracer({
      capture: maxMediaBytes === undefined ? {} : { maxMediaBytes },
    });
    const look = tracer.withSpan('look', async (image: string) => {
      await ask(tracer, tracer.wrapClient(newOpenAi(server.url)));
      return image.length;
    });
    await look(DATA_URL);
    return { bytes: JSON.stringify(spans).length, text: JSON.stringify(spans), media };
  };

  it('is stored once, and not with each span', async () => {
    const [whole, apart] = [await record(0), await record()];
    expect(whole.bytes).toBeGreaterThan(2 * BASE64.length);
    expect(apart.bytes).toBeLessThan(20_000);
    expect(apart.text).not.toContain(BASE64.slice(1000, 1100));
    expect(apart.media).toHaveLength(1);
    expect(apart.media[0]).toMatchObject({ type: 'image/png', size: IMAGE.length, data: BASE64 });
  });
});
