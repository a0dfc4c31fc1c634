import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, types } from 'node:util';
import type { SpanRecord } from '@dacapo/protocol';
import { startStoredSpansService, type StoredSpansService } from '../../test/service/stored-spans-service.js';
import type { EvaluateOptions } from '../options/evaluate-options.js';
import type { ReplayOptions } from '../options/replay-options.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import type { Tracer } from '../tracer.js';
import { showRecordedTimes } from './recorded-clock.js';
import type { ReplayResult } from '../replay-types.js';

const PlatformDate = globalThis.Date;
const HOUR_MS = 3_600_000;
/** A recorded time that is not near to now, and the first one of the recorded calls. */
const THEN_MS = PlatformDate.UTC(2020, 1, 29, 23, 59);

/** A time that was read within a minute from a moment on. */
const isFrom = (timeMs: number, fromMs: number): boolean => timeMs >= fromMs && timeMs < fromMs + 60_000;
const isThen = (timeMs: number): boolean => isFrom(timeMs, THEN_MS);
const isReal = (timeMs: number): boolean => isFrom(timeMs, PlatformDate.now() - 30_000);

afterEach(() => {
  // Whatever a replay did, it puts the platform's back.
  expect(globalThis.Date).toBe(PlatformDate);
  expect(Date.prototype.constructor).toBe(PlatformDate);
});

describe('a Date that shows recorded times', () => {
  /** What a piece of code gives under the Date that is global when it runs. */
  const SNIPPETS: Record<string, () => unknown> = {
    'a date of a number': () => new Date(5).toISOString(),
    'a date of parts': () => new Date(2020, 1, 2, 3, 4, 5, 6).getTime(),
    'a date of a text': () => new Date('2020-01-02T03:04:05Z').getTime(),
    'a date of a date': () => new Date(new Date(7)).getTime(),
    'a date of undefined': () => new Date(undefined as unknown as number).getTime(),
    'parse and UTC': () => [Date.parse('2020-01-02'), Date.UTC(2020, 1)],
    'length and name': () => [Date.length, Date.name],
    'the type of all': () => [typeof Date, typeof Date(), typeof Date.now(), typeof new Date()],
    'its own names': () => Object.getOwnPropertyNames(Date).sort(),
    'instanceof, both ways': () => [
      new Date() instanceof Date,
      new PlatformDate() instanceof Date,
      new Date() instanceof PlatformDate,
    ],
    'the constructor of a value': () => [
      new Date(5).constructor === Date,
      new PlatformDate(5).constructor === Date,
    ],
    'the prototype': () => [
      Date.prototype === PlatformDate.prototype,
      Object.getPrototypeOf(new Date()) === Date.prototype,
    ],
    'the tag': () => Object.prototype.toString.call(new Date()),
    'types.isDate': () => types.isDate(new Date()),
    structuredClone: () => structuredClone({ at: new Date(5) }).at.toISOString(),
    JSON: () => JSON.stringify(new Date(5)),
    'deep equality': () => [
      isDeepStrictEqual(new Date(5), new PlatformDate(5)),
      isDeepStrictEqual(new Date(5), new Date(6)),
    ],
    'a subclass': () => {
      class Day extends Date {
        static readonly unit = 'day';
        get day(): number {
          return this.getUTCDate();
        }
      }
      const day = new Day('2020-01-02');
      (Day as { label?: string }).label = 'own';
      return [
        day.day,
        day instanceof Day,
        day instanceof Date,
        Day.unit,
        'label' in Date,
        new Day().constructor === Day,
      ];
    },
    'Reflect.construct with another new.target': () => {
      class Other {
        readonly own = true;
      }
      const made: object = Reflect.construct(Date, [5], Other);
      return [made instanceof Other, made instanceof Date, PlatformDate.prototype.getTime.call(made)];
    },
    'a call with arguments is the time as text': () =>
      (Date as unknown as (...args: unknown[]) => string)(5).slice(0, 15) ===
      new Date().toString().slice(0, 15),
    'a symbol of a key': () => new Date(5)[Symbol.toPrimitive]('number'),
  };

  it.each(Object.entries(SNIPPETS))(
    'is like the platform’s where it shows the real time: %s',
    (_, snippet) => {
      const real = snippet();
      const stop = showRecordedTimes();
      try {
        expect(globalThis.Date).not.toBe(PlatformDate);
        expect(snippet()).toEqual(real);
      } finally {
        stop();
      }
    },
  );

  it('stays until the last of several replays ends', () => {
    const [first, second] = [showRecordedTimes(), showRecordedTimes()];
    const replaced = Date;
    expect(replaced).not.toBe(PlatformDate);
    first();
    expect(Date).toBe(replaced);
    second();
    expect(Date).toBe(PlatformDate);
  });

  it('keeps a later wrapper, and does nothing when that restores the clock', () => {
    const stop = showRecordedTimes();
    const replaced = Date;
    class FakeDate extends PlatformDate {}
    globalThis.Date = FakeDate as DateConstructor;
    stop();
    expect(Date).toBe(FakeDate);
    globalThis.Date = replaced;
    expect(isReal(Date.now())).toBe(true);
    expect(isReal(new Date().getTime())).toBe(true);
    globalThis.Date = PlatformDate;
  });

  it('allows a spy on Date.now to count, and restores the function of the platform after the spy', () => {
    const { now } = PlatformDate;
    const stop = showRecordedTimes();
    const spy = jest.spyOn(Date, 'now').mockReturnValue(5);
    expect(Date.now()).toBe(5);
    spy.mockRestore();
    expect(isReal(Date.now())).toBe(true);
    stop();
    expect(PlatformDate.now).toBe(now);
  });
});

