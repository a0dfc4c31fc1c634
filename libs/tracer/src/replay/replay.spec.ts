import type { RecordedCall, TestRunItemReport } from '@dacapo/protocol';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import { type Answer, startLoopbackService } from '../../test/service/loopback-service.js';
import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import { getCurrentSpan } from '../context/handles.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import { Tracer } from '../tracer.js';
import { REPLAY_HOOKS, type ReplayHooksOption } from './replay-hooks.js';
import type { ReplayOptions } from '../options/replay-options.js';

function recordedCall(input: unknown[], changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    trace_id: newTraceId(),
    span_id: newSpanId(),
    name: 'classify',
    type: 'llm',
    status: 'ok',
    started_at: '2026-01-31T12:00:00.000000Z',
    input: input as RecordedCall['input'] & object,
    output: `old ${String(input[0])}`,
    ...changes,
  };
}

describe('replay (SPEC 4.2)', () => {
  let service: StoredSpansService;
  let stored: RecordedCall[];
  let test: TestTracer;
  /** Answers in place of the service, if it does. */
  let instead: Answer;

  beforeEach(async () => {
    stored = [];
    instead = () => undefined;
    service = await startStoredSpansService(() => stored, { instead: (call) => instead(call) });
    test = createTestTracer({ serviceUrl: service.url });
  });

  afterEach(() => service.close());

  const reported = (): readonly TestRunItemReport[] => service.reports;

  it('replays every stored call through the new version and returns the result of SPEC 2.8', async () => {
    stored = [recordedCall(['a']), recordedCall(['b'])];
    const classify = test.tracer.withSpan('desk', async (text: string) => `new ${text}`);
    const result = await test.tracer.replay('desk', classify);
    expect(result).toMatchObject({
      testRunId: 'run-1',
      testRunUrl: 'http://desk/test-runs/run-1',
      items: [
        { input: ['a'], result: 'new a', originalOutput: 'old a', sourceTraceId: stored[0]!.trace_id },
        { input: ['b'], result: 'new b', originalOutput: 'old b', sourceTraceId: stored[1]!.trace_id },
      ],
    });
    expect(result.items.every((item) => !('error' in item))).toBe(true);
    expect(reported().map(({ result: output }) => output)).toEqual(['new a', 'new b']);
    expect(service.calls.at(-1)).toMatchObject({ path: '/api/v1/test-runs/run-1/finish' });
  });

  it('links each new span to the run and to its source', async () => {
    stored = [recordedCall(['a'])];
    const inner = test.tracer.withSpan('inner', () => 1);
    const { items } = await test.tracer.replay(
      'desk',
      test.tracer.withSpan('desk', () => inner()),
    );
    const [child, root] = test.spans;
    expect(root).toMatchObject({
      test_run_id: 'run-1',
      source_span_id: stored[0]!.span_id,
      trace_id: items[0]!.traceId,
    });
    expect(child).toMatchObject({ test_run_id: 'run-1', parent_id: root!.id });
    expect(child).not.toHaveProperty('source_span_id');
    expect(root).not.toHaveProperty('parent_id');
    expect(reported()).toMatchObject([{ new_trace_id: root!.trace_id, new_span_id: root!.id }]);
  });

  it('starts a trace of its own for each item, even inside an open span', async () => {
    stored = [recordedCall(['a']), recordedCall(['b'])];
    const fn = test.tracer.withSpan('desk', () => getCurrentSpan().traceId);
    const endpoint = test.tracer.withSpan('endpoint', async () => test.tracer.replay('desk', fn));
    const { items } = await endpoint();
    const endpointTrace = test.spans.at(-1)!.trace_id;
    expect(new Set([endpointTrace, ...items.map((item) => item.result)]).size).toBe(3);
  });

  it('SPEC 7: a failed item carries its error, the very object, and the others go on', async () => {
    stored = ['a', 'bad', 'c'].map((text) => recordedCall([text]));
    const error = new Error('refused');
    const fn = test.tracer.withSpan('desk', (text: string) => {
      if (text === 'bad') throw error;
      return text;
    });
    const { items } = await test.tracer.replay('desk', fn);
    expect(items.map((item) => item.error)).toEqual([undefined, error, undefined]);
    expect(items[1]).not.toHaveProperty('result');
    expect(items[1]).toMatchObject({ originalOutput: 'old bad', traceId: expect.any(String) });
    expect(reported()[1]).toMatchObject({ error: { name: 'Error', message: 'refused' } });
  });

  it('records a function that is not wrapped under the key', async () => {
    stored = [recordedCall(['a'])];
    await test.tracer.replay('desk', (text: string) => text);
    expect(test.spans).toMatchObject([{ trace_function_key: 'desk', test_run_id: 'run-1' }]);
  });

  it('limit: at most so many traces, over pages; default all', async () => {
    stored = Array.from({ length: 120 }, (_, n) => recordedCall([n]));
    const fn = test.tracer.withSpan('desk', (n: number) => n);
    expect((await test.tracer.replay('desk', fn)).items).toHaveLength(120);
    expect((await test.tracer.replay('desk', fn, { limit: 60 })).items).toHaveLength(60);
    expect((await test.tracer.replay('desk', fn, { limit: 0 })).items).toEqual([]);
  });

  it('traceIds: only these; one without such a call is an item that says so', async () => {
    stored = ['a', 'b', 'c'].map((text) => recordedCall([text]));
    const fn = test.tracer.withSpan('desk', (text: string) => text);
    const unknown = newTraceId();
    const { items } = await test.tracer.replay('desk', fn, { traceIds: [stored[1]!.trace_id, unknown] });
    expect(items).toMatchObject([
      { input: ['b'], result: 'b' },
      { sourceTraceId: unknown, error: { code: 'TRACER_CALL_NOT_FOUND' } },
    ]);
  });

  it.each([
    [undefined, 10],
    [3, 3],
  ])('maxConcurrency %p plays %d at one time', async (maxConcurrency, expected) => {
    stored = Array.from({ length: 40 }, (_, n) => recordedCall([n]));
    let running = 0;
    let most = 0;
    let open = (): void => undefined;
    const areSoMany = new Promise<void>((resolve) => (open = resolve));
    const fn = test.tracer.withSpan('desk', async () => {
      most = Math.max(most, ++running);
      if (running === expected) open();
      await areSoMany;
      running--;
    });
    await test.tracer.replay('desk', fn, { maxConcurrency });
    expect(most).toBe(expected);
  });

  it('reads streams to their end: the result is the list of items', async () => {
    stored = [recordedCall([2])];
    const fn = test.tracer.withSpan('desk', async function* (n: number) {
      for (let i = 0; i < n; i++) yield await Promise.resolve(i);
    });
    expect((await test.tracer.replay('desk', fn)).items[0]!.result).toEqual([0, 1]);
    const syncFn = test.tracer.withSpan('desk', function* (n: number) {
      for (let i = 0; i < n; i++) yield i;
    });
    expect((await test.tracer.replay('desk', syncFn)).items[0]!.result).toEqual([0, 1]);
  });

  it('passes the function its own arguments: changing them does not change the item', async () => {
    stored = [recordedCall([{ tags: ['x'] }])];
    const fn = test.tracer.withSpan('desk', (ticket: { tags: string[] }) => ticket.tags.pop());
    const { items } = await test.tracer.replay('desk', fn);
    expect(items[0]).toMatchObject({ input: [{ tags: ['x'] }], result: 'x' });
  });

  it('reports when a function gets a token for a masked value, and when it has one more parameter', async () => {
    stored = [
      recordedCall([{ apiKey: '[redacted:1]' }], { meta: { input: { redacted: ['/0/apiKey'] } } }),
      recordedCall(['b', 2]),
    ];
    const fn = test.tracer.withSpan('desk', (auth: unknown, second: unknown) => [auth, second]);
    const { items } = await test.tracer.replay('desk', fn);
    expect(items[0]!.notes).toEqual([
      'argument 1 at /apiKey was masked in the recording: the function receives the token',
      'the function has 2 parameters, but the call was recorded with 1: the others are undefined',
    ]);
    expect(items[1]).not.toHaveProperty('notes');
  });

  it('does not call the function with an input that was not recorded whole', async () => {
    stored = [recordedCall(['a'], { meta: { replayable: false } })];
    let calls = 0;
    const { items } = await test.tracer.replay(
      'desk',
      test.tracer.withSpan('desk', () => calls++),
    );
    expect(calls).toBe(0);
    expect(items).toMatchObject([{ error: { code: 'TRACER_CALL_NOT_REPLAYABLE' } }]);
  });

  describe('of a call whose objects lack only their methods', () => {
    class Ticket {
      constructor(readonly text: string) {}
      title(): string {
        return this.text.toUpperCase();
      }
    }
    const readTitle = (ticket: Ticket): string => ticket.title();

    beforeEach(() => {
      test.tracer.withSpan('desk', readTitle)(new Ticket('late'));
      const { input, meta } = test.spans.at(-1)!.span_data;
      stored = [recordedCall(input!, { meta: meta! })];
    });

    it('is rejected, with who can replay it', async () => {
      const { items } = await test.tracer.replay('desk', readTitle);
      expect(items).toMatchObject([
        {
          error: {
            code: 'TRACER_CALL_NOT_REPLAYABLE',
            message: expect.stringContaining('ReplayService') as string,
          },
        },
      ]);
    });

    it('is replayed by an integration that rebuilds the instances of their classes', async () => {
      const options: ReplayOptions & ReplayHooksOption = {
        [REPLAY_HOOKS]: {
          needsSource: false,
          rebuild: (args, instances) =>
            args.map((arg) => {
              expect(instances.get(arg as object)).toEqual({
                class: 'Ticket',
                pointer: '/0',
                hasMethods: true,
              });
              return new Ticket((arg as Ticket).text);
            }),
        },
      };
      const { items } = await test.tracer.replay('desk', readTitle, options);
      expect(items).toMatchObject([{ input: [{ text: 'late' }], result: 'LATE' }]);
    });
  });

  it('rejects a blank key, and a value that is not a function', async () => {
    await expect(test.tracer.replay(' ', () => 1)).rejects.toMatchObject({ option: 'traceFunctionKey' });
    const nothing = undefined as unknown as () => void;
    await expect(test.tracer.replay('desk', nothing)).rejects.toMatchObject({ option: 'fn' });
  });

  it('reports at once that the service is away, whatever waits to be sent', async () => {
    const away = await startLoopbackService(() => ({ body: {} }));
    await away.close();
    const logger = { warn: () => undefined };
    const tracer = new Tracer({ apiKey: 'k', serviceUrl: away.url, delivery: { spool: false }, logger });
    const desk = tracer.withSpan('desk', (text: string) => text);
    desk('waits');
    await expect(tracer.replay('desk', desk)).rejects.toMatchObject({ code: 'TRACER_SERVICE_UNREACHABLE' });
    expect(tracer.stats()).toMatchObject({ recorded: 1, waiting: 1 });
    await tracer.shutdown(0);
  });

  it('replays a call without arguments', async () => {
    stored = [recordedCall([], {})];
    delete stored[0]!.input;
    const { items } = await test.tracer.replay(
      'desk',
      test.tracer.withSpan('desk', (...args) => args.length),
    );
    expect(items).toMatchObject([{ input: [], result: 0 }]);
  });

  it.each([
    { limit: -1 },
    { limit: 1.5 },
    { maxConcurrency: 0 },
    { timeoutMs: 0 },
    { timeoutMs: 2 ** 31 },
    { mock: 'some' as 'all' },
    { onMockMiss: 'skip' as 'run' },
    { mocks: 'all' },
    { traceIds: 'one' as never },
    { traceIds: [1] as never },
    { traceIds: ['no-uuid'] },
  ])('refuses %j', async (options) => {
    await expect(test.tracer.replay('desk', () => 1, options)).rejects.toMatchObject({
      code: 'TRACER_INVALID_OPTION',
    });
  });

  it('names an invalid id', async () => {
    const options = { traceIds: [newTraceId(), 'no-uuid'] };
    await expect(test.tracer.replay('desk', () => 1, options)).rejects.toThrow(/not "no-uuid"\./);
  });

  it('accepts any maxConcurrency', async () => {
    stored = [recordedCall(['a'])];
    const { items } = await test.tracer.replay('desk', (text: string) => text, { maxConcurrency: 2 ** 40 });
    expect(items).toMatchObject([{ result: 'a' }]);
  });

  it('reports a trace without such a call to the service like any other item', async () => {
    const unknown = newTraceId();
    await test.tracer.replay('desk', () => 1, { traceIds: [unknown] });
    expect(reported()).toMatchObject([
      {
        item_no: 0,
        source_trace_id: unknown,
        error: { name: 'CallNotFoundError', code: 'TRACER_CALL_NOT_FOUND' },
      },
    ]);
    expect(reported()[0]).not.toHaveProperty('source_span_id');
  });

  it.each([
    ['never settles', () => new Promise<never>(() => undefined)],
    [
      'streams without an end',
      async function* () {
        yield 1;
        await new Promise<never>(() => undefined);
      },
    ],
  ])('goes on when a call %s: its item is an error after timeoutMs', async (_, hang) => {
    stored = [recordedCall(['hang']), recordedCall(['b'])];
    const fn = test.tracer.withSpan('desk', (text: string) => (text === 'hang' ? hang() : text));
    const { items } = await test.tracer.replay('desk', fn, { timeoutMs: 1000, maxConcurrency: 1 });
    expect(items).toMatchObject([
      {
        error: { code: 'TRACER_REPLAY_TIMEOUT', message: expect.stringContaining('not done after 1000 ms') },
      },
      { result: 'b' },
    ]);
    expect(items[0]).toMatchObject({ traceId: expect.any(String), durationMs: expect.any(Number) });
    expect(service.calls.at(-1)).toMatchObject({ path: '/api/v1/test-runs/run-1/finish' });
  });
});
