import { DisabledSink } from './assembly.js';
import { createTestTracer } from './testing.js';
import { Tracer } from './tracer.js';
import { DEFAULT_SERVICE_URL, resolveTracerOptions } from './options/tracer-options.js';

function collectingLogger(): { warn(message: string): void; lines: string[] } {
  const lines: string[] = [];
  return { warn: (message) => void lines.push(message), lines };
}

describe('options (SPEC 4.2 constructor)', () => {
  it('have the defaults of the specification', () => {
    expect(resolveTracerOptions({ apiKey: 'k' })).toMatchObject({
      apiKey: 'k',
      serviceUrl: DEFAULT_SERVICE_URL,
      timeoutMs: 120_000,
      enabled: true,
      envVars: {},
      sampleRate: 1,
    });
  });

  it.each([
    ['serviceUrl', { serviceUrl: 'ftp://x' }, 'Option serviceUrl must be an http or https address'],
    [
      'serviceUrl',
      { serviceUrl: 'collector:4100/x y' },
      'Option serviceUrl must be an http or https address',
    ],
    ['timeout', { timeout: 0 }, 'Option timeout must be a number of milliseconds above 0'],
    ['sampleRate', { sampleRate: 2 }, 'Option sampleRate must be a number from 0 to 1'],
    [
      'envVars',
      { envVars: { OPENAI_API_KEY: undefined as never } },
      'an object of strings, and its OPENAI_API_KEY is undefined',
    ],
    ['capture', { capture: { maxFieldBytes: -1 } }, 'capture.maxFieldBytes'],
    ['serviceUrl that is no text', { serviceUrl: 4100 as never }, 'not 4100. Write it like http://127.0.0.1'],
    ['enabled', { enabled: 'false' as never }, 'Option enabled must be true or false, not "false".'],
    ['keepErrors', { keepErrors: 1 as never }, "write keepErrors: process.env.NAME === 'true'."],
    ['logger', { logger: {} as never }, 'Pass console, or { warn: (message) => … }.'],
    ['onError', { onError: 'log' as never }, 'Write it like onError: (error) => …'],
    ['envVars that are no object', { envVars: 'KEY=1' as never }, 'Option envVars must be an object'],
    ['timeout that no timer can wait', { timeout: 2 ** 31 }, 'above 0, at most 2147483647, not 2147483648'],
    ['codecs', { capture: { codecs: {} as never } }, 'Option capture.codecs must be a list.'],
    ['a codec', { capture: { codecs: [null as never] } }, 'Option capture.codecs has an entry that is not a'],
  ])('that cannot work fail at once: %s', (_, options, message) => {
    expect(() => new Tracer({ apiKey: 'k', ...options })).toThrow(message);
    expect(() => new Tracer({ apiKey: 'k', ...options })).toThrow(
      expect.objectContaining({ code: 'TRACER_INVALID_OPTION' }),
    );
  });
});

describe('options from elsewhere', () => {
  it('may have no prototype, be frozen, and contain undefined', async () => {
    const passed = {
      apiKey: 'k',
      timeout: undefined,
      capture: { redactionSecret: undefined },
      delivery: undefined,
    };
    const options = Object.freeze(Object.assign(Object.create(null) as object, passed));
    await new Tracer(options, { sink: new DisabledSink() }).shutdown();
  });

  it('are rejected when they are invalid', () => {
    expect(() => new Tracer(null as never)).toThrow("Write it like new Tracer({ apiKey: '…' }).");
  });

  it('leave the salt of the key where an unset one is passed on', () => {
    const recordToken = (apiKey: string, capture?: object): unknown => {
      const { tracer, spans } = createTestTracer({ apiKey, ...(capture && { capture }) });
      tracer.withSpan('k', (login: object) => Object.keys(login))({ password: 'hunter2' });
      return spans[0]?.span_data.input;
    };
    expect(recordToken('one', { redactionSecret: undefined })).toEqual(recordToken('one'));
    expect(recordToken('one', { redactionSecret: undefined })).not.toEqual(
      recordToken('two', { redactionSecret: undefined }),
    );
  });
});

describe('a missing key (SPEC 4.2: missing, empty or blank turns tracing off)', () => {
  it.each([
    ['missing', {}],
    ['undefined', { apiKey: undefined }],
    ['empty', { apiKey: '' }],
    ['blank', { apiKey: ' \t\n' }],
  ])('warns once and throws nothing when it is %s', async (_, options) => {
    const logger = collectingLogger();
    const tracer = new Tracer({ ...options, logger });
    const double = tracer.withSpan('k', (n: number) => n * 2);
    expect([double(2), double(3)]).toEqual([4, 6]);
    expect(await tracer.flush()).toBe(true);
    await tracer.shutdown();
    expect(logger.lines).toEqual([expect.stringContaining('TRACER_API_KEY')]);
    expect(tracer.enabled).toBe(false);
    expect(tracer.stats()).toMatchObject({ recorded: 0, delivered: 0, waiting: 0 });
  });
});

describe('enabled: false (SPEC 4.2)', () => {
  it('returns the function itself, without a warning or a record', () => {
    const logger = collectingLogger();
    const tracer = new Tracer({ apiKey: 'k', enabled: false, logger });
    const fn = (): number => 1;
    expect(tracer.withSpan('k', fn)).toBe(fn);
    expect(tracer.getFunction('k').withSpan({ type: 'llm' }, fn)).toBe(fn);
    expect(logger.lines).toEqual([]);
    expect(tracer.stats().recorded).toBe(0);
  });

  it('rejects what cannot work without the service, with the cure', async () => {
    const tracer = new Tracer({ logger: collectingLogger() });
    await expect(tracer.indexes.list()).rejects.toThrow(expect.objectContaining({ code: 'TRACER_DISABLED' }));
    await expect(tracer.replay('k', () => 1)).rejects.toThrow('Pass a non-blank apiKey');
  });
});

describe('sampleRate', () => {
  it('decides at the root, for the whole trace', () => {
    const { tracer, spans } = createTestTracer({ sampleRate: 0 });
    const inner = tracer.withSpan('inner', () => tracer.getCurrentSpan().traceId);
    const outer = tracer.withSpan('outer', () => inner());
    expect(outer()).toMatch(/^[0-9a-f-]{36}$/);
    expect(spans).toEqual([]);
  });
});

describe('unfinishedAfterMs', () => {
  it('sends an unfinished span, and the rest of it when it ends', async () => {
    const { tracer, spans } = createTestTracer({ unfinishedAfterMs: 1 });
    let finish: (value: string) => void = () => undefined;
    const wait = (question: string): Promise<string> =>
      new Promise((resolve) => {
        finish = (answer) => {
          resolve(question + answer);
        };
      });
    const slow = tracer.withSpan('k', wait)('in');
    while (spans.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    finish('out');
    await slow;
    expect(spans.map(({ status, span_data }) => [status, span_data.input, span_data.output])).toEqual([
      ['unfinished', ['in'], undefined],
      ['ok', undefined, 'inout'],
    ]);
    expect(spans[1]!.id).toBe(spans[0]!.id);
    expect(spans[1]!.span_data.meta).toMatchObject({ continues: true });
    expect(spans[0]).not.toHaveProperty('ended_at');
  });

  it('shutdown sends open spans', async () => {
    const { tracer, spans } = createTestTracer();
    void tracer.withSpan('k', () => new Promise(() => undefined))();
    await tracer.shutdown();
    expect(spans).toMatchObject([{ status: 'unfinished' }]);
  });
});
