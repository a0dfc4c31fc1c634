import { meanDifference } from '../statistics/mean-difference.js';
import { wilsonInterval } from '../statistics/wilson-interval.js';
import type { TalliedItem } from './item-tally.js';
import type { RunSummary } from './run.js';
import { RunTally } from './run-tally.js';
import type { NamedScore } from './score.js';

const item = (itemNo: number, changes: Partial<TalliedItem> = {}): TalliedItem => ({
  itemNo,
  verdict: 'same',
  divergences: [],
  scores: [],
  ...changes,
});
const score = (value: NamedScore['score'], name = 'accuracy'): NamedScore[] => [{ name, score: value }];

function summarize(items: TalliedItem[], confidence?: number): RunSummary {
  const tally = new RunTally();
  for (const one of items) tally.add(one);
  return tally.summarize(confidence === undefined ? {} : { confidence });
}

describe('The totals of a run', () => {
  it('count verdicts, flags, divergences, skipped and missing items', () => {
    const tally = new RunTally();
    tally.add(item(0));
    tally.add(item(1, { failingAsBefore: true }));
    tally.add(item(2, { verdict: 'changed', fixed: true, divergences: [{}] }));
    tally.add(item(3, { verdict: 'unknown' }));
    tally.add(item(4, { verdict: 'error' }));
    tally.add(item(5, { accepted: true, divergences: [{}, {}] }));
    tally.add(item(6, { verdict: 'error', newError: true }));
    tally.skip('inside another call', 3);
    tally.skip('inside another call');
    tally.skip('beyond the limit');
    tally.miss();
    tally.miss(2);
    tally.lose(4);
    expect(tally.summarize().totals).toEqual({
      items: 7,
      same: 3,
      changed: 1,
      unknown: 1,
      error: 2,
      fixed: 1,
      failingAsBefore: 1,
      newErrors: 1,
      accepted: 1,
      diverged: 2,
      flaky: 0,
      missing: 3,
      unstored: 4,
      skipped: { 'inside another call': 4, 'beyond the limit': 1 },
    });
  });

  it('are 0 without items, and nothing is measured', () => {
    const summary = summarize([]);
    expect(summary).toEqual({
      confidence: 0.95,
      totals: expect.objectContaining({ items: 0, same: 0, missing: 0, skipped: {} }),
      scores: {},
      usage: {},
    });
  });

  it('do not change when items are added later', () => {
    const tally = new RunTally();
    tally.skip('a');
    const before = tally.summarize();
    tally.skip('a');
    tally.add(item(0));
    expect(before.totals).toMatchObject({ items: 0, skipped: { a: 1 } });
  });

  it('count an item as flaky when its repetitions have different verdicts or pass and fail', () => {
    const { totals, repeats } = summarize([
      item(0, { scores: score(true) }),
      item(0, { scores: score(true), verdict: 'changed' }),
      item(1, { scores: score(true) }),
      item(1, { scores: score(false) }),
      item(2, { scores: score(false) }),
      item(2, { scores: score(false) }),
    ]);
    expect(totals).toMatchObject({ items: 6, same: 5, changed: 1, flaky: 2 });
    expect(repeats!.same).toMatchObject({ k: 2, items: 3, flaky: 1, passHatK: 2 / 3, passAtK: 1 });
    expect(repeats!.scores['accuracy']).toMatchObject({ k: 2, items: 3, flaky: 1, passHatK: 1 / 3 });
  });

  it('report so far whether an item is flaky', () => {
    const tally = new RunTally();
    const marks: [boolean, boolean][] = [
      [true, true],
      [true, false],
      [false, false],
    ];
    for (const [itemNo, [first, second]] of marks.entries()) {
      tally.add(item(itemNo, { scores: score(first) }));
      expect(tally.isFlaky(itemNo)).toBe(false);
      tally.add(item(itemNo, { scores: score(second) }));
    }
    expect([0, 1, 2, 3].map((itemNo) => tally.isFlaky(itemNo))).toEqual([false, true, false, false]);
    tally.add(item(0, { scores: score(true), verdict: 'changed' }));
    expect(tally.isFlaky(0)).toBe(true);
  });

  it('have the differences of each score, for items with both sides', () => {
    const tally = new RunTally();
    tally.add(item(0, { scores: score(1), originalScores: score(0.25) }));
    tally.add(item(1, { scores: score(0), originalScores: [...score(1), ...score(1, 'tone')] }));
    tally.add(item(1, { scores: score(1), originalScores: score(1) }));
    tally.add(item(2, { scores: score(1) }));
    tally.add(item(3, { scores: score('text'), originalScores: score(1) }));
    expect(tally.differences()).toEqual({ accuracy: [0.75, -0.5] });
  });

  it('have no repeats when each item ran once, nor for scores that are not true or false', () => {
    expect(summarize([item(0), item(1)]).repeats).toBeUndefined();
    const numbers = [item(0, { scores: score(0.5) }), item(0, { scores: score(0.6) })];
    expect(summarize(numbers).repeats!.scores).toEqual({});
  });
});

