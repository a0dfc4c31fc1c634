import { RunTally } from '../run/run-tally.js';
import type { TalliedItem } from '../run/played-item.js';
import type { RunSummary } from '../run/run.js';
import type { NamedScore } from '../run/score.js';
import { decide } from './decide.js';
import type { Gate } from './gate.js';

type Changes = Partial<TalliedItem>;

function run(
  length: number,
  of: (index: number) => Changes = () => ({}),
  prepare?: (tally: RunTally) => void,
  confidence?: number,
) {
  const tally = new RunTally();
  prepare?.(tally);
  for (let itemNo = 0; itemNo < length; itemNo += 1)
    tally.add({ itemNo, verdict: 'same', divergences: [], scores: [], ...of(itemNo) });
  return tally.summarize(confidence);
}
const score = (value: NamedScore['score'], name = 'accuracy'): NamedScore[] => [{ name, score: value }];
const failuresOf = (summary: RunSummary, gate: Gate): string[] => {
  const { passed, failures } = decide(summary, gate);
  expect(passed).toBe(failures.length === 0);
  return failures;
};

describe('counts', () => {
  const verdicts = run(10, (index) => {
    if (index < 2) return { verdict: 'changed' };
    if (index === 2) return { verdict: 'unknown' };
    if (index < 6) return { verdict: 'error', divergences: [{}], durationMs: 5 };
    return {};
  });

  it.each<[Gate, string[]]>([
    [{}, []],
    [{ changed: 3 }, []],
    [{ changed: 2 }, ['3 of 10 items changed or cannot be compared (1 cannot); the gate allows at most 2.']],
    [{ changed: 2, unknown: 1 }, []],
    [{ changed: 1, unknown: 1 }, ['2 of 10 items changed; the gate allows at most 1.']],
    [{ changed: 2, unknown: 0 }, ['1 of 10 items cannot be compared; the gate allows none.']],
    [{ unknown: 0 }, ['1 of 10 items cannot be compared; the gate allows none.']],
    [{ unknown: 1 }, []],
    [{ errors: 3 }, []],
    [{ errors: 2 }, ['3 of 10 items have errors; the gate allows at most 2.']],
    [{ diverged: 3 }, []],
    [{ diverged: 0 }, ['3 of 10 items made other calls inside than recorded; the gate allows none.']],
    [{ minItems: 10 }, []],
    [{ minItems: 11 }, ['10 items were played; the gate asks for at least 11.']],
  ])('are exact limits: %j', (gate, failures) => {
    expect(failuresOf(verdicts, gate)).toEqual(failures);
  });

  it('note errors that they do not ask about, and fail for what was not played at all', () => {
    const failed = (count: number, changes: Changes = {}): RunSummary =>
      run(10, (index) => (index < count ? { verdict: 'error', ...changes } : {}));
    const called = decide(failed(3, { durationMs: 5 }), { changed: 0 });
    expect(called).toMatchObject({
      passed: true,
      notes: ['3 items have errors, which the gate sets no limit on.'],
    });
    expect(decide(failed(1, { durationMs: 5 }), {}).notes).toEqual([
      '1 item has an error, which the gate sets no limit on.',
    ]);
    for (const gate of [{}, { changed: 0 }, { minItems: 10 }, { scores: {} }]) {
      expect(failuresOf(failed(10), gate)).toEqual([
        '10 items could not be played. Look at the errors, or allow so many by errors.',
      ]);
    }
    expect(failuresOf(failed(1), {})).toEqual([
      '1 item could not be played. Look at the errors, or allow so many by errors.',
    ]);
    expect(decide(failed(3), { errors: 3 })).toEqual({ passed: true, failures: [], notes: [] });
    expect(failuresOf(failed(3), { errors: 2 })).toEqual([
      '3 of 10 items have errors; the gate allows at most 2.',
    ]);
  });

  it('speak of one as of one', () => {
    const one = run(1, () => ({ verdict: 'error' }));
    expect(failuresOf(one, { errors: 0, minItems: 2 })).toEqual([
      '1 item was played; the gate asks for at least 2.',
      '1 of 1 item has an error; the gate allows none.',
    ]);
  });

  it('of changed alone do not speak of unknown where there is none', () => {
    const changed = run(2, () => ({ verdict: 'changed' }));
    expect(failuresOf(changed, { changed: 0 })).toEqual(['2 of 2 items changed; the gate allows none.']);
  });
});