describe("a replay with clock: 'recorded'", () => {
  let recorded: TestTracer;
  let spans: SpanRecord[];
  let service: StoredSpansService;
  let test: TestTracer;

  beforeEach(async () => {
    recorded = createTestTracer();
    spans = [];
    service = await startStoredSpansService(spans);
    test = createTestTracer({ serviceUrl: service.url });
  });

  afterEach(() => service.close());

  /** Records what `build` makes once for each argument: as if the n-th call had been made n hours after the first one. */
  async function record(
    build: (tracer: Tracer) => (arg: never) => unknown,
    args: unknown[] = ['why'],
  ): Promise<void> {
    const desk = recorded.tracer.withSpan('desk', build(recorded.tracer));
    for (const arg of args) {
      const result: unknown = await Promise.resolve(desk(arg as never)).catch(() => undefined);
      if (typeof result === 'object' && result !== null && 'next' in result) Array.from(result as Generator);
    }
    const traces = [...new Set(recorded.spans.map(({ trace_id }) => trace_id))];
    for (const span of recorded.spans) {
      const agoMs = PlatformDate.parse(span.started_at) - THEN_MS - traces.indexOf(span.trace_id) * HOUR_MS;
      const before = (time: string): string =>
        new PlatformDate(PlatformDate.parse(time) - agoMs).toISOString().replace('Z', '000Z');
      spans.push({
        ...span,
        started_at: before(span.started_at),
        ...(span.ended_at !== undefined && { ended_at: before(span.ended_at) }),
      });
    }
  }

  const replay = async (
    build: (tracer: Tracer) => (arg: never) => unknown,
    options: ReplayOptions = {},
  ): Promise<ReplayResult> =>
    test.tracer.replay('desk', test.tracer.withSpan('desk', build(test.tracer)) as never, {
      clock: 'recorded',
      ...options,
    });

  it('starts at the recorded time for each way to read it, and continues in real time', async () => {
    await record(() => () => 0);
    const { items } = await replay(() => async () => {
      const first = Date.now();
      await sleep(20);
      return [first, new Date().getTime(), Date.parse(Date()) + 999, Date.now() - first];
    });
    const [now, made, text, passedMs] = items[0]!.result as number[];
    expect([now, made, text].every((time) => isThen(time!))).toBe(true);
    expect(passedMs).toBeGreaterThanOrEqual(15);
    expect(items[0]!.notes).toBeUndefined();
  });

  it('shows each of 50 concurrent items the time of its own call', async () => {
    const hours = Array.from({ length: 50 }, (_, hour) => hour);
    await record(() => () => 0, hours);
    const { items } = await replay(
      () => async (hour: number) => {
        const times = [];
        for (let turn = 0; turn < 5; turn++) {
          await sleep(Math.random() * 4);
          times.push(Date.now(), new Date().getTime());
        }
        return times.every((time) => isFrom(time, THEN_MS + hour * HOUR_MS));
      },
      { maxConcurrency: 50 },
    );
    expect(items.map(({ result }) => result)).toEqual(hours.map(() => true));
  });

  it('answers a prompt with the current date, which misses by the real clock', async () => {
    const build = (tracer: Tracer) => {
      const model = tracer.withSpan('model', { type: 'llm' }, async (prompt: string) =>
        Promise.resolve(`answer to ${prompt}`),
      );
      return async (question: string) =>
        model(`Today is ${new Date().toISOString().slice(0, 10)}. ${question}`);
    };
    const day = jest.spyOn(PlatformDate.prototype, 'toISOString');
    day.mockReturnValueOnce('2020-02-29T23:59:00.000Z');
    await record(build);
    day.mockRestore();
    const [then, real] = [
      await replay(build, { mock: 'all' }),
      await replay(build, { mock: 'all', clock: 'real' }),
    ];
    expect(then.items[0]).toMatchObject({ verdict: 'same', divergences: [] });
    expect(then.items[0]!.result).toContain('Today is 2020-02-29.');
    expect(real.items[0]).toMatchObject({ error: { code: 'TRACER_REPLAY_MOCK_MISS' } });
  });

  it('shows the real time in live model calls and inside them, and the recorded time in mocked ones and after', async () => {
    const build = (tracer: Tracer) => {
      const times: Record<string, number> = {};
      const sign = tracer.withSpan('sign', () => (times['sign'] = Date.now()));
      const model = tracer.withSpan('model', { type: 'llm' }, async () => {
        times['model'] = Date.now();
        await sleep(1);
        times['later'] = new Date().getTime();
        return sign();
      });
      const tool = tracer.withSpan('tool', { type: 'function' }, () => (times['tool'] = Date.now()));
      return async () => {
        await model();
        tool();
        times['desk'] = Date.now();
        return times;
      };
    };
    await record(build);
    const ofItem = async (options: ReplayOptions): Promise<Record<string, number>> => {
      const { items } = await replay(build, options);
      return items[0]!.result as Record<string, number>;
    };
    const running = await ofItem({ mock: 'none' });
    for (const place of ['model', 'later', 'sign'])
      expect([place, isReal(running[place]!)]).toEqual([place, true]);
    for (const place of ['tool', 'desk']) expect([place, isThen(running[place]!)]).toEqual([place, true]);
    const live = await ofItem({ mock: 'all', live: ['llm', 'function'] });
    expect([isReal(live['model']!), isThen(live['tool']!), isThen(live['desk']!)]).toEqual([
      true,
      true,
      true,
    ]);
    expect(Object.keys(await ofItem({ mock: 'all' }))).toEqual(['desk']);
  });

  it('shows the recorded time in a replayed model call itself, in hooks, generators and mock functions', async () => {
    await record((tracer) => {
      const tool = tracer.withSpan('tool', () => 0);
      return function* () {
        yield tool();
      };
    });
    let adaptedMs = 0;
    const { items } = await replay(
      (tracer) => {
        const tool = tracer.withSpan('tool', { mockOnReplay: () => Date.now(), type: 'llm' }, () => 0);
        return async function* () {
          yield tool();
          await sleep(1);
          yield Date.now();
        };
      },
      {
        mock: 'marked',
        adaptArgs: (args: unknown[]) => {
          adaptedMs = Date.now();
          return args;
        },
      } as ReplayOptions,
    );
    expect((items[0]!.result as number[]).map(isThen)).toEqual([true, true]);
    expect(isThen(adaptedMs)).toBe(true);
  });

  it('records real times in its own trace, and reports those of the item', async () => {
    const build = (tracer: Tracer) => {
      const tool = tracer.withSpan('tool', () => 0);
      return async () => {
        await sleep(5);
        return tool();
      };
    };
    await record(build);
    const { items } = await replay(build);
    expect(test.spans).toHaveLength(2);
    for (const { started_at, ended_at, trace_id } of test.spans) {
      expect([isReal(PlatformDate.parse(started_at)), isReal(PlatformDate.parse(ended_at!))]).toEqual([
        true,
        true,
      ]);
      expect(isReal(parseInt(trace_id.replace('-', '').slice(0, 12), 16))).toBe(true);
    }
    expect(items[0]!.durationMs).toBeLessThan(60_000);
  });

  it('shows the real time to evaluators, callbacks and code outside the replay', async () => {
    await record(() => () => 0);
    const times: number[] = [];
    const beside = setInterval(() => times.push(Date.now()), 1);
    await replay(() => () => sleep(10), {
      evaluators: { at: () => times.push(Date.now()) > 0 },
      same: () => times.push(Date.now()) > 0,
      onItem: () => times.push(new Date().getTime()),
    } as ReplayOptions);
    clearInterval(beside);
    expect(times.length).toBeGreaterThan(3);
    expect(times.every(isReal)).toBe(true);
  });

  it('shows both versions the recorded time when a function is the baseline', async () => {
    await record(() => () => 0);
    const { items } = await replay(() => () => isThen(Date.now()), {
      baseline: { function: () => isThen(new Date().getTime()) },
    });
    expect(items[0]).toMatchObject({ result: true, originalOutput: true, verdict: 'same' });
  });

  it('does not affect code that kept Date before', async () => {
    const { now } = Date;
    class EarlierDate extends Date {}
    await record(() => () => 0);
    const { items } = await replay(() => () => [now(), new EarlierDate().getTime()]);
    expect((items[0]!.result as number[]).map(isReal)).toEqual([true, true]);
  });

  it('leaves the fake timers of a test as they are', async () => {
    await record(() => () => 0);
    jest.useFakeTimers({
      now: 5_000,
      doNotFake: ['setTimeout', 'setImmediate', 'nextTick', 'performance', 'queueMicrotask'],
    });
    try {
      const { items } = await replay(() => () => {
        const first = Date.now();
        jest.setSystemTime(6_000);
        return [first, Date.now() - first];
      });
      expect(items[0]!.result).toEqual([THEN_MS, 1_000]);
      expect(Date.now()).toBe(6_000);
    } finally {
      jest.useRealTimers();
    }
  });

  it('puts the real Date back where calls fail, time out, or the run fails', async () => {
    await record(() => () => 0);
    await replay(() => () => {
      throw new Error('no');
    });
    expect(Date).toBe(PlatformDate);
    await replay(() => () => new Promise(() => undefined), { timeoutMs: 500 });
    expect(Date).toBe(PlatformDate);
    const failing = replay(() => () => 0, {
      onStart: () => {
        throw new Error('no start');
      },
    });
    await expect(failing).rejects.toThrow('no start');
  });

  it('refuses a list, of which nothing is recorded, and any other clock', async () => {
    const evaluate = (options: Partial<EvaluateOptions>): Promise<unknown> =>
      test.tracer.evaluate((...result: unknown[]): unknown => result, {
        data: [{ input: 'why' }],
        ...options,
      });
    await expect(evaluate({ clock: 'recorded' })).rejects.toThrow(
      'Option evaluate.clock is "recorded", but the items of a list have no recorded time. Remove it',
    );
    await expect(evaluate({ clock: 'frozen' as never })).rejects.toThrow(
      'Option evaluate.clock must be one of "real", "recorded", not "frozen".',
    );
  });
});
