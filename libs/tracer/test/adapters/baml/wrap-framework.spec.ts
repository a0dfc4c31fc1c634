import { ClientRegistry, Collector, Image } from '@boundaryml/baml';
import { createTestTracer } from '../../../src/testing.js';
import { type ModelServer, startModelServer } from '../../model-server/model-server.js';
import { b, syncClient, useModelServer } from './baml-client.js';

const KEY = 'sk-very-secret-key';
const TICKET = '{"category": "billing", "summary": "Charged twice"}';

let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
  useModelServer(server.url, KEY);
});
afterAll(() => server.close());
beforeEach(() => {
  server.reply = () => ({});
  server.requests.length = 0;
});

describe('SPEC 4.2 wrapFramework', () => {
  it('notes the rendered messages as prompt, and model, provider, tokens and duration as one context', async () => {
    server.reply = () => ({ text: TICKET });
    const { tracer, spans } = createTestTracer({ frameworkClient: b });
    const classify = tracer.withSpan('classify', { type: 'llm' }, tracer.wrapFramework(b.ClassifyTicket));

    await expect(classify('I was charged twice')).resolves.toEqual({
      category: 'billing',
      summary: 'Charged twice',
    });

    const [span] = spans;
    expect(span).toMatchObject({ name: 'ClassifyTicket', type: 'llm', status: 'ok' });
    expect(span!.span_data.prompt).toMatch(
      /^system:\nClassify the support ticket\.[^]*\n\nuser:\nI was charged twice$/,
    );
    expect(span!.span_data.contexts![0]).toEqual({
      model: 'gpt-4o-mini',
      provider: 'openai',
      inputTokens: 12,
      outputTokens: 9,
      durationMs: expect.any(Number),
    });
    expect(span!.span_data.input).toEqual(['I was charged twice']);
    expect(span!.span_data.output).toEqual({ category: 'billing', summary: 'Charged twice' });
  });

  it('sums the usage of calls in one span', async () => {
    const { tracer, spans } = createTestTracer();
    const ask = tracer.wrapFramework(b, b.AskWithoutRoles);
    await tracer.withSpan('all', () => Promise.all(['a', 'b', 'c'].map((text) => ask(text))))();
    expect(spans[0]!.span_data.usage).toMatchObject({
      model: 'gpt-4o-mini',
      input_tokens: 36,
      output_tokens: 27,
      cached_input_tokens: 12,
      attempts: 3,
    });
  });

  it('notes further facts in a second context and in the usage', async () => {
    const { tracer, spans } = createTestTracer();
    await tracer.withSpan('ask', tracer.wrapFramework(b, b.AskWithoutRoles))('why?');
    expect(spans[0]!.span_data.contexts).toHaveLength(2);
    expect(spans[0]!.span_data.contexts![1]).toMatchObject({
      attempts: [{ client: 'Chat', provider: 'openai', model: 'gpt-4o-mini', status: 200, selected: true }],
      finishReason: 'stop',
      responseModel: 'gpt-4o-mini-2025',
      cachedInputTokens: 4,
    });
    expect(spans[0]!.span_data.usage).toEqual({
      model: 'gpt-4o-mini',
      response_model: 'gpt-4o-mini-2025',
      provider: 'openai',
      input_tokens: 12,
      output_tokens: 9,
      cached_input_tokens: 4,
      attempts: 1,
    });
  });

  it('keeps the signature and the result type of the method', async () => {
    const { tracer } = createTestTracer({ frameworkClient: b });
    const wrapped: typeof b.AskGeneric = tracer.wrapFramework(b.AskGeneric);
    const answer: string = await wrapped('hi', { tags: { a: 'b' } });
    expect(answer).toBe('Hello.');
    expect(wrapped).toHaveLength(b.AskGeneric.length);
  });

  it('calls the method without a collector outside a span', async () => {
    const { tracer, spans } = createTestTracer({ frameworkClient: b });
    await expect(tracer.wrapFramework(b.AskGeneric)('hi')).resolves.toBe('Hello.');
    expect(spans).toEqual([]);
  });

  it('calls the method as it is when tracing is off', async () => {
    const { tracer } = createTestTracer({ enabled: false, frameworkClient: b });
    await expect(tracer.withSpan('k', tracer.wrapFramework(b.AskGeneric))('hi')).resolves.toBe('Hello.');
  });

  it('works on a client of a derived class', async () => {
    const { tracer, spans } = createTestTracer();
    class SupportClient extends (b.constructor as new (...options: never[]) => typeof b) {}
    const client = Object.setPrototypeOf(b.withOptions({}), SupportClient.prototype) as SupportClient;
    await tracer.withSpan('ask', tracer.wrapFramework(client, client.AskWithoutRoles))('hi');
    expect(spans[0]!.span_data.prompt).toBe('system:\nAnswer this: hi');
  });

  it('works on the sync client, whose stream getter throws', () => {
    // The sync call blocks the event loop, so nothing of this process could answer it.
    const { tracer, spans } = createTestTracer();
    const ask = tracer.withSpan('ask', tracer.wrapFramework(syncClient, syncClient.AskWithoutRoles));
    expect(() => ask('hi', { env: { MODEL_URL: 'http://127.0.0.1:1/v1' } })).toThrow();
    expect(spans[0]).toMatchObject({ status: 'error', span_data: { prompt: 'system:\nAnswer this: hi' } });
  });
});