describe('what is missing', () => {
  it('fails a gate that asks nothing else: no item', () => {
    const none = ['No item was played. Check that the key exists and that the selection finds calls.'];
    expect(failuresOf(run(0), {})).toEqual(none);
    expect(failuresOf(run(0), { minItems: 5 })).toEqual(none);
    expect(failuresOf(run(0), { minItems: 0 })).toEqual([]);
  });

  it('fails a gate that asks nothing else: an item that was selected', () => {
    const missing = (count: number): RunSummary =>
      run(3, undefined, (tally) => {
        tally.miss(count);
      });
    expect(failuresOf(missing(1), {})).toEqual(['1 selected item is missing from the run.']);
    expect(failuresOf(missing(2), {})).toEqual(['2 selected items are missing from the run.']);
  });

  it('does not fail for what the selection left out on purpose', () => {
    expect(
      failuresOf(
        run(3, undefined, (tally) => {
          tally.skip('limit', 5);
        }),
        {},
      ),
    ).toEqual([]);
  });

  it('fails where a score that the gate names is not there', () => {
    const gate = { scores: { accuracy: {}, toString: { min: 0, maxDrop: 1 } } };
    expect(
      failuresOf(
        run(3, () => ({ scores: score(1) })),
        gate,
      ),
    ).toEqual(['There is no score toString. Scores of this run: accuracy.']);
    const two = run(1, () => ({ scores: [...score(1), ...score(1, 'tone')] }));
    expect(failuresOf(two, { scores: { other: {} } })).toEqual([
      'There is no score other. Scores of this run: accuracy, tone.',
    ]);
    expect(failuresOf(run(3), gate)).toEqual([
      'There is no score accuracy. Scores of this run: none.',
      'There is no score toString. Scores of this run: none.',
    ]);
  });

  it('fails where no item has a number, or some have none for a failure', () => {
    const gate = { scores: { accuracy: { min: 0, maxDrop: 1 } } };
    expect(
      failuresOf(
        run(3, () => ({ scores: score(null) })),
        gate,
      ),
    ).toEqual(['There is no score accuracy. No item has a number for it.']);
    const some = (count: number): RunSummary =>
      run(10, (index) => (index < count ? {} : { scores: score(1), originalScores: score(1) }));
    expect(failuresOf(some(1), gate)).toEqual([
      '1 item has no score accuracy: the call or the evaluator failed.',
    ]);
    expect(failuresOf(some(2), gate)).toEqual([
      '2 items have no score accuracy: the call or the evaluator failed.',
    ]);
  });

  it('does not fail where the evaluator says that it does not apply', () => {
    const some = run(10, (index) => ({ scores: score(index < 5 ? null : 1) }));
    expect(failuresOf(some, { scores: { accuracy: { min: 1 } } })).toEqual([]);
  });

  it('fails where there is no baseline to compare with, or nothing was measured', () => {
    const gate: Gate = {
      scores: { accuracy: { maxDrop: 0.1 } },
      p95Ms: { maxRise: 1 },
      tokens: { maxRise: 1 },
      costUsd: { maxRise: 1 },
    };
    const now = run(9, () => ({ scores: score(1), durationMs: 5, usage: { inputTokens: 5 } }));
    expect(failuresOf(now, gate)).toEqual([
      'accuracy has no baseline to have dropped from.',
      'The 95th percentile of durations has no baseline to have risen from.',
      'The mean number of tokens has no baseline to have risen from.',
      'The mean cost was not measured.',
    ]);
    expect(failuresOf(run(9), { p95Ms: {}, tokens: {}, costUsd: {} })).toEqual([]);
  });
});

