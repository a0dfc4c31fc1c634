import type { TracerOptions } from '../../src/options/tracer-options.js';
import { createTestTracer, type TestTracer } from '../../src/testing.js';
import { type ModelServer, startModelServer } from '../model-server/model-server.js';
import { type FunctionService, SOURCE, startFunctionService } from './function-service.js';
import { setLogLevel } from '@boundaryml/baml/logging';

const KEY = 'sk-very-secret-key';
const TICKET = { category: 'billing', summary: 'Charged twice' };

let models: ModelServer;
let service: FunctionService;
let nowMs: number;

beforeAll(() => {
  setLogLevel('OFF');
});
beforeEach(async () => {
  models = await startModelServer();
  models.reply = () => ({ text: JSON.stringify(TICKET) });
  service = await startFunctionService();
  service.push('ClassifyTicket', SOURCE);
  nowMs = 0;
});
afterEach(() => Promise.all([models.close(), service.close()]));

function testTracer(options: TracerOptions = {}): TestTracer {
  const envVars = { MODEL_KEY: KEY, MODEL_URL: `${models.url}/v1`, MODEL_HOST: models.url };
  const clock = { wallMs: () => 1_700_000_000_000 + nowMs, monotonicMs: () => nowMs };
  return createTestTracer({ serviceUrl: service.url, envVars, ...options }, { clock });
}

