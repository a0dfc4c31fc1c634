import { type Gate, latency, Random } from '@dacapo/evaluation';
import type { RecordedCallTree, SelectedCall } from '@dacapo/protocol';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import { startStoredSpansService } from '../../test/service/stored-spans-service.js';
import { Capturer } from '../capture/capturer.js';
import type { RunOptions } from '../options/replay-options.js';
import { createTestTracer, type TestTracer } from '../testing.js';
import type { Replayable } from './replay-call.js';
import type { ReplayResult } from '../replay-types.js';
import { Replayer } from './replayer.js';
import { MemoryRunSource } from './source/memory-run-source.js';

/** Calls of a function that gives twice what it gets, with one call inside that was recorded. */
function storedCalls(count: number): SelectedCall[] {
  return Array.from({ length: count }, (_, n) => {
    const base = { trace_id: newTraceId(), type: 'llm', status: 'ok' } as const;
    const call: RecordedCallTree = {
      ...base,
      span_id: newSpanId(),
      name: 'desk',
      started_at: '2026-01-31T12:00:00.000000Z',
      input: [n],
      output: 2 * n,
      duration_ms: 900,
    };
    const inner = {
      ...base,
      span_id: newSpanId(),
      parent_id: call.span_id,
      name: 'model',
      trace_function_key: 'model',
      started_at: '2026-01-31T12:00:00.100000Z',
      input: [n],
      output: 2 * n,
      duration_ms: 800,
    };
    return { item_no: n, trace_id: call.trace_id, call: { ...call, descendants: [inner] } };
  });
}