describe('minima of scores', () => {
  it('are exact', () => {
    const summary = run(3, (index) => ({ scores: score(index === 0 ? 0 : 1) }));
    expect(failuresOf(summary, { scores: { accuracy: { min: 0.66 } } })).toEqual([]);
    expect(failuresOf(summary, { scores: { accuracy: { min: summary.scores['accuracy']!.mean! } } })).toEqual(
      [],
    );
    expect(failuresOf(summary, { scores: { accuracy: { min: 0.9 } } })).toEqual([
      'accuracy is 0.667 over 3 items; the gate asks for at least 0.9.',
    ]);
    const one = run(1, () => ({ scores: score(0) }));
    expect(failuresOf(one, { scores: { accuracy: { min: 1 } } })).toEqual([
      'accuracy is 0 over 1 item; the gate asks for at least 1.',
    ]);
  });
});

describe('drops and rises', () => {
  const dropped = (drops: number, length = 20): RunSummary =>
    run(length, (index) => ({ scores: score(index >= drops), originalScores: score(true) }));

  it('fail with evidence and beyond what is allowed', () => {
    expect(failuresOf(dropped(6), { scores: { accuracy: { maxDrop: 0 } } })).toEqual([
      'accuracy dropped by 0.3 (95 % interval 0.1 to 0.55, p = 0.031); the gate allows 0.',
    ]);
  });

  it('pass without evidence, however large they are', () => {
    expect(failuresOf(dropped(5), { scores: { accuracy: { maxDrop: 0 } } })).toEqual([]);
    expect(failuresOf(dropped(5, 5), { scores: { accuracy: { maxDrop: 0 } } })).toEqual([]);
  });

  it('pass within what is allowed, however sure they are', () => {
    expect(failuresOf(dropped(10, 100), { scores: { accuracy: { maxDrop: 0.1 } } })).toEqual([]);
    expect(failuresOf(dropped(11, 100), { scores: { accuracy: { maxDrop: 0.1 } } })).toHaveLength(1);
  });

  it('ask for more evidence where more confidence is asked for', () => {
    const gate = { scores: { accuracy: { maxDrop: 0 } } };
    expect(failuresOf(dropped(6), { ...gate, confidence: 0.99 })).toEqual([]);
    expect(failuresOf(dropped(5), { ...gate, confidence: 0.9 })).toHaveLength(0);
  });

  it('pass where the evidence is just what chance gives so often', () => {
    // Three of three one way is p = 0.25, and 0.5 as one of two.
    const dropping = (...names: string[]): RunSummary =>
      run(
        3,
        () => ({
          scores: names.flatMap((name) => score(false, name)),
          originalScores: names.flatMap((name) => score(true, name)),
        }),
        undefined,
        0.5,
      );
    const gate: Gate = { scores: { a: { maxDrop: 0 }, b: { maxDrop: 0 } }, confidence: 0.5 };
    expect(failuresOf(dropping('a', 'b'), gate)).toEqual([]);
    expect(failuresOf(dropping('a'), { ...gate, scores: { a: { maxDrop: 0 } } })).toHaveLength(1);
  });

  it('pass where the interval reaches to no rise, however little confidence the gate asks for', () => {
    const five = run(5, () => ({ usage: { inputTokens: 120 }, originalUsage: { inputTokens: 100 } }));
    expect(five.usage.tokens!.delta).toMatchObject({ p: 0.0625, interval: { low: 0, high: 20 } });
    expect(failuresOf(five, { tokens: { maxRise: 0 }, confidence: 0.9 })).toEqual([]);
  });

  it('are no failure in the good direction', () => {
    const better = run(20, (index) => ({
      scores: score(true),
      originalScores: score(index > 10),
      durationMs: 50,
      originalDurationMs: 100,
      timing: 'paired' as const,
    }));
    expect(failuresOf(better, { scores: { accuracy: { maxDrop: 0 } }, p95Ms: { maxRise: 0 } })).toEqual([]);
  });

  it('of several scores are held against each other as Holm does', () => {
    // 6 of 20 one way is p = 0.031 alone, and 0.0625 as one of two.
    const two = run(20, (index) => ({
      scores: [...score(index >= 6), ...score(index % 2 === 0, 'other')],
      originalScores: [...score(true), ...score(index % 2 === 0, 'other')],
    }));
    expect(failuresOf(two, { scores: { accuracy: { maxDrop: 0 } } })).toHaveLength(1);
    expect(failuresOf(two, { scores: { accuracy: { maxDrop: 0 }, other: { maxDrop: 0 } } })).toEqual([]);
    expect(failuresOf(two, { scores: { accuracy: { maxDrop: 0 }, other: { min: 0 } } })).toHaveLength(1);
  });

  it('of durations, tokens and cost are told with their unit', () => {
    const slower = run(40, (index) => ({
      durationMs: 150 + (index % 7),
      originalDurationMs: 100 + (index % 5),
      timing: 'paired' as const,
      usage: { inputTokens: 120 + (index % 3), costUsd: 0.02 + (index % 3) / 1000 },
      originalUsage: { inputTokens: 100, costUsd: 0.01 },
    }));
    expect(
      failuresOf(slower, { p95Ms: { maxRise: 10 }, tokens: { maxRise: 5 }, costUsd: { maxRise: 0.001 } }),
    ).toEqual([
      expect.stringMatching(
        /^The 95th percentile of durations rose by 52 ms \(95 % interval [\d.]+ to [\d.]+, p < 0\.001\); the gate allows 10 ms\.$/,
      ),
      'The mean number of tokens rose by 21 (95 % interval 20.7 to 21.2, p < 0.001); the gate allows 5.',
      'The mean cost rose by 0.011 USD (95 % interval 0.0107 to 0.0112, p < 0.001); the gate allows 0.001 USD.',
    ]);
    expect(
      failuresOf(slower, { p95Ms: { maxRise: 52 }, tokens: { maxRise: 21 }, costUsd: { maxRise: 1 } }),
    ).toEqual([]);
  });
});