describe('the prompt of each provider', () => {
  const cases = [
    ['AskResponses', 'openai-responses', 'gpt-4.1-mini', 'gpt-4.1-mini-2025'],
    ['AskGeneric', 'openai-generic', 'llama-3.3-70b', 'llama-3.3-70b-2025'],
    ['AskAnthropic', 'anthropic', 'claude-sonnet-4-5', 'claude-sonnet-4-5'],
    ['AskGoogle', 'google-ai', 'gemini-2.5-flash', 'gemini-2.5-flash-001'],
    ['AskBedrock', 'aws-bedrock', 'amazon.nova-lite-v1:0', undefined],
  ] as const;

  it.each(cases)('%s reads the request shape of %s', async (name, provider, model, responseModel) => {
    const { tracer, spans } = createTestTracer();
    await tracer.withSpan('ask', tracer.wrapFramework(b, b[name]))('why?');
    const { prompt, contexts } = spans[0]!.span_data;
    expect(prompt).toBe('system:\nBe brief.\n\nuser:\nwhy?');
    expect(contexts![0]).toMatchObject({ provider, model, inputTokens: 12, outputTokens: 9 });
    expect(contexts![1]!['responseModel']).toBe(responseModel);
    expect(contexts![1]!['finishReason']).toBeDefined();
  });

  it('names a picture instead of printing it, and survives the opaque argument', async () => {
    const { tracer, spans } = createTestTracer();
    const describePicture = tracer.withSpan('describe', tracer.wrapFramework(b, b.DescribePicture));
    await describePicture(Image.fromBase64('image/png', 'iVBORw0KGgo='));
    expect(spans[0]!.span_data.prompt).toBe('user:\nWhat is in this picture?[image]');
    expect(spans[0]!.status).toBe('ok');
  });
});

describe('what a call omits', () => {
  it('records no key and no header, on success or failure', async () => {
    const { tracer, spans } = createTestTracer();
    const names = ['AskResponses', 'AskGeneric', 'AskAnthropic', 'AskGoogle', 'AskBedrock'] as const;
    for (const status of [200, 500]) {
      server.reply = () => ({ status });
      for (const name of names) {
        await tracer
          .withSpan(
            'ask',
            tracer.wrapFramework(b, b[name]),
          )('why?')
          .catch(() => undefined);
      }
    }
    expect(spans.length).toBe(10);
    expect(
      server.requests.every(
        ({ headers, path }) => JSON.stringify([headers, path]).includes(KEY) || /converse/.test(path),
      ),
    ).toBe(true);
    expect(JSON.stringify(spans)).not.toContain(KEY);
    expect(JSON.stringify(spans)).not.toMatch(/authorization|api-key/i);
  });
});