describe('A score of a run', () => {
  it('has the mean over items with a number, and counts the others', () => {
    const { scores } = summarize([
      item(0, { scores: score(0.5) }),
      item(1, { scores: score(1) }),
      item(2, { scores: score(null) }),
      item(3, { scores: [] }),
      item(4, { scores: score(0) }),
    ]);
    expect(scores['accuracy']).toMatchObject({ mean: 0.5, n: 3, notApplicable: 1, missing: 1, worse: [] });
    // Three items are too few for an interval of numbers that are not all 0 or 1.
    expect(scores['accuracy']).not.toHaveProperty('interval');
    expect(scores['accuracy']).not.toHaveProperty('delta');
    expect(scores['accuracy']).not.toHaveProperty('labels');
  });

  it("has Wilson's interval when all scores are true or false", () => {
    const marks = [true, true, false, true];
    const { scores } = summarize(marks.map((mark, index) => item(index, { scores: score(mark) })));
    expect(scores['accuracy']).toMatchObject({ mean: 0.75, interval: wilsonInterval(3, 4) });
    const sure = summarize(
      marks.map((mark, index) => item(index, { scores: score(mark) })),
      0.99,
    );
    expect(sure).toMatchObject({
      confidence: 0.99,
      scores: { accuracy: { interval: wilsonInterval(3, 4, 0.99) } },
    });
  });

  it('has an interval between 0 and 1 for true or false, also with sessions and repetitions', () => {
    const ofSessions = Array.from({ length: 12 }, (_, index) =>
      item(index, { scores: score(true), sessionId: `s${index % 4}` }),
    );
    expect(summarize(ofSessions).scores['accuracy']!.interval).toEqual(wilsonInterval(4, 4));
    const repeated = Array.from({ length: 12 }, (_, index) => item(index % 6, { scores: score(index > 0) }));
    const { low, high } = summarize(repeated).scores['accuracy']!.interval!;
    expect(low).toBeGreaterThan(0.4);
    expect(high).toBeLessThanOrEqual(1);
  });

  it('has a wider interval when items of one session are not independent', () => {
    const items = [true, true, false, true].map((mark, index) =>
      item(index, { scores: score(mark), sessionId: index < 2 ? 'one' : `s${index}` }),
    );
    expect(summarize(items).scores['accuracy']!.interval).not.toEqual(wilsonInterval(3, 4));
    const apart = items.map((one, index) => ({ ...one, sessionId: `s${index}` }));
    expect(summarize(apart).scores['accuracy']!.interval).toEqual(wilsonInterval(3, 4));
  });

  it('has no interval with one number', () => {
    expect(summarize([item(0, { scores: score(0.5) })]).scores['accuracy']).not.toHaveProperty('interval');
  });

  it('averages repetitions of an item first', () => {
    const { scores } = summarize([
      item(0, { scores: score(true), originalScores: score(true) }),
      item(0, { scores: score(false), originalScores: score(true) }),
      item(0, { scores: score(false), originalScores: score(true) }),
      item(0, { scores: score(false), originalScores: score(true) }),
      item(1, { scores: score(true), originalScores: score(true) }),
    ]);
    expect(scores['accuracy']).toMatchObject({ mean: 0.625, n: 2, delta: { mean: -0.375, n: 2 } });
    expect(scores['accuracy']!.interval).not.toEqual(wilsonInterval(2, 5));
  });

  it('is missing if one repetition lacks it, and applies if one repetition has it', () => {
    const { scores } = summarize([
      item(0, { scores: score(1) }),
      item(0),
      item(1, { scores: score(null) }),
      item(1, { scores: score(1) }),
    ]);
    expect(scores['accuracy']).toMatchObject({ n: 2, missing: 1, notApplicable: 0 });
  });

  it("counts the candidate's labels, which have no mean", () => {
    const texts = ['billing', 'other', 'billing', null].map((text, index) =>
      item(index, { scores: score(text), originalScores: score(index < 2 ? 'spam' : null) }),
    );
    expect(summarize(texts).scores['accuracy']).toEqual({
      mean: null,
      n: 3,
      notApplicable: 1,
      missing: 0,
      labels: { billing: 2, other: 1 },
      worse: [],
      better: 0,
    });
  });

  it('compares with the baseline item by item, and lists worse items, the worst first', () => {
    const pairs: [number, number | null][] = [
      [0.5, 1],
      [1, 0.5],
      [0, 1],
      [1, 1],
      [1, null],
    ];
    const { scores } = summarize(
      pairs.map(([now, before], index) =>
        item(index, {
          scores: score(now),
          originalScores: score(before),
          ...(index === 2 && { sourceSpanId: 'span 2' }),
        }),
      ),
    );
    expect(scores['accuracy']).toMatchObject({
      mean: 0.7,
      n: 5,
      worse: ['span 2', '#0'],
      better: 1,
      delta: { mean: -0.25, n: 4 },
    });
  });

  it.each<[string, (pass: boolean) => NamedScore['score']]>([
    ['true or false', (pass) => pass],
    ['0 or 1', Number],
  ])("has McNemar's exact p when items are %s", (_, mark) => {
    const marks = (worse: number, better: number): TalliedItem[] =>
      Array.from({ length: 20 }, (__, index) =>
        item(index, {
          scores: score(mark(index >= worse)),
          originalScores: score(mark(index < worse || index >= worse + better)),
        }),
      );
    const seven = summarize(marks(7, 1)).scores['accuracy']!.delta!;
    expect(seven).toMatchObject({ mean: -0.3, n: 20, units: 20 });
    // 10,000 exchanges are drawn of 2^20; the exact p is 0.0703125.
    expect(Math.abs(seven.p - 0.0703125)).toBeLessThan(0.012);
    expect(seven.interval!.high).toBeGreaterThanOrEqual(0);
    const nine = summarize(marks(9, 1)).scores['accuracy']!.delta!;
    expect(Math.abs(nine.p - 0.021484375)).toBeLessThan(0.006);
    expect(nine.interval!.high).toBeLessThan(0);
  });

  it('has the interval of a mean when booleans and numbers are mixed', () => {
    const values = [true, 0.5, true, 0.25, 0.5, 0.75, 1];
    const { interval } = summarize(values.map((value, index) => item(index, { scores: score(value) })))
      .scores['accuracy']!;
    expect(interval).toEqual(meanDifference(values.map(Number)).interval);
  });

  it.each<[string, number, number]>([
    ['above 1 now', 3, 0.5],
    ['above 1 before', 0.5, 3],
    ['below 0', -2, 0],
  ])(
    'may have changed by more than 1 where one score is %s, and the others are between 0 and 1',
    (_, now, before) => {
      const sides = Array.from({ length: 8 }, (__, index) =>
        index === 0 ? [now, before] : [index / 8, index / 16],
      );
      const differences = sides.map(([after = 0, earlier = 0]) => after - earlier);
      const mirrored = sides.map(([after = 0, earlier = 0], index) =>
        item(index, { scores: score(after), originalScores: score(earlier) }),
      );
      expect(summarize(mirrored).scores['accuracy']!.delta).toEqual(meanDifference(differences));
    },
  );

  it('has a change bounded by its range when all scores are between 0 and 1', () => {
    const fell = Array.from({ length: 8 }, (_, index) =>
      item(index, { scores: score(0), originalScores: score(index < 4 ? 0 : 0.1) }),
    );
    expect(summarize(fell).scores['accuracy']!.delta!.interval!.low).toBeCloseTo(-0.05, 12);
    const rose = Array.from({ length: 8 }, (_, index) =>
      item(index, { scores: score(1), originalScores: score(index < 4 ? 1 : 0.9) }),
    );
    expect(summarize(rose).scores['accuracy']!.delta!.interval!.high).toBeCloseTo(0.05, 12);
  });

  it('counts the items whose baseline score comes from an earlier run', () => {
    const before = (reused?: true): NamedScore[] => [
      { name: 'accuracy', score: 1, ...(reused && { reused }) },
    ];
    const scored = (marks: (true | undefined)[]): TalliedItem[] =>
      marks.map((mark, index) => item(index, { scores: score(1), originalScores: before(mark) }));
    expect(summarize(scored([true, undefined, true])).scores['accuracy']!.reused).toBe(2);
    expect(summarize(scored([undefined])).scores['accuracy']).not.toHaveProperty('reused');
    const repeated = [
      item(0, { scores: score(1), originalScores: before(true) }),
      item(0, { scores: score(1) }),
    ];
    expect(summarize(repeated).scores['accuracy']!.reused).toBe(1);
  });

  it('is lost independently of other scores when each repetition has a baseline', () => {
    const both = (first: NamedScore['score'], second: NamedScore['score']): NamedScore[] => [
      ...score(first, 'first'),
      ...score(second, 'second'),
    ];
    const { scores } = summarize([
      item(0, { scores: both(1, 1), originalScores: both(1, 1) }),
      item(0, { scores: both(1, null), originalScores: both(1, 1) }),
    ]);
    expect(scores['first']).not.toHaveProperty('lost');
    expect(scores['second']).toMatchObject({ lost: 1 });
  });

  it('treats sessions as units, even if single items would be evidence', () => {
    const items = (sessions: number): TalliedItem[] =>
      Array.from({ length: 40 }, (_, index) =>
        item(index, {
          scores: score(index % 4 === 0 ? 0.5 : 0.3),
          originalScores: score(0.5),
          sessionId: `session ${index % sessions}`,
        }),
      );
    expect(summarize(items(40)).scores['accuracy']!.delta!.p).toBeLessThan(0.001);
    expect(summarize(items(4)).scores['accuracy']!.delta!.p).toBeGreaterThan(0.05);
  });
});

