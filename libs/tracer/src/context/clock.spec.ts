import { setImmediate as nextTurn } from 'node:timers/promises';
import { from, lastValueFrom } from 'rxjs';
import { createTestTracer } from '../testing.js';
import { systemClock } from './clock.js';

const broken = (): never => {
  throw new Error('no time');
};

describe('a clock that throws', () => {
  it('costs neither a call nor a record: the system clock answers', async () => {
    const codes: string[] = [];
    const { tracer, spans } = createTestTracer(
      { unfinishedAfterMs: 1, logger: { warn: () => undefined }, onError: ({ code }) => codes.push(code) },
      { clock: { wallMs: broken, monotonicMs: broken } },
    );
    expect(tracer.withSpan('value', () => 1)()).toBe(1);
    const generate = tracer.withSpan('generator', function* () {
      yield 2;
    });
    expect([...generate()]).toEqual([2]);
    expect(await lastValueFrom(tracer.withSpan('observable', () => from([3]))())).toBe(3);
    void tracer.withSpan('open', () => new Promise(() => undefined))();
    while (spans.length < 4) await nextTurn();
    expect(spans.map(({ name, status }) => [name, status])).toEqual([
      ['value', 'ok'],
      ['generator', 'ok'],
      ['observable', 'ok'],
      ['open', 'unfinished'],
    ]);
    for (const { started_at } of spans) expect(Date.now() - Date.parse(started_at)).toBeLessThan(60_000);
    expect(codes).toEqual(['TRACER_RECORDING']);
  });
});

describe('the times of spans', () => {
  it('order calls at the same moment, each in a trace of its own', () => {
    const { tracer, spans } = createTestTracer();
    const count = tracer.withSpan('count', (n: number) => n);
    for (let n = 0; n < 200; n++) count(n);
    const byStart = spans.toSorted((a, b) => (a.started_at < b.started_at ? -1 : 1));
    expect(byStart.map(({ span_data }) => span_data.output)).toEqual(
      Array.from({ length: 200 }, (_, n) => n),
    );
  });

  it('are unique within a trace, even when the clock stops', async () => {
    const clock = { wallMs: () => 1_700_000_000_000, monotonicMs: () => 5 };
    const { tracer, spans } = createTestTracer({}, { clock });
    const child = tracer.withSpan('child', async (n: number) => Promise.resolve(n));
    await tracer.withSpan('parent', async () => Promise.all([child(0), child(1), child(2)]))();
    const ends = spans.map(({ ended_at }) => ended_at!);
    expect(ends).toEqual(ends.toSorted());
    const moments = [...ends, ...spans.map(({ started_at }) => started_at)];
    expect(new Set(moments).size).toBe(8);
  });

  it('never go back within a millisecond of a stopped wall clock', () => {
    const real = Date.now;
    try {
      for (let n = 0; n < 20; n++) {
        const setMs = real();
        Date.now = () => setMs;
        const times: number[] = [];
        for (const until = performance.now() + 2; performance.now() < until;)
          times.push(systemClock.wallMs());
        Date.now = real;
        expect(times.findIndex((time, at) => at > 0 && time < times[at - 1]!)).toBe(-1);
      }
    } finally {
      Date.now = real;
    }
  });

  it('stay in the millisecond of the wall clock when that is set', () => {
    const real = Date.now;
    try {
      for (const jumpMs of [0, -3_600_000, 7_200_000, 0]) {
        const setMs = real() + jumpMs;
        Date.now = () => setMs;
        const first = systemClock.wallMs();
        expect([Math.floor(first), systemClock.wallMs() >= first]).toEqual([setMs, true]);
      }
    } finally {
      Date.now = real;
    }
  });
});