describe('SPEC 4.2 call', () => {
  it('runs the active version with the keys of envVars, and returns the typed result', async () => {
    const { tracer } = testTracer();
    const ticket = await tracer.call<typeof TICKET>('ClassifyTicket', { text: 'Charged twice' });
    expect(ticket).toEqual(TICKET);
    expect(models.requests).toHaveLength(1);
    expect(models.requests[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  it('records an llm span under the name, with prompt, usage and version, and without the key', async () => {
    const { tracer, spans } = testTracer();
    await tracer.call('ClassifyTicket', { text: 'Charged twice' });
    expect(spans).toHaveLength(1);
    expect(spans[0]).toMatchObject({
      trace_function_key: 'ClassifyTicket',
      name: 'ClassifyTicket',
      type: 'llm',
      status: 'ok',
      span_data: {
        input: [{ text: 'Charged twice' }],
        output: TICKET,
        prompt: 'system:\nClassify.\n\nuser:\nCharged twice',
        usage: { model: 'gpt-4o-mini', provider: 'openai', input_tokens: 12, output_tokens: 9 },
      },
    });
    expect(spans[0]!.span_data.contexts![0]).toEqual({ function: 'ClassifyTicket', version: 1 });
    expect(JSON.stringify(spans)).not.toContain(KEY);
  });

  it('nests under the span it is called in', async () => {
    const { tracer, spans } = testTracer();
    await tracer.withSpan('answer', async () => tracer.call('ClassifyTicket', { text: 'x' }))();
    expect(spans.map(({ name }) => name)).toEqual(['ClassifyTicket', 'answer']);
    expect(spans[0]!.parent_id).toBe(spans[1]!.id);
  });

  it('runs and records nothing when enabled is false, and needs a key to reach the service', async () => {
    const { tracer, spans } = testTracer({ enabled: false });
    await expect(tracer.call('ClassifyTicket', { text: 'x' })).resolves.toEqual(TICKET);
    expect(spans).toEqual([]);
    const keyless = testTracer({ apiKey: ' ', logger: { warn: () => undefined } });
    await expect(keyless.tracer.call('ClassifyTicket', { text: 'x' })).rejects.toMatchObject({
      code: 'TRACER_DISABLED',
    });
  });

  it('never reads keys from the environment of the process', async () => {
    process.env['MODEL_KEY'] = 'sk-from-the-process';
    try {
      const { tracer } = testTracer({ envVars: { MODEL_URL: `${models.url}/v1` } });
      await expect(tracer.call('ClassifyTicket', { text: 'x' })).rejects.toMatchObject({
        code: 'TRACER_FUNCTION_ENV_VAR_MISSING',
        envVar: 'MODEL_KEY',
      });
      expect(models.requests).toHaveLength(0);
    } finally {
      delete process.env['MODEL_KEY'];
    }
  });

  it('keeps the keys of tracers apart, although the runtime caches the last one', async () => {
    const rich = testTracer();
    const poor = testTracer({ envVars: { MODEL_URL: `${models.url}/v1`, MODEL_HOST: models.url } });
    await rich.tracer.call('ClassifyTicket', { text: 'x' });
    await expect(poor.tracer.call('ClassifyTicket', { text: 'x' })).rejects.toMatchObject({
      envVar: 'MODEL_KEY',
    });
    expect(models.requests).toHaveLength(1);
  });

  it('keeps 20 concurrent calls apart', async () => {
    models.reply = ({ text }) => ({
      text: JSON.stringify({ category: 'billing', summary: text }),
      delayMs: text.length % 7,
    });
    const { tracer, spans } = testTracer();
    const texts = Array.from({ length: 20 }, (_, index) => `t${'.'.repeat(index)}`);
    const results = await Promise.all(
      texts.map((text) => tracer.call<typeof TICKET>('ClassifyTicket', { text })),
    );
    expect(results.map(({ summary }) => summary)).toEqual(texts);
    for (const { span_data } of spans) {
      expect(span_data.prompt).toContain(`user:\n${(span_data.output as typeof TICKET).summary}`);
    }
    expect(service.answers).toEqual(['active 200']);
  });
});

describe('the version that call runs', () => {
  it('is fetched once while it is fresh, and by its ETag afterwards', async () => {
    const { tracer } = testTracer();
    for (const atMs of [0, 9_999, 10_000, 10_001, 20_000]) {
      nowMs = atMs;
      await tracer.call('ClassifyTicket', { text: 'x' });
    }
    expect(service.answers).toEqual(['active 200', 'active 304', 'active 304']);
  });

  it('changes when another one is activated', async () => {
    const { tracer, spans } = testTracer();
    await tracer.call('ClassifyTicket', { text: 'x' });
    service.push('ClassifyTicket', SOURCE.replace('Classify.', 'Classify with care.'));
    nowMs = 10_000;
    await tracer.call('ClassifyTicket', { text: 'x' });
    expect(spans[1]!.span_data.prompt).toContain('Classify with care.');
    expect(spans[1]!.span_data.contexts![0]).toMatchObject({ version: 2 });
  });

  it('can be pinned, and is then fetched only once', async () => {
    service.push('ClassifyTicket', SOURCE.replace('Classify.', 'Second.'));
    const { tracer, spans } = testTracer();
    await tracer.call('ClassifyTicket', { text: 'x' }, { version: 1 });
    nowMs = 1e9;
    await tracer.call('ClassifyTicket', { text: 'x' }, { version: 1 });
    expect(spans.map(({ span_data }) => span_data.prompt)).toEqual(
      Array(2).fill('system:\nClassify.\n\nuser:\nx'),
    );
    expect(service.answers).toEqual(['1 200']);
  });

  it('stays at the last known one while the service is away', async () => {
    const warnings: string[] = [];
    const { tracer } = testTracer({ logger: { warn: (line) => warnings.push(line) } });
    await tracer.call('ClassifyTicket', { text: 'x' });
    nowMs = 10_000;
    service.failWith = 503;
    await expect(tracer.call('ClassifyTicket', { text: 'x' })).resolves.toEqual(TICKET);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^TRACER_FUNCTION_VERSION_UNCHECKED: .* of ClassifyTicket could not be fetched, so calls run version \d/,
      ),
    ]);
    expect(warnings[0]).toContain('received 503');
    expect(warnings[0]).not.toContain('a hook or a getter');
  });
});

describe('options of call', () => {
  it('client: another client of the source', async () => {
    const { tracer, spans } = testTracer();
    await tracer.call('ClassifyTicket', { text: 'x' }, { client: 'Second' });
    expect(spans[0]!.span_data.usage).toMatchObject({ model: 'claude-sonnet-4-5', provider: 'anthropic' });
  });

  it('client: one of your own', async () => {
    const { tracer, spans } = testTracer();
    const options = { base_url: `${models.url}/v1`, api_key: 'sk-other' };
    await tracer.call(
      'ClassifyTicket',
      { text: 'x' },
      { client: { provider: 'openai', model: 'gpt-9', options } },
    );
    expect(models.requests[0]).toMatchObject({
      model: 'gpt-9',
      headers: { authorization: 'Bearer sk-other' },
    });
    expect(spans[0]!.span_data.usage).toMatchObject({ model: 'gpt-9' });
    expect(JSON.stringify(spans)).not.toContain('sk-other');
  });

  it('model: needs the usual key of its provider, and sends nothing without it', async () => {
    const { tracer } = testTracer();
    await expect(
      tracer.call('ClassifyTicket', { text: 'x' }, { model: 'openai/gpt-9' }),
    ).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_ENV_VAR_MISSING',
      envVar: 'OPENAI_API_KEY',
    });
    expect(models.requests).toHaveLength(0);
  });

  it('signal: rejects with its reason', async () => {
    const { tracer, spans } = testTracer();
    const abort = new AbortController();
    models.reply = () => {
      setTimeout(() => {
        abort.abort(new Error('enough'));
      });
      return { hang: true };
    };
    await expect(tracer.call('ClassifyTicket', { text: 'x' }, { signal: abort.signal })).rejects.toThrow(
      'enough',
    );
    await expect(tracer.call('ClassifyTicket', { text: 'x' }, { signal: abort.signal })).rejects.toThrow(
      'enough',
    );
    expect(spans.map(({ status }) => status)).toEqual(['error', 'error']);
  });

  it.each<[object, string]>([
    [{ version: 0 }, 'version'],
    [{ versoin: 2 }, 'versoin'],
    [{ model: 'gpt-4o' }, 'model'],
    [{ model: 'openai/gpt-4o', client: 'Main' }, 'model'],
  ])('%j cannot work, and says which option', async (options, option) => {
    const { tracer } = testTracer();
    await expect(tracer.call('ClassifyTicket', {}, options)).rejects.toMatchObject({
      code: 'TRACER_INVALID_OPTION',
      option,
    });
  });
});

