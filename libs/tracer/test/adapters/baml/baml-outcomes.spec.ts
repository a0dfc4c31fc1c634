import type { SpanRecord } from '@dacapo/protocol';
import { createTestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { b, useModelServer } from './baml-client.js';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  useModelServer(server.url);
});
afterAll(() => server.close());
beforeEach(() => {
  server.reply = () => ({});
  server.requests.length = 0;
});

/** Calls the prompt function inside a span, and tells what became of both. */
async function record(
  name: 'AskWithoutRoles' | 'AskWithRetry' | 'AskWithFallback' | 'ClassifyTicket',
  ...args: unknown[]
): Promise<{ span: SpanRecord; result: unknown; error: unknown }> {
  const { tracer, spans } = createTestTracer();
  const ask = tracer.withSpan(
    'ask',
    tracer.wrapFramework(b, b[name]) as (...all: unknown[]) => Promise<unknown>,
  );
  let error: unknown;
  const result = await ask(...args).catch((thrown: unknown) => {
    error = thrown;
  });
  return { span: spans[0]!, result, error };
}

describe('a call with several attempts', () => {
  it('records a retry after 429 as attempts in the order they were made in', async () => {
    let sent = 0;
    server.reply = () => (++sent <= 2 ? { status: 429, headers: { 'retry-after': '0' } } : {});
    const { span, result } = await record('AskWithRetry', 'hi');
    expect(result).toBe('Hello.');
    expect(span.span_data.contexts![1]!['attempts']).toMatchObject([
      { status: 429, selected: false },
      { status: 429, selected: false },
      { status: 200, selected: true },
    ]);
    expect(span.span_data.usage).toMatchObject({ attempts: 3, input_tokens: 12, output_tokens: 9 });
  });

  it('records a fallback with the client that answered as the selected one', async () => {
    server.reply = ({ model }) => ({
      status: model === 'always-500' ? 500 : model === 'always-429' ? 429 : 200,
    });
    const { span } = await record('AskWithFallback', 'hi');
    expect(span.span_data.contexts![0]).toMatchObject({ model: 'gpt-4o-mini', inputTokens: 12 });
    expect(span.span_data.contexts![1]!['attempts']).toMatchObject([
      { client: 'Failing', model: 'always-500', status: 500 },
      { client: 'Limited', model: 'always-429', status: 429 },
      { client: 'Chat', model: 'gpt-4o-mini', status: 200, selected: true },
    ]);
  });
});

describe('a call that fails', () => {
  it('records the prompt and all known facts, and rethrows the error of the runtime', async () => {
    server.reply = () => ({ status: 500 });
    const { span, error } = await record('AskWithoutRoles', 'hi');
    expect(error).toMatchObject({ name: 'BamlClientHttpError', status_code: 500 });
    expect(span).toMatchObject({ status: 'error', span_data: { error: { name: 'BamlClientHttpError' } } });
    expect(span.span_data.prompt).toBe('system:\nAnswer this: hi');
    expect(span.span_data.contexts).toMatchObject([
      { model: 'gpt-4o-mini', provider: 'openai', inputTokens: null, outputTokens: null },
      { attempts: [{ status: 500 }] },
    ]);
  });

  it('keeps the usage of a response that could not be parsed', async () => {
    server.reply = () => ({ text: 'I would rather not say.' });
    const { span, error } = await record('ClassifyTicket', 'hi');
    expect(error).toMatchObject({ name: 'BamlValidationError' });
    expect(span.span_data.contexts![0]).toMatchObject({ inputTokens: 12, outputTokens: 9 });
  });

  it('records a malformed response', async () => {
    server.reply = () => ({ malformed: true });
    const { span, error } = await record('AskWithoutRoles', 'hi');
    expect(error).toBeDefined();
    expect(span).toMatchObject({ status: 'error', span_data: { prompt: 'system:\nAnswer this: hi' } });
  });

  it('records an abort in the middle of the call', async () => {
    const abort = new AbortController();
    server.reply = () => {
      setTimeout(() => {
        abort.abort();
      });
      return { hang: true };
    };
    const { span, error } = await record('AskWithoutRoles', 'hi', { signal: abort.signal });
    expect(error).toMatchObject({ name: 'BamlAbortError' });
    expect(span).toMatchObject({ status: 'error', span_data: { prompt: 'system:\nAnswer this: hi' } });
    expect(span.span_data.contexts![0]!['durationMs']).toBeGreaterThan(0);
  });

  it('records only the error when nothing was sent', async () => {
    const aborted = await record('AskWithoutRoles', 'hi', { signal: AbortSignal.abort() });
    expect(aborted.error).toMatchObject({ name: 'BamlAbortError' });
    expect(aborted.span.span_data.contexts).toBeUndefined();
    const misused = await record('AskWithoutRoles', { not: 'a string' });
    expect(misused.error).toMatchObject({ name: 'BamlInvalidArgumentError' });
    expect(misused.span.span_data.prompt).toBeUndefined();
  });
});

describe('calls at the same time', () => {
  it('keep 20 prompts, responses and usages apart', async () => {
    server.reply = ({ text }) => ({ text: `echo ${text}`, delayMs: text.length % 7 });
    const { tracer, spans } = createTestTracer();
    const ask = tracer.withSpan('ask', tracer.wrapFramework(b, b.AskGeneric));
    await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`q${'.'.repeat(index)}`)));
    expect(spans).toHaveLength(20);
    for (const { span_data } of spans) {
      const [question] = span_data.input as [string];
      expect(span_data.prompt).toBe(`system:\nBe brief.\n\nuser:\n${question}`);
      expect(span_data.output).toBe(`echo ${question}`);
      expect(span_data.contexts).toHaveLength(2);
    }
  });
});