describe('the options of a call', () => {
  it('go on together with those of the client', async () => {
    const { tracer, spans } = createTestTracer();
    const [mine, perCall] = [new Collector('mine'), new Collector('per call')];
    const client = b.withOptions({ collector: mine, tags: { team: 'support' } });
    const ask = tracer.withSpan('ask', tracer.wrapFramework(client, client.AskGeneric));
    await ask('one');
    expect(mine.last?.usage.inputTokens).toBe(12);
    expect(mine.last?.tags).toMatchObject({ team: 'support' });
    await ask('two', { collector: [perCall] });
    expect(perCall.logs).toHaveLength(1);
    expect(mine.logs).toHaveLength(1);
    await ask('three', { collector: [] });
    await ask('four', {});
    expect(mine.logs).toHaveLength(2);
    expect(spans.map(({ span_data }) => span_data.contexts?.[0]?.['inputTokens'])).toEqual([12, 12, 12, 12]);
  });

  it('may contain onTick, which makes the call a stream', async () => {
    const { tracer, spans } = createTestTracer();
    const onTick = jest.fn();
    await tracer.withSpan('ask', tracer.wrapFramework(b, b.AskWithoutRoles))('hi', { onTick });
    expect(onTick).toHaveBeenCalled();
    expect(spans[0]!.span_data).toMatchObject({
      output: 'Hello.',
      prompt: 'system:\nAnswer this: hi',
      contexts: [{ model: 'gpt-4o-mini', inputTokens: 12, outputTokens: 9 }, {}],
    });
  });

  it('may be missing, as far as the client accepts that', async () => {
    const { tracer, spans } = createTestTracer();
    const ask = tracer.withSpan('ask', tracer.wrapFramework(b, b.AskGeneric));
    for (const options of [null, undefined, '', 0]) await ask('hi', options as unknown as object);
    expect(spans.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok']);
  });

  it('keep their places when optional parameters are omitted', async () => {
    server.reply = () => ({ text: TICKET });
    const { tracer, spans } = createTestTracer();
    const classify = tracer.withSpan('classify', tracer.wrapFramework(b, b.ClassifyTicket));
    await classify('a');
    await classify('b', 'editor');
    await classify('c', null, { tags: { a: 'b' } });
    expect(spans.map(({ span_data }) => span_data.contexts?.length)).toEqual([2, 2, 2]);
  });

  it('excludes observers and the environment from the record: the call stays replayable', async () => {
    const { tracer, spans } = createTestTracer();
    const ask = tracer.withSpan('ask', tracer.wrapFramework(b, b.AskGeneric));
    const watching = {
      collector: new Collector(),
      signal: new AbortController().signal,
      onTick: () => undefined,
    };
    await ask('one', { ...watching, env: { MODEL_KEY: KEY } });
    await ask('two', { ...watching, tags: { team: 'support' } });
    await ask('three', { clientRegistry: new ClientRegistry() });
    expect(spans.map(({ span_data }) => span_data.input)).toMatchObject([
      ['one'],
      ['two', { tags: { team: 'support' } }],
      ['three', {}],
    ]);
    // What is asked depends on a registry, and nothing tells what it holds.
    expect(spans.map(({ span_data }) => span_data.meta?.replayable)).toEqual([undefined, undefined, false]);
  });
});

describe('a method without its client', () => {
  it('reports it instead of an internal error', async () => {
    const { tracer } = createTestTracer({ logger: { warn: () => undefined } });
    await expect(tracer.wrapFramework(b.AskGeneric)('hi')).rejects.toMatchObject({
      code: 'TRACER_INVALID_OPTION',
      message: expect.stringContaining('frameworkClient is missing, and AskGeneric is a method'),
    });
    expect(() => tracer.wrapFramework(syncClient.AskGeneric)('hi')).toThrow('frameworkClient is missing');
  });

  it('keeps `this`', async () => {
    const { tracer } = createTestTracer({ logger: { warn: () => undefined } });
    const wrapped = tracer.wrapFramework(b.AskGeneric);
    await expect(wrapped.call(b, 'hi')).resolves.toBe('Hello.');
  });
});
