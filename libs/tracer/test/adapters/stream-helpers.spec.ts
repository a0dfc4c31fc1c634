import OpenAI from 'openai';
import { createTestTracer } from '../../src/testing.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';

let server: ModelServer;
let openai: OpenAI;

beforeAll(async () => {
  server = await startModelServer();
  openai = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
});
afterAll(() => server.close());
beforeEach(() => {
  server.reply = () => ({ text: 'A mild day in Oslo.' });
});

const BODY = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'Weather?' }] };

function underTest() {
  const test = createTestTracer();
  const ask = test.tracer.withSpan('ask', { type: 'llm' }, () => openai.chat.completions.stream(BODY));
  return { ...test, ask };
}

describe('a span around the stream helper of an official client', () => {
  it('ends with the helper, when its final message is read', async () => {
    const { ask, spans } = underTest();
    const message = await ask().finalMessage();
    expect(message.content).toBe('A mild day in Oslo.');
    expect(spans).toMatchObject([
      { name: 'ask', status: 'ok', span_data: { meta: { stream: { items: 6 } } } },
    ]);
    expect(JSON.stringify(spans[0]!.span_data.output)).toContain('A mild d');
  });

  it('ends with the helper, when it is listened to', async () => {
    const { ask, spans } = underTest();
    let text = '';
    const helper = ask();
    await new Promise<void>((resolve) => helper.on('content', (delta) => (text += delta)).on('end', resolve));
    expect(text).toBe('A mild day in Oslo.');
    expect(spans).toMatchObject([{ status: 'ok' }]);
  });

  it('ends with the helper, when it is iterated over', async () => {
    const { ask, spans } = underTest();
    const chunks: unknown[] = [];
    for await (const chunk of ask()) chunks.push(chunk);
    expect(spans).toMatchObject([
      { status: 'ok', span_data: { meta: { stream: { items: chunks.length } } } },
    ]);
    expect(spans[0]!.span_data.output).toEqual(JSON.parse(JSON.stringify(chunks)));
  });

  it('returns the same helper to the caller', () => {
    const { tracer } = createTestTracer();
    const helper = openai.chat.completions.stream(BODY);
    helper.on('error', () => undefined).on('abort', () => undefined);
    expect(tracer.withSpan('ask', () => helper)()).toBe(helper);
    helper.abort();
  });

  it('is an error when the helper fails, and the error is as unhandled as before', async () => {
    server.reply = () => ({ status: 500 });
    const { ask, spans } = underTest();
    await expect(ask().finalMessage()).rejects.toThrow('500');
    expect(spans).toMatchObject([
      { status: 'error', span_data: { error: { message: expect.stringContaining('500') } } },
    ]);
  });

  it('is cancelled when the helper is aborted', async () => {
    const { ask, spans } = underTest();
    const helper = ask();
    helper.on('chunk', () => {
      helper.abort();
    });
    await expect(helper.done()).rejects.toThrow('abort');
    expect(spans).toMatchObject([{ status: 'cancelled' }]);
  });
});