describe('errors of call', () => {
  const call = (input: object = { text: 'x' }, name = 'ClassifyTicket', options = {}) =>
    testTracer().tracer.call(name, input, options);

  it('an unknown function or version', async () => {
    await expect(call({}, 'Nope')).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_NOT_FOUND',
      functionName: 'Nope',
    });
    await expect(call({}, 'ClassifyTicket', { version: 9 })).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_NOT_FOUND',
      version: 9,
    });
    await expect(call({}, '../keys')).rejects.toMatchObject({ code: 'TRACER_INVALID_OPTION' });
  });

  it.each([
    [{}, 'text', 'Parameter text of ClassifyTicket is missing.'],
    [{ text: 5 }, 'text', 'must be a String, not Number(5)'],
    [{ text: 'x', urgency: 'high' }, 'urgency', 'does not have the declared type; it is String("high")'],
    [{ text: 'x', urgencyy: 1 }, 'urgencyy', 'is not declared. Declared: text, urgency'],
    [[], 'input', 'must be an object of parameters'],
  ])('bad input %j names the parameter', async (input, parameter, message) => {
    await expect(call(input)).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_INPUT',
      parameter,
      message: expect.stringContaining(message),
    });
  });

  it.each([401, 429, 500])('a provider that answers %d', async (status) => {
    models.reply = () => ({ status });
    await expect(call()).rejects.toMatchObject({ code: 'TRACER_FUNCTION_PROVIDER', status });
  });

  it('a response that does not match the output type, with the text of the model', async () => {
    models.reply = () => ({ text: 'I would rather not.' });
    await expect(call()).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_OUTPUT',
      rawOutput: 'I would rather not.',
    });
  });

  it('a source that does not compile', async () => {
    service.push('Broken', 'function Broken( {');
    await expect(call({}, 'Broken')).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_SOURCE',
      message: expect.stringMatching(/Version 1 of Broken does not compile: .*Broken\.baml:1/s),
    });
  });

  it('a client that the source does not declare', async () => {
    await expect(call({ text: 'x' }, 'ClassifyTicket', { client: 'Nobody' })).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_FAILED',
      message: expect.stringContaining('Nobody'),
    });
    await expect(call({ text: 'x' }, 'ClassifyTicket', { model: 'nope/x' })).rejects.toMatchObject({
      code: 'TRACER_FUNCTION_FAILED',
      message: expect.stringContaining('nope'),
    });
  });

  it('are recorded on the span', async () => {
    const { tracer, spans } = testTracer();
    models.reply = () => ({ status: 500 });
    await expect(tracer.call('ClassifyTicket', { text: 'x' })).rejects.toThrow();
    expect(spans[0]).toMatchObject({
      status: 'error',
      span_data: {
        prompt: 'system:\nClassify.\n\nuser:\nx',
        error: { name: 'FunctionProviderError', code: 'TRACER_FUNCTION_PROVIDER' },
      },
    });
  });

  it('contain no stacks of the runtime', async () => {
    await expect(call({ text: 5 })).rejects.toMatchObject({
      message: expect.not.stringContaining('backtrace'),
    });
  });
});
