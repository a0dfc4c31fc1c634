import { createTestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { b, useModelServer } from './baml-client.js';

const LONG = 'A fairly long answer, so that the stream comes in several pieces. '.repeat(6).trim();

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  useModelServer(server.url);
});
afterAll(() => server.close());
beforeEach(() => {
  server.reply = () => ({ text: LONG });
  server.requests.length = 0;
});

type Prompt = 'AskWithoutRoles' | 'AskAnthropic' | 'AskGeneric' | 'AskGoogle';

function streaming(name: Prompt = 'AskWithoutRoles') {
  const test = createTestTracer();
  const method = b.stream[name];
  return {
    ...test,
    ask: test.tracer.withSpan('ask', { type: 'llm' }, test.tracer.wrapFramework(b, method)),
  };
}

describe('a stream of a prompt function', () => {
  it('is recorded to its end when it is iterated over', async () => {
    const { ask, spans } = streaming();
    const partials: string[] = [];
    for await (const partial of ask('hi')) partials.push(partial);
    expect(partials.at(-1)).toBe(LONG);
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      status: 'ok',
      span_data: { output: LONG, prompt: 'system:\nAnswer this: hi' },
    });
    expect(spans[0]!.span_data.meta!['stream']).toEqual({
      kind: 'baml-stream',
      items: partials.length,
      time_to_first_item_ms: expect.any(Number),
    });
    expect(spans[0]!.span_data.contexts![1]).toMatchObject({ timeToFirstTokenMs: expect.any(Number) });
    expect(spans[0]!.span_data.usage).toMatchObject({
      model: 'gpt-4o-mini',
      time_to_first_token_ms: expect.any(Number),
    });
  });

  it('is recorded when only its final response is read', async () => {
    const { ask, spans } = streaming();
    await expect(ask('hi').getFinalResponse()).resolves.toBe(LONG);
    expect(spans).toMatchObject([{ status: 'ok', span_data: { output: LONG } }]);
  });

  it('is recorded once when it is iterated and its final response is read', async () => {
    const { ask, spans } = streaming();
    const stream = ask('hi');
    for await (const partial of stream) expect(partial).toBeDefined();
    await stream.getFinalResponse();
    expect(spans).toHaveLength(1);
    expect(spans[0]!.span_data.contexts).toHaveLength(2);
  });

  it('is recorded through toStreamable', async () => {
    const { ask, spans } = streaming();
    const text = await new Response(ask('hi').toStreamable()).text();
    expect(text).toContain('"final"');
    expect(spans).toMatchObject([{ status: 'ok', span_data: { output: LONG } }]);
  });

  it('sends nothing and records nothing while nobody consumes it', () => {
    const { ask, spans } = streaming();
    ask('hi');
    expect(server.requests).toHaveLength(0);
    expect(spans).toHaveLength(0);
  });

  it('is cancelled when its consumer breaks off', async () => {
    const { ask, spans } = streaming();
    for await (const partial of ask('hi')) {
      expect(partial).toBeDefined();
      break;
    }
    expect(spans).toMatchObject([{ status: 'cancelled', span_data: { prompt: 'system:\nAnswer this: hi' } }]);
    expect(spans[0]!.span_data.contexts![0]!['durationMs']).toBeGreaterThan(0);
  });

  it('is no success when it is aborted', async () => {
    const abort = new AbortController();
    server.reply = () => {
      setTimeout(() => {
        abort.abort();
      });
      return { hang: true };
    };
    const { ask, spans } = streaming();
    const iterate = async (): Promise<void> => {
      for await (const partial of ask('hi', { signal: abort.signal })) expect(partial).toBeDefined();
    };
    await iterate().catch(() => undefined);
    expect(spans).toHaveLength(1);
    expect(['error', 'cancelled']).toContain(spans[0]!.status);
  });

  it('records the error that its final response rejects with', async () => {
    server.reply = () => ({ status: 500 });
    const { ask, spans } = streaming();
    await expect(ask('hi').getFinalResponse()).rejects.toThrow();
    expect(spans).toMatchObject([{ status: 'error', span_data: { prompt: 'system:\nAnswer this: hi' } }]);
  });

  it('takes the output tokens of an Anthropic stream from its end', async () => {
    const { ask, spans } = streaming('AskAnthropic');
    await ask('hi').getFinalResponse();
    expect(spans[0]!.span_data.contexts![0]).toMatchObject({
      provider: 'anthropic',
      inputTokens: 12,
      outputTokens: 9,
    });
  });

  it('is noted on the open span that consumes it', async () => {
    const { tracer, spans } = createTestTracer();
    const ask = tracer.wrapFramework(b, b.stream.AskWithoutRoles);
    const answer = tracer.withSpan('answer', async (text: string) => ask(text).getFinalResponse());
    await expect(answer('hi')).resolves.toBe(LONG);
    expect(spans).toMatchObject([
      { status: 'ok', span_data: { output: LONG, prompt: 'system:\nAnswer this: hi' } },
    ]);
  });

  it.each(['AskWithoutRoles', 'AskAnthropic', 'AskGeneric', 'AskGoogle'] as const)(
    'reports why %s stopped and which model answered, and a first token no later than the end',
    async (name) => {
      const { ask, spans } = streaming(name);
      for await (const partial of ask('hi')) expect(partial).toBeDefined();
      const [facts, more] = spans[0]!.span_data.contexts!;
      expect(more).toMatchObject({ finishReason: expect.any(String), responseModel: expect.any(String) });
      expect(more!['timeToFirstTokenMs']).toBeLessThanOrEqual(facts!['durationMs'] as number);
      expect(spans[0]!.duration_ms).toBeGreaterThanOrEqual(
        spans[0]!.span_data.meta!.stream!.time_to_first_item_ms!,
      );
    },
  );
});