describe('a gate', () => {
  it.each<[unknown, string]>([
    [null, 'gate must be an object, not null. Write { errors: 0 }, say.'],
    [[], 'gate must be an object, not a list'],
    ['changed=0', 'gate must be an object, not "changed=0"'],
    [
      { change: 0 },
      'gate.change is no limit that there is. There are: changed, unknown, errors, diverged, minItems, scores, p95Ms, tokens, costUsd, confidence.',
    ],
    [{ changed: -1 }, 'gate.changed must be a whole number from 0 up, not -1. Write a count of items.'],
    [{ errors: 0.5 }, 'gate.errors must be a whole number from 0 up, not 0.5'],
    [{ unknown: '3' }, 'gate.unknown must be a whole number from 0 up, not "3"'],
    [{ diverged: NaN }, 'gate.diverged must be a whole number from 0 up, not NaN'],
    [{ minItems: Infinity }, 'gate.minItems must be a whole number from 0 up, not Infinity'],
    [{ scores: [] }, 'gate.scores must be an object, not a list'],
    [{ scores: { accuracy: 0.9 } }, 'gate.scores.accuracy must be an object, not 0.9'],
    [
      { scores: { accuracy: { max: 1 } } },
      'gate.scores.accuracy.max is no limit that there is. There are: min, maxDrop, lost.',
    ],
    [
      { scores: { accuracy: { min: 'high' } } },
      'gate.scores.accuracy.min must be a number, not "high". Write a number.',
    ],
    [
      { scores: { accuracy: { maxDrop: -0.1 } } },
      'gate.scores.accuracy.maxDrop must be a number from 0 up, not -0.1',
    ],
    [{ p95Ms: 5 }, 'gate.p95Ms must be an object, not 5'],
    [{ p95Ms: { maxRise: -5 } }, 'gate.p95Ms.maxRise must be a number from 0 up, not -5'],
    [{ tokens: { max: 5 } }, 'gate.tokens.max is no limit'],
    [{ costUsd: { maxRise: NaN } }, 'gate.costUsd.maxRise must be a number from 0 up, not NaN'],
    [{ confidence: 95 }, 'confidence must lie between 0 and 1, not 95'],
  ])('that cannot work is refused: %j', (gate, message) => {
    expect(() => decide(run(1), gate as Gate)).toThrow(message);
  });

  it('may ask for nothing, and for a negative minimum', () => {
    expect(
      failuresOf(
        run(1, () => ({ scores: score(-2) })),
        { scores: { accuracy: { min: -3 } } },
      ),
    ).toEqual([]);
  });
});
