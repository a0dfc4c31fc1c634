import type OpenAI from 'openai';
import { createTestTracer, type TestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';

export interface OpenAiUnderTest {
  readonly version: string;
  readonly OpenAI: typeof OpenAI;
}

export const KEY = 'openai.chat.completions.create';
export const BODY = {
  model: 'gpt-5-mini',
  messages: [
    { role: 'system' as const, content: 'Be brief.' },
    { role: 'user' as const, content: 'Weather?' },
  ],
  temperature: 0.2,
};

/** A bare and a wrapped client beside a model server, new for each test. */
export interface OpenAiScene {
  server: ModelServer;
  test: TestTracer;
  bare: OpenAI;
  client: OpenAI;
  newClient(options?: object): OpenAI;
}

export function openAiScene({ OpenAI }: OpenAiUnderTest): OpenAiScene {
  const scene = {
    newClient: (options: object = {}) =>
      new OpenAI({
        apiKey: 'k',
        baseURL: `${scene.server.url}/v1`,
        maxRetries: 0,
        logLevel: 'off',
        ...options,
      }),
  } as OpenAiScene;
  beforeAll(async () => {
    scene.server = await startModelServer();
  });
  afterAll(() => scene.server.close());
  beforeEach(() => {
    scene.server.reply = () => ({ text: 'A mild day in Oslo.' });
    scene.server.requests.length = 0;
    scene.test = createTestTracer();
    scene.bare = scene.newClient();
    scene.client = scene.test.tracer.wrapClient(scene.newClient());
  });
  return scene;
}