describe('a baseline that is another version of the function', () => {
  let test: TestTracer;
  let clockMs: number;
  /** Which version was called with what, in order. */
  let made: string[];
  let model: (n: number) => number;

  beforeEach(() => {
    test = createTestTracer();
    clockMs = 0;
    made = [];
    model = test.tracer.withSpan('model', (n: number) => 2 * n);
  });

  const replay = (fn: Replayable, options: RunOptions, count = 20): Promise<ReplayResult> => {
    const replayer = new Replayer({
      source: new MemoryRunSource(storedCalls(count)),
      isRecorded: true,
      codecs: [],
      hooks: undefined,
      nowMs: () => clockMs,
      record: (key, plain) => test.tracer.withSpan(key, plain),
      capturer: new Capturer({}),
      onReportFailure: (error) => {
        throw error;
      },
    });
    return replayer.replay('desk', fn, { maxConcurrency: 1, ...options });
  };

  /** A version that takes as long as `getDuration` says, by the injected clock. */
  const version =
    (name: string, getDuration: () => number): Replayable =>
    (n) => {
      made.push(`${name} ${String(n)}`);
      clockMs += getDuration();
      return model(n as number);
    };

  const before = (getDuration = () => 100) => ({ function: version('before', getDuration) });
  const p95Ms: Gate = { p95Ms: { maxRise: 0 } };

  describe('runs', () => {
    it('next to the candidate, in alternating order, after three uncounted items', async () => {
      const run = await replay(
        version('now', () => 100),
        { baseline: before() },
        5,
      );
      expect(made).toEqual([
        'before 0',
        'now 0',
        'now 1',
        'before 1',
        'before 2',
        'now 2',
        'before 0',
        'now 0',
        'now 1',
        'before 1',
        'before 2',
        'now 2',
        'now 3',
        'before 3',
        'before 4',
        'now 4',
      ]);
      expect(run.totals).toMatchObject({ items: 5, same: 5 });
      expect(run.ranLive).toEqual({ model: 16 });
    });

    it('with each repetition, in alternating order', async () => {
      const run = await replay(
        version('now', () => 100),
        { baseline: before(), repeat: 2 },
        1,
      );
      expect(made).toEqual(['before 0', 'now 0', 'before 0', 'now 0', 'now 0', 'before 0']);
      expect(run.totals).toMatchObject({ items: 2, same: 2 });
    });

    it('with the same mocks, in the items that do not count too', async () => {
      let sent = 0;
      model = test.tracer.withSpan('model', { mockOnReplay: true }, () => ++sent);
      const run = await replay(
        version('now', () => 100),
        { baseline: before(), mock: 'marked' },
      );
      expect(run.totals).toMatchObject({ items: 20, same: 20 });
      expect(sent).toBe(0);
    });
  });

  describe('is the baseline of the verdict', () => {
    it('regardless of the recording', async () => {
      const negative: Replayable = (n) => -Number(n);
      const alike = await replay(negative, { baseline: { function: (n: number) => -n } }, 3);
      expect(alike.totals).toMatchObject({ items: 3, same: 3 });
      const other = await replay(negative, { baseline: { function: (n: number) => n + 1 } }, 3);
      expect(other.totals).toMatchObject({ items: 3, changed: 3 });
      expect(other.items[2]).toMatchObject({ result: -2, originalOutput: 3 });
    });

    it('and a candidate that does not fail as it did is fixed', async () => {
      const failing = (): never => {
        throw new Error('down');
      };
      expect((await replay((n) => n, { baseline: { function: failing } }, 1)).items).toMatchObject([
        { verdict: 'changed', fixed: true, originalError: { message: 'down' } },
      ]);
      expect((await replay(failing, { baseline: { function: (n: number) => n } }, 1)).totals.error).toBe(1);
    });

    it('and its scores are those of its own run', async () => {
      const isEven = ({ output }: { output: unknown }): boolean => Number(output) % 2 === 0;
      const baseline = { function: (n: number) => 2 * n + 1 };
      const run = await replay((n) => 2 * Number(n), { baseline, evaluators: { isEven } }, 8);
      expect(run.scores['isEven']).toMatchObject({ mean: 1, delta: { mean: 1, n: 8 } });
    });
  });

  describe('durations', () => {
    it('of a version that is 60 ms slower fail the gate', async () => {
      const run = await replay(
        version('now', () => 160),
        { baseline: before(), gate: p95Ms },
      );
      expect(run).toMatchObject({ passed: false, durations: { delta: { mean: 60, n: 20 } } });
      expect(run.failures.join()).toContain('The 95th percentile of durations rose by 60 ms');
    });

    it('of equal code pass, however slowly it starts and however the process drifts', async () => {
      for (let seed = 0; seed < 20; seed++) {
        const random = new Random(seed);
        let calls = 0;
        const equal = (): number => {
          const isCold = calls++ < 6;
          return 100 + calls + random.below(20) + (isCold ? 500 : 0);
        };
        const options = { baseline: before(equal), gate: { p95Ms: { maxRise: 10 } } };
        const run = await replay(version('now', equal), options);
        expect([seed, run.passed, run.failures]).toEqual([seed, true, []]);
      }
    });

    it('of items with mocked calls are not measured, and fail the gate', async () => {
      const options = { baseline: before(), mock: 'all', gate: p95Ms } as const;
      const run = await replay(
        version('now', () => 40),
        options,
      );
      expect(run.unmeasured).toEqual({
        durationMs: { items: 20, failed: 0, untold: 0, unseen: 0, unknown: 0, mocked: 20 },
      });
      expect(run.durations).not.toHaveProperty('delta');
      expect(run.durations).not.toHaveProperty('p95Delta');
      expect(run.passed).toBe(false);
      expect(run.failures.join()).toContain('20 with calls that were answered from the recording');
    });

    it('are not measured either when only the baseline had a mocked call', async () => {
      const plain: Replayable = (n) => 2 * Number(n);
      const run = await replay(plain, { baseline: before(), mock: 'all', gate: p95Ms });
      expect(run.unmeasured).toMatchObject({ durationMs: { items: 20, mocked: 20 } });
      expect(run.passed).toBe(false);
    });

    it('of unmocked items are compared under `mock: "all"` too', async () => {
      const plain = (n: number): number => 2 * n;
      const run = await replay(plain as Replayable, {
        baseline: { function: plain },
        mock: 'all',
        gate: p95Ms,
      });
      expect(run).toMatchObject({
        passed: true,
        items: [{ timing: 'paired' }, ...Array<object>(19).fill({})],
      });
    });

    it('against the recording are facts without a difference', async () => {
      const run = await replay(
        version('now', () => 40),
        {},
      );
      expect(run.items[0]).toMatchObject({ durationMs: 40, originalDurationMs: 900 });
      expect(run.items[0]).not.toHaveProperty('timing');
      expect(run.durations).toEqual({ n: 20, total: 800, mean: 40, p95: 40 });
    });
  });

  describe('the evaluator of latency', () => {
    it('does not apply to a call with mocked calls inside, and passes no gate for it', async () => {
      const gate = { scores: { latency: { min: 1 } } };
      const run = await replay(
        version('now', () => 1),
        { evaluators: [latency({ maxMs: 50 })], mock: 'all', gate },
        2,
      );
      expect(run.items.map(({ scores }) => scores)).toEqual(
        Array(2).fill([
          { name: 'latency', score: null, explanation: expect.stringContaining('recording') as string },
        ]),
      );
      expect(run.passed).toBe(false);
    });

    it('judges a baseline that ran in the same process, and no recorded one', async () => {
      const evaluators = [latency({ maxMs: 50 })];
      const beside = await replay(
        version('now', () => 40),
        { baseline: before(), evaluators },
        8,
      );
      expect(beside.scores['latency']).toMatchObject({ mean: 1, delta: { mean: 1, n: 8 } });
      const recorded = await replay(
        version('now', () => 40),
        { evaluators },
        8,
      );
      expect(recorded.scores['latency']).toMatchObject({ mean: 1, n: 8 });
      expect(recorded.scores['latency']).not.toHaveProperty('delta');
    });
  });

  describe('a limit on durations', () => {
    it.each(['recording', 'accepted', { testRunId: newTraceId() }] as const)(
      'is refused with the baseline %j',
      async (baseline) => {
        await expect(replay((n) => n, { baseline, gate: p95Ms }, 1)).rejects.toMatchObject({
          code: 'TRACER_INVALID_OPTION',
          message: expect.stringContaining('Compare with baseline: { function: previousVersion }') as string,
        });
        expect(made).toEqual([]);
      },
    );

    it('works with `self`, after items that do not count', async () => {
      const run = await replay(
        version('now', () => 100),
        { baseline: 'self', gate: p95Ms },
        8,
      );
      expect(run).toMatchObject({ passed: true, durations: { delta: { mean: 0, n: 8 } } });
      expect(made).toHaveLength(22);
    });
  });

  describe('of an item that could not be called', () => {
    const WARM_UP_CALLS = 6;

    /** The service does not find the trace of the next call after the warm-up, which is the baseline's. */
    const replayWithLoss = async (gate: Gate): Promise<ReplayResult> => {
      let modelCalls = 0;
      const calls = storedCalls(20).flatMap(({ call }) => call ?? []);
      const service = await startStoredSpansService(() => calls, {
        instead: ({ path }) => {
          if (!/traces\/[^/]+$/.test(path)) return undefined;
          return ++modelCalls === WARM_UP_CALLS + 1 ? { status: 404, body: {} } : undefined;
        },
      });
      const { tracer } = createTestTracer({ serviceUrl: service.url });
      const double = (n: number): number => 2 * n;
      try {
        return await tracer.replay('desk', double, {
          baseline: { function: double },
          adaptArgs: ([n]) => [n as number] as [number],
          maxConcurrency: 1,
          gate,
        });
      } finally {
        await service.close();
      }
    };

    it('fails a limit on durations, with the reason in a note of the item', async () => {
      const run = await replayWithLoss({ p95Ms: { maxRise: 60_000 } });
      expect(run.items[0]).toMatchObject({
        verdict: 'unknown',
        notes: [expect.stringContaining('the baseline could not be called: ') as string],
      });
      expect(run).toMatchObject({ passed: false, unmeasured: { durationMs: { items: 1, unpaired: 1 } } });
      expect(run.failures.join()).toContain('1 whose baseline was not timed');
    });

    it('passes a limit that allows it', async () => {
      const run = await replayWithLoss({ p95Ms: { maxRise: 60_000, unmeasured: 1 } });
      expect(run).toMatchObject({ passed: true, durations: { p95Delta: { n: 19 } } });
      expect(run.notes.join()).toContain('1 whose baseline was not timed; the gate allows 1');
    });

    it('reports nothing about its durations without a limit on them', async () => {
      expect(await replayWithLoss({ changed: 0, unknown: 1 })).toMatchObject({ passed: true });
    });
  });

  it('is refused unless it is a function, with a name that is not blank', async () => {
    for (const baseline of [
      { function: 'desk' },
      { function: () => 1, name: ' ' },
      { function: () => 1, key: 'a' },
    ])
      await expect(replay((n) => n, { baseline } as unknown as RunOptions)).rejects.toMatchObject({
        code: 'TRACER_INVALID_OPTION',
      });
  });

  it('replays the rest of a resumed run through both versions, and counts the reported items', async () => {
    const service = await startStoredSpansService(() => storedCalls(6).flatMap(({ call }) => call ?? []));
    const { tracer } = createTestTracer({ serviceUrl: service.url });
    const abort = new AbortController();
    const now = version('now', () => 100) as (n: number) => number;
    const options = { baseline: before(), maxConcurrency: 1 };
    const stop = {
      onItem: () => {
        abort.abort();
      },
      signal: abort.signal,
    };
    const cut = await tracer.replay('desk', now, { ...options, ...stop });
    expect(cut.totals).toMatchObject({ items: 1, missing: 5 });
    made = [];
    const rest = await tracer.replay('desk', now, { ...options, resume: cut.testRunId });
    expect(rest.totals).toMatchObject({ items: 6, same: 6, missing: 0 });
    expect(rest.durations?.delta?.n).toBe(6);
    expect(made.filter((call) => call.endsWith(' 0'))).toEqual([]);
    expect(service.reports).toMatchObject(Array(6).fill({ baseline: 'function', timing: 'paired' }));
    await service.close();
  });
});