describe('The measures of a run', () => {
  it('have their differences from the baseline', () => {
    const { durations, usage } = summarize(
      Array.from({ length: 21 }, (_, index) =>
        item(index, {
          durationMs: 100 + index,
          originalDurationMs: 90 + index + (index % 2),
          timing: 'paired' as const,
          usage: { inputTokens: 10, outputTokens: index, costUsd: 0.5 },
          originalUsage: { inputTokens: 9, outputTokens: index },
        }),
      ),
    );
    expect(durations).toMatchObject({ n: 21, total: 2310, mean: 110, p95: 119 });
    expect(durations!.delta!.mean).toBeCloseTo(10 - 10 / 21, 9);
    expect(durations!.p95Delta!.mean).toBe(119 - 110);
    expect(durations!.p95Delta!.n).toBe(21);
    expect(Object.keys(usage)).toEqual(['tokens', 'inputTokens', 'outputTokens', 'costUsd']);
    expect(usage.tokens).toMatchObject({ n: 21, total: 420, mean: 20, delta: { mean: 1, n: 21 } });
    expect(usage.tokens!.delta!.p).toBeLessThan(0.001);
    expect(usage.tokens).not.toHaveProperty('p95Delta');
    expect(usage.costUsd).toEqual({ n: 21, total: 10.5, mean: 0.5, p95: 0.5 });
  });

  it('add every repetition to the total, and average repetitions for the mean', () => {
    const { usage } = summarize([
      item(0, { usage: { inputTokens: 10 } }),
      item(0, { usage: { inputTokens: 20 } }),
      item(1, { usage: { outputTokens: 5 } }),
      item(2),
    ]);
    expect(usage.tokens).toMatchObject({ n: 2, total: 35, mean: 10 });
    expect(usage.outputTokens).toMatchObject({ n: 1, total: 5 });
  });

  it.each<[string, number[], (now: number) => number[]]>([
    ['each with the one baseline that they share', [100, 100, 100], (now) => [now - 100, now, now + 100]],
    ['as one mean, where their baselines differ', [90, 100, 110], (now) => [now]],
  ])('compare repetitions %s', (_, baselines, pairDifferences) => {
    const items = [10, 20, 30, 40, 50].flatMap((now, itemNo) =>
      baselines.map((before, repetition) =>
        item(itemNo, {
          usage: { inputTokens: now + 100 * repetition },
          originalUsage: { inputTokens: before },
        }),
      ),
    );
    const differences = [10, 20, 30, 40, 50].map((now) => pairDifferences(now));
    expect(summarize(items).usage.inputTokens!.delta).toEqual(meanDifference(differences));
  });

  it('treat sessions as units, with the given confidence', () => {
    const items = Array.from({ length: 12 }, (_, index) =>
      item(index, {
        durationMs: 100 + ((index * 7) % 12),
        originalDurationMs: 100 - (index % 4),
        timing: 'paired' as const,
        sessionId: `s${index % 3}`,
      }),
    );
    const differences = items.map(
      ({ durationMs = 0, originalDurationMs = 0 }) => durationMs - originalDurationMs,
    );
    const clusters = items.map(({ sessionId }) => sessionId);
    const { delta, p95, p95Delta } = summarize(items, 0.9).durations!;
    expect(p95Delta).toMatchObject({ n: 12, units: 3 });
    expect(delta).toEqual(meanDifference(differences, { confidence: 0.9, clusters }));
    // Of 100 to 111, wherever the slow ones stand: 0.45 of the way from the last but one to the last.
    expect(p95).toBeCloseTo(110.45, 9);
  });

  it('have no tokens when only the cost is known', () => {
    const { usage } = summarize([item(0, { usage: { costUsd: 0.5 } })]);
    expect(Object.keys(usage)).toEqual(['costUsd']);
  });

  it('ignore values that are not numbers', () => {
    const { durations, scores } = summarize([
      item(0, { durationMs: NaN, scores: score(Infinity) }),
      item(1, { durationMs: 5, scores: score(1) }),
    ]);
    expect(durations).toMatchObject({ n: 1, mean: 5 });
    expect(scores['accuracy']).toMatchObject({ n: 1, missing: 1, mean: 1 });
  });
});

describe('A summary', () => {
  it('refuses an invalid confidence', () => {
    expect(() => new RunTally().summarize({ confidence: 95 })).toThrow('confidence must lie between 0 and 1');
  });
});
