import type { EvaluatorContext } from '@dacapo/evaluation';
import type { SpanRecord } from '@dacapo/protocol';
import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import type { RunOptions } from '../options/replay-options.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import type { ReplayItem } from '../replay-types.js';
import { storedItem } from './stored-item.js';

class Money {
  constructor(readonly cents: number) {}
}
class Price {
  constructor(readonly cents: number) {}
}
const bare = (properties: object): object => Object.assign(Object.create(null) as object, properties);

function failing(thrown: unknown): never {
  throw thrown;
}

const createArguments: (...returned: unknown[]) => object = function () {
  // eslint-disable-next-line prefer-rest-params
  return arguments;
};

describe('the verdict on a replayed call', () => {
  let recorded: TestTracer;
  let service: StoredSpansService;

  beforeEach(async () => {
    recorded = createTestTracer();
    service = await startStoredSpansService(recorded.spans, { media: recorded.media });
  });

  afterEach(() => service.close());

  async function replayOne(
    before: (...args: never[]) => unknown,
    now: (...args: never[]) => unknown,
    options: RunOptions = {},
  ): Promise<ReplayItem> {
    const call: (...args: never[]) => unknown = recorded.tracer.withSpan('desk', before);
    try {
      const returned = await call();
      if (typeof returned === 'object' && returned !== null && 'next' in returned)
        Array.from(returned as Generator);
    } catch {
      // That is what is recorded.
    }
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const { items } = await tracer.replay('desk', tracer.withSpan('desk', now), options as object);
    expect(service.reports.at(-1)).toMatchObject({ verdict: items[0]!.verdict });
    return items[0]!;
  }

  const gives = (value: unknown) => () => value;
  const long = 'x'.repeat(2_000_000);

  it.each<[string, unknown, unknown]>([
    ['other key order', { a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }],
    [
      'another order of a Map and a Set',
      new Map([
        ['a', 1],
        ['b', 2],
      ]),
      new Map([
        ['b', 2],
        ['a', 1],
      ]),
    ],
    ['a property that is undefined', { a: 1 }, { a: 1, b: undefined }],
    ['-0', 0, -0],
    ['undefined', undefined, undefined],
    ['a long text', `${long}end`, `${long}end`],
    ['bytes', Buffer.alloc(80_000, 'a'), Buffer.alloc(80_000, 'a')],
    ['dates and bigints', [new Date(5), 5n], [new Date(5), 5n]],
  ])('is same for %s', async (_, before, now) => {
    expect(await replayOne(gives(before), gives(now))).toMatchObject({ verdict: 'same' });
  });

  it.each<[string, unknown, unknown]>([
    ['a Date and its text', new Date(5), new Date(5).toISOString()],
    ['a Map and its entries', new Map([['a', 1]]), [['a', 1]]],
    ['a Set and its items', new Set([1]), [1]],
    ['a bigint and its digits', 5n, '5'],
    ['NaN and its name', NaN, 'NaN'],
    ['bytes and their base64', Buffer.from('abc'), Buffer.from('abc').toString('base64')],
    ['a URL and its text', new URL('http://a/'), 'http://a/'],
    ['another end of a long text', `${long}end`, `${long}END`],
    [
      'another last item of a long list',
      Array.from({ length: 300_000 }, () => 7),
      Array.from({ length: 300_000 }, (_, n) => (n === 299_999 ? 8 : 7)),
    ],
    ['other bytes', Buffer.alloc(80_000, 'a'), Buffer.alloc(80_000, 'b')],
    ['float noise', 0.3, 0.1 + 0.2],
    ['another class', new Money(5), new Price(5)],
    ['undefined and null', undefined, null],
  ])('is changed for %s', async (_, before, now) => {
    const item = await replayOne(gives(before), gives(now));
    expect(item.verdict).toBe('changed');
    expect(item.diff?.length).toBeGreaterThan(0);
  });

  it.each<[string, unknown, unknown]>([
    ['a name beside the items of an array', [1], Object.assign([1], { total: 3 })],
    ['data under a symbol of an array', [1], Object.assign([1], { [Symbol('unit')]: 3 })],
    ['data under a symbol of an object', { a: 1 }, { a: 1, [Symbol('unit')]: 3 }],
    ['a symbol of an object without a prototype', bare({ a: 1 }), bare({ a: 1, [Symbol('unit')]: 3 })],
    ['an arguments object', { 0: 1 }, createArguments(1)],
    ['a namespace of the language', {}, Math],
    ['a part that has more than a recording shows', { a: [{ 0: 1 }] }, { a: [createArguments(1)] }],
    ['an item that is read by a getter', [1], Object.defineProperty([1], 0, { get: () => 1 })],
  ])('is unknown for %s', async (_, before, now) => {
    const item = await replayOne(gives(before), gives(now));
    expect(item.verdict).toBe('unknown');
    expect(item.diff?.length).toBeGreaterThan(0);
  });

  it.each<[string, (value: unknown) => () => unknown]>([
    [
      'items of a stream',
      (item) =>
        function* () {
          yield item;
        },
    ],
    [
      'what a generator returned',
      (returned) =>
        // eslint-disable-next-line require-yield
        function* () {
          return returned;
        },
    ],
    ['properties of an error', (details) => () => failing(Object.assign(new Error('failed'), { details }))],
    ['an object that was thrown', (thrown) => () => failing(thrown)],
  ])('is unknown where %s have more than a recording shows', async (_, ending) => {
    const now = Object.assign([1], { total: 3 });
    expect((await replayOne(ending([1]), ending(now))).verdict).toBe('unknown');
  });

  it('is changed when something that is recorded differs next to it', async () => {
    const now = Object.assign([2], { total: 3 });
    expect((await replayOne(gives([1]), gives(now))).verdict).toBe('changed');
  });

  it('is unknown for values that are not recorded', async () => {
    recorded = createTestTracer({ capture: { output: false } });
    await service.close();
    service = await startStoredSpansService(recorded.spans);
    expect((await replayOne(gives(1), gives(1))).verdict).toBe('unknown');
  });

  it.each<[SpanRecord['status'], object]>([
    ['unfinished', { verdict: 'unknown' }],
    ['cancelled', { verdict: 'unknown' }],
    ['error', { verdict: 'changed', fixed: true, originalError: expect.any(Error) }],
  ])('on nothing, where nothing but the status %s is recorded, is not same', async (status, expected) => {
    recorded.tracer.withSpan('desk', gives(undefined))();
    Object.assign(recorded.spans[0]!, { status });
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const isExpected = (context: EvaluatorContext): boolean | null =>
      'expected' in context ? context.expected === context.output : null;
    const { items } = await tracer.replay('desk', tracer.withSpan('desk', gives(undefined)), {
      evaluators: { isExpected },
    });
    expect(items[0]).toMatchObject(expected);
    expect(items[0]!.scores).toMatchObject([{ name: 'isExpected', score: null }]);
  });

  it('is unknown when a consumer stopped early and the items so far are equal', async () => {
    const stream = (...items: number[]) =>
      function* (): Generator<number, string> {
        yield* items;
        return 'end';
      };
    const stopped = (): void => {
      const returned = recorded.tracer.withSpan('desk', stream(1, 2, 3))();
      returned.next();
      returned.return('stopped');
    };
    const replayItems = async (...items: number[]): Promise<string | undefined> => {
      const { tracer } = createTestTracer({ serviceUrl: service.url });
      const { items: replayedItems } = await tracer.replay('desk', tracer.withSpan('desk', stream(...items)));
      return replayedItems[0]?.verdict;
    };
    stopped();
    expect(recorded.spans[0]).toMatchObject({ status: 'cancelled', span_data: { output: [1] } });
    expect(await replayItems(1, 2, 3)).toBe('unknown');
    expect(await replayItems(2, 2, 3)).toBe('changed');
    expect(await replayItems()).toBe('changed');
  });

  it.each<[string, number[], number[], object]>([
    ['the same, by the same items', [1, 2], [1, 2], { verdict: 'same', failingAsBefore: true }],
    ['the same, before any item', [], [], { verdict: 'same', failingAsBefore: true }],
    ['an error, by another item', [1, 2], [1, 3], { verdict: 'error', diff: [{ path: '$[1]' }] }],
    ['an error, by fewer items', [1, 2], [1], { verdict: 'error' }],
    ['an error, by items where none came', [], [1], { verdict: 'error' }],
  ])('of streams that fail alike is %s', async (_, before, now, expected) => {
    const failing = (items: number[]) =>
      function* (): Generator<number> {
        yield* items;
        throw new Error('broken');
      };
    const item = await replayOne(failing(before), failing(now));
    expect(item).toMatchObject({ ...expected, error: { message: 'broken' } });
    expect(Object.hasOwn(item, 'failingAsBefore')).toBe('failingAsBefore' in expected);
  });

  it('is an error for a stream that fails as itself, after other items', async () => {
    const yielded = ['recorded', 'approved', 'REJECTED'];
    const failing = function* (): Generator<string | undefined> {
      yield yielded.shift();
      throw new Error('broken');
    };
    expect(await replayOne(failing, failing, { baseline: 'self' })).toMatchObject({
      verdict: 'error',
      diff: [{ path: '$[0]' }],
    });
    expect(service.reports.at(-1)).toMatchObject({ result: ['REJECTED'], original_output: ['approved'] });
  });

  it('is an error for a stream whose mapped items differ before it fails', async () => {
    const failing = (item: string) =>
      recorded.tracer.withSpan('desk', { captureOutput: (items) => ({ items }) }, function* () {
        yield item;
        throw new Error('broken');
      });
    expect(() => [...failing('approved')()]).toThrow('broken');
    const today = createTestTracer({ serviceUrl: service.url });
    const replayItems = async (item: string): Promise<ReplayItem | undefined> => {
      const now = today.tracer.withSpan('desk', { captureOutput: (items) => ({ items }) }, function* () {
        yield item;
        throw new Error('broken');
      });
      return (await today.tracer.replay('desk', now)).items[0];
    };
    expect(await replayItems('approved')).toMatchObject({ verdict: 'same', failingAsBefore: true });
    expect(await replayItems('REJECTED')).toMatchObject({ verdict: 'error', diff: [{ path: '$.items[0]' }] });
  });

  it('is unknown for values that have only a name', async () => {
    expect((await replayOne(gives([() => 1]), gives([() => 2]))).verdict).toBe('unknown');
  });

  const fails = (message: string) => (): never => {
    throw Object.assign(new Error(message), { code: 'E' });
  };

  it.each<[string, () => unknown, () => unknown, object]>([
    ['the same error is same, and told', fails('a'), fails('a'), { verdict: 'same', failingAsBefore: true }],
    ['another error is an error', fails('a'), fails('b'), { verdict: 'error' }],
    [
      'an error that was none is an error',
      gives(1),
      fails('a'),
      { verdict: 'error', error: { message: 'a' } },
    ],
    [
      'a value that was an error is changed, and fixed',
      fails('a'),
      gives(1),
      { verdict: 'changed', fixed: true },
    ],
  ])('%s', async (_, before, now, expected) => {
    expect(await replayOne(before, now)).toMatchObject(expected);
  });

  const throws = (thrown: unknown) => (): never => {
    throw thrown;
  };
  const chain = (length: number, end: string): Error =>
    length === 0 ? new Error(end) : new Error('c', { cause: chain(length - 1, end) });
  const gathered = (count: number, last: string): AggregateError =>
    new AggregateError([...Array.from({ length: count - 1 }, () => new Error('1')), new Error(last)], 'all');

  it.each<[string, (end: string) => unknown, string]>([
    ['unknown for the end of a long message', (end) => new Error('x'.repeat(20_000) + end), 'unknown'],
    ['unknown for the end of a long text that was thrown', (end) => 'x'.repeat(20_000) + end, 'unknown'],
    [
      'an error for the end of an object that was thrown',
      (end) => ({ a: 'x'.repeat(20_000) + end }),
      'error',
    ],
    [
      'unknown for a long code',
      (end) => Object.assign(new Error('a'), { code: 'x'.repeat(300) + end }),
      'unknown',
    ],
    ['unknown for a far cause', (end) => chain(12, end), 'unknown'],
    ['unknown for the last of many members', (end) => gathered(40, end), 'unknown'],
    ['an error for a near cause', (end) => chain(3, end), 'error'],
    ['an error for the last of few members', (end) => gathered(3, end), 'error'],
    ['an error for a member of a cause', (end) => new Error('a', { cause: gathered(2, end) }), 'error'],
    ['an error for a member of a member', (end) => new AggregateError([gathered(2, end)], 'a'), 'error'],
  ])('of two errors that differ late is %s', async (_, failure, verdict) => {
    expect((await replayOne(throws(failure('1')), throws(failure('2')))).verdict).toBe(verdict);
  });

  class HttpError extends Error {
    constructor(readonly status: number) {
      super('no');
    }
  }

  it.each<[string, unknown, unknown, string]>([
    ['same for the same properties', new HttpError(429), new HttpError(429), 'same'],
    ['an error for another property', new HttpError(429), new HttpError(500), 'error'],
    [
      'an error for another class',
      new Error('no'),
      Object.assign(new TypeError('no'), { name: 'Error' }),
      'error',
    ],
    ['an error for another object', { status: 429 }, { status: 500 }, 'error'],
  ])('of two errors of one name and message is %s', async (_, before, now, verdict) => {
    expect((await replayOne(throws(before), throws(now))).verdict).toBe(verdict);
  });

  it('counts the class and properties of errors that are returned', async () => {
    expect((await replayOne(gives([new HttpError(1)]), gives([new HttpError(1)]))).verdict).toBe('same');
    recorded.clear();
    const item = await replayOne(gives([new HttpError(1)]), gives([new HttpError(2)]));
    expect(item).toMatchObject({ verdict: 'changed', diff: [{ path: '$[0].status' }] });
  });

  it('is `same` when a mocked call throws an error with the recorded properties', async () => {
    const desk = ({ tracer }: TestTracer, ask: () => unknown): (() => unknown) => {
      const model = tracer.withSpan('model', { mockOnReplay: true }, ask);
      return tracer.withSpan('desk', () => {
        try {
          return model();
        } catch (error) {
          const { status, constructor } = error as HttpError;
          return [status, constructor.name, error instanceof Error];
        }
      });
    };
    expect(desk(recorded, throws(new HttpError(429)))()).toEqual([429, 'HttpError', true]);
    const today = createTestTracer({ serviceUrl: service.url });
    const { items } = await today.tracer.replay('desk', desk(today, gives('It ran.')), { mock: 'all' });
    expect(items).toMatchObject([{ verdict: 'same', divergences: [] }]);
  });

  it('is unknown for errors with withheld texts whose other parts are equal', async () => {
    const capture = { metadataOnly: true };
    recorded = createTestTracer({ capture });
    await service.close();
    service = await startStoredSpansService(recorded.spans);
    expect(recorded.tracer.withSpan('desk', throws(new Error('a')))).toThrow('a');
    const { tracer } = createTestTracer({ serviceUrl: service.url, capture });
    const { items } = await tracer.replay('desk', tracer.withSpan('desk', throws(new Error('b'))));
    expect(items).toMatchObject([{ verdict: 'unknown' }]);
  });

  it('includes the return value of a generator', async () => {
    const generator = (returned: number) =>
      function* (): Generator<number, number> {
        yield 1;
        return returned;
      };
    expect((await replayOne(generator(42), generator(42))).verdict).toBe('same');
    recorded.clear();
    const item = await replayOne(generator(42), generator(43));
    expect(item).toMatchObject({ verdict: 'changed', result: [1], originalOutput: [1] });
  });

  it('reports a different return value of a generator, also for a stored item', async () => {
    const generator = (returned: number) =>
      function* (): Generator<number, number> {
        yield 1;
        return returned;
      };
    const { diff } = await replayOne(generator(42), generator(43));
    expect(diff).toHaveLength(1);
    const [call] = recorded.spans;
    const { output, meta } = call!.span_data;
    const original = { original_output: output!, original_meta: { stream: meta!.stream! } };
    const stored = { ...service.reports.at(-1)!, ...original, verdict: 'changed' as const };
    expect(storedItem(stored, []).diff).toEqual(diff);
    // Of version 0.1, which did not tell what was returned.
    delete stored.meta;
    expect(storedItem({ ...stored, verdict: 'unknown' }, []).diff).toEqual([
      expect.objectContaining({ kind: 'unknown' }),
    ]);
  });

  it('excludes the return value of a generator when captureOutput maps its items, since it is not recorded', async () => {
    const generator = (returned: number): (() => Generator<number, number>) =>
      function* () {
        yield 1;
        return returned;
      };
    const captureOutput = (items: unknown): unknown => items;
    Array.from(recorded.tracer.withSpan('desk', { captureOutput }, generator(42))());
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const now = tracer.withSpan('desk', { captureOutput }, generator(42));
    expect((await tracer.replay('desk', now)).items).toMatchObject([{ verdict: 'same' }]);
  });

  it('excludes what may vary: ignore', async () => {
    const answer = (at: number) => ({ at: new Date(at), items: [{ id: at, text: 'a' }] });
    const options = { ignore: ['$.at', '$.items[*].id'] };
    const item = await replayOne(gives(answer(1)), gives(answer(2)), options);
    expect(item.verdict).toBe('same');
    expect(service.reports[0]).toMatchObject({ compared_by: { ignore: options.ignore } });
  });

  it('is the result of same, which receives both values', async () => {
    const seen: unknown[] = [];
    const same = (now: unknown, before: unknown): boolean => {
      seen.push(now, before);
      return Math.abs(Number(now) - Number(before)) < 0.01;
    };
    expect((await replayOne(gives(0.3), gives(0.1 + 0.2), { same })).verdict).toBe('same');
    expect(seen).toEqual([0.1 + 0.2, 0.3]);
    expect(service.reports[0]).toMatchObject({ compared_by: { same: true } });
  });

  it('is error when same throws', async () => {
    const item = await replayOne(gives(1), gives(2), {
      same: () => {
        throw new Error('no way to tell');
      },
    });
    expect(item).toMatchObject({ verdict: 'error', error: { message: 'no way to tell' } });
  });

  it('compares the results of captureOutput on both sides', async () => {
    const captureOutput = (output: unknown): unknown => (output as { text: string }).text;
    const wrap = ({ tracer }: TestTracer, at: number) =>
      tracer.withSpan('desk', { captureOutput }, () => ({ text: 'a', at }));
    wrap(recorded, 1)();
    const today = createTestTracer({ serviceUrl: service.url });
    const { items } = await today.tracer.replay('desk', wrap(today, 2));
    expect(items).toMatchObject([{ verdict: 'same', result: { text: 'a', at: 2 }, originalOutput: 'a' }]);
  });

  it('is separate from the inner calls: a missing guardrail is reported', async () => {
    const desk = ({ tracer }: TestTracer, isGuarded: boolean): (() => string) => {
      const guard = tracer.withSpan('guard', { type: 'guardrail' }, () => true);
      return tracer.withSpan('desk', () => (isGuarded && guard() ? 'a' : 'a'));
    };
    desk(recorded, true)();
    const today = createTestTracer({ serviceUrl: service.url });
    const run = await today.tracer.replay('desk', desk(today, false), { gate: { diverged: 0 } });
    expect(run.items).toMatchObject([
      { verdict: 'same', divergences: [{ kind: 'missing', path: ['guard'] }] },
    ]);
    expect(run).toMatchObject({
      totals: { same: 1, diverged: 1 },
      passed: false,
      failures: ['1 of 1 item made other inner calls than the recording; the gate allows none.'],
    });
    expect(run.toMarkdown()).toContain('Failed');
    expect(run.toJUnit()).toContain('<testsuites');
  });

  it('rejects an invalid gate or path before the first replay', async () => {
    let ran = false;
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const fn = (): boolean => (ran = true);
    await expect(tracer.replay('desk', fn, { gate: { chnaged: 0 } as object })).rejects.toThrow(/chnaged/);
    await expect(tracer.replay('desk', fn, { ignore: ['at'] })).rejects.toThrow(/at/);
    expect([ran, service.created]).toEqual([false, []]);
  });
});
