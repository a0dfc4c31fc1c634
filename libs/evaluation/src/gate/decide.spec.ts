import fc from 'fast-check';
import { RunTally } from '../run/run-tally.js';
import type { RepetitionFacts, TalliedItem } from '../run/item-tally.js';
import type { Decision, RunSummary } from '../run/run.js';
import type { NamedScore } from '../run/score.js';
import { countAgainstLimits } from './count-against-limits.js';
import { decide as decideSummary } from './decide.js';
import { type Gate, readGate } from './gate.js';

type Changes = Partial<TalliedItem>;

function run(
  length: number,
  of: (index: number) => Changes = () => ({}),
  prepare?: (tally: RunTally) => void,
): RunTally {
  const tally = new RunTally();
  prepare?.(tally);
  for (let itemNo = 0; itemNo < length; itemNo += 1)
    tally.add({ itemNo, verdict: 'same', divergences: [], scores: [], ...of(itemNo) });
  return tally;
}
/** Decides as the replay engine does: the summary is made with the gate. */
const decide = (tally: RunTally, gate: Gate): Decision =>
  decideSummary(tally.summarize(readGate(gate)), gate);

const score = (value: NamedScore['score'], name = 'accuracy'): NamedScore[] => [{ name, score: value }];
const listFailures = (tally: RunTally, gate: Gate): string[] => {
  const { passed, failures } = decide(tally, gate);
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
  const failOtherwise = '3 failed before and fail differently now';

  it.each<[Gate, string[]]>([
    [{}, []],
    [{ changed: 6 }, []],
    [
      { changed: 5 },
      [
        `6 of 10 items count as changed (2 changed, ${failOtherwise}, 1 cannot be compared); the gate allows at most 5.`,
      ],
    ],
    [{ changed: 3, errors: 3 }, []],
    [
      { changed: 2, errors: 3 },
      ['3 of 10 items count as changed (2 changed, 1 cannot be compared); the gate allows at most 2.'],
    ],
    [{ changed: 5, unknown: 1 }, []],
    [
      { changed: 4, unknown: 1 },
      [`5 of 10 items count as changed (2 changed, ${failOtherwise}); the gate allows at most 4.`],
    ],
    [{ changed: 2, unknown: 1, errors: 3 }, []],
    [{ changed: 1, unknown: 1, errors: 3 }, ['2 of 10 items changed; the gate allows at most 1.']],
    [{ changed: 5, unknown: 0 }, ['1 of 10 items cannot be compared; the gate allows none.']],
    [{ unknown: 0 }, ['1 of 10 items cannot be compared; the gate allows none.']],
    [{ unknown: 1 }, []],
    [{ errors: 3 }, []],
    [{ errors: 2 }, ['3 of 10 items have errors; the gate allows at most 2.']],
    [{ diverged: 3 }, []],
    [{ diverged: 0 }, ['3 of 10 items made other inner calls than the recording; the gate allows none.']],
    [{ minItems: 10 }, []],
    [{ minItems: 11 }, ['10 items were replayed; the gate requires at least 11.']],
  ])('are exact limits: %j', (gate, failures) => {
    expect(listFailures(verdicts, gate)).toEqual(failures);
  });

  const failed = (count: number, changes: Changes = {}): RunTally =>
    run(10, (index) => (index < count ? { verdict: 'error', ...changes } : {}));

  it('notes items that fail differently than before when no limit counts them', () => {
    expect(decide(failed(3, { durationMs: 5 }), {})).toMatchObject({
      passed: true,
      failures: [],
      notes: ['3 items failed before and fail differently now. The gate has no limit for errors.'],
    });
    expect(decide(failed(1, { durationMs: 5 }), { diverged: 0 }).notes).toEqual([
      '1 item failed before and fails differently now. The gate has no limit for errors.',
    ]);
    expect(decide(failed(1, { durationMs: 5 }), { changed: 1 }).notes).toEqual([]);
    expect(decide(failed(1, { durationMs: 5 }), { errors: 1 }).notes).toEqual([]);
  });

  it('fail for items that could not be replayed', () => {
    for (const changes of [{}, { newError: true }] as const) {
      for (const gate of [{}, { changed: 10 }, { minItems: 10 }, { scores: {} }]) {
        expect(listFailures(failed(10, changes), gate)).toEqual([
          '10 items could not be replayed. Fix the errors, or set errors to the number to allow.',
        ]);
      }
    }
    expect(listFailures(failed(1), {})).toEqual([
      '1 item could not be replayed. Fix the errors, or set errors to the number to allow.',
    ]);
    expect(decide(failed(3), { errors: 3 })).toMatchObject({ passed: true, failures: [], notes: [] });
    expect(listFailures(failed(3), { errors: 2 })).toEqual([
      '3 of 10 items have errors; the gate allows at most 2.',
    ]);
  });

  it('use the singular for one', () => {
    const one = run(1, () => ({ verdict: 'error' }));
    expect(listFailures(one, { errors: 0, minItems: 2 })).toEqual([
      '1 item was replayed; the gate requires at least 2.',
      '1 of 1 item has an error; the gate allows none.',
    ]);
  });

  it('do not mention unknown items when there are none', () => {
    const changed = run(2, () => ({ verdict: 'changed' }));
    expect(listFailures(changed, { changed: 0 })).toEqual(['2 of 2 items changed; the gate allows none.']);
  });
});

describe('new errors', () => {
  const thrown = (items: number, count: number, changed = 0): RunTally =>
    run(items, (index) => {
      if (index < count) return { verdict: 'error', newError: true, durationMs: 5 };
      return index < count + changed ? { verdict: 'changed' } : {};
    });
  const fail = (count: number, allow: string): string =>
    `${count} of 60 items ${count === 1 ? 'fails' : 'fail'} and did not fail before. Fix ${count === 1 ? 'it' : 'them'}, or ${allow} to allow a number.`;

  it.each<[Gate]>([[{}], [{ changed: 60 }], [{ diverged: 0 }], [{ unknown: 0 }], [{ scores: {} }]])(
    'fail a gate without a limit on errors: %j',
    (gate) => {
      const allow = gate.changed === undefined ? 'set errors' : 'set errors and raise changed';
      expect(listFailures(thrown(60, 60), gate)).toEqual([fail(60, allow)]);
      expect(listFailures(thrown(60, 1), gate)).toEqual([fail(1, allow)]);
    },
  );

  it.each<[Gate]>([[{ changed: 0 }], [{ changed: 0, diverged: 0 }]])(
    'fail %j when all 60 calls throw',
    (gate) => {
      expect(listFailures(thrown(60, 60), gate)).toEqual([
        fail(60, 'set errors and raise changed'),
        '60 of 60 items count as changed (0 changed, 60 new errors); the gate allows none.',
      ]);
    },
  );

  it.each<[Gate, string[]]>([
    [{ errors: 2 }, []],
    [{ errors: 1 }, ['2 of 60 items have errors; the gate allows at most 1.']],
    [{ changed: 5, errors: 2 }, []],
    [
      { changed: 4, errors: 2 },
      ['5 of 60 items count as changed (3 changed, 2 new errors); the gate allows at most 4.'],
    ],
  ])('count for both limits: %j', (gate, failures) => {
    expect(listFailures(thrown(60, 2, 3), gate)).toEqual(failures);
  });

  it('are counted equally by the service and the run', () => {
    const limit = fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined });
    const verdict = fc.constantFrom<Changes>(
      {},
      { verdict: 'changed' },
      { verdict: 'unknown' },
      { verdict: 'error' },
      { verdict: 'error', newError: true },
    );
    fc.assert(
      fc.property(
        fc.array(verdict, { maxLength: 8 }),
        limit,
        limit,
        limit,
        (items, changed, errors, unknown) => {
          const tally = run(items.length, (index) => ({ durationMs: 5, ...items[index] }));
          const gate = {
            minItems: 0,
            ...(changed !== undefined && { changed }),
            ...(errors !== undefined && { errors }),
            ...(unknown !== undefined && { unknown }),
          };
          const { newErrors, ...totals } = tally.summarize().totals;
          const stored = { ...totals, failing_as_before: 0, new_errors: newErrors };
          const { beyond } = countAgainstLimits(gate, stored);
          expect(beyond).toHaveLength(decide(tally, gate).failures.length);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('An item that the service did not store', () => {
  it('fails every gate, separately from missing items', () => {
    const unstored = (count: number): RunTally =>
      run(300, undefined, (tally) => {
        tally.lose(count);
      });
    expect(listFailures(unstored(0), {})).toEqual([]);
    expect(listFailures(unstored(1), {})).toEqual(['1 replayed item was not stored by the service.']);
    expect(listFailures(unstored(32), {})).toEqual(['32 replayed items were not stored by the service.']);
  });
});

describe('Something missing', () => {
  it('fails an empty gate when there is no item', () => {
    const none = ['No item was replayed. Check that the key exists and that the selection finds calls.'];
    expect(listFailures(run(0), {})).toEqual(none);
    expect(listFailures(run(0), { minItems: 5 })).toEqual(none);
    expect(listFailures(run(0), { minItems: 0 })).toEqual([]);
  });

  it('fails an empty gate when a selected item is missing', () => {
    const missing = (count: number): RunTally =>
      run(3, undefined, (tally) => {
        tally.miss(count);
      });
    expect(listFailures(missing(1), {})).toEqual(['1 selected item is missing from the run.']);
    expect(listFailures(missing(2), {})).toEqual(['2 selected items are missing from the run.']);
  });

  it('does not fail the gate when the selection skipped it', () => {
    expect(
      listFailures(
        run(3, undefined, (tally) => {
          tally.skip('limit', 5);
        }),
        {},
      ),
    ).toEqual([]);
  });

  it('fails the gate when it names an absent score', () => {
    const gate = { scores: { accuracy: {}, toString: { min: 0, maxDrop: 1 } } };
    expect(
      listFailures(
        run(3, () => ({ scores: score(1) })),
        gate,
      ),
    ).toEqual(['The run has no score toString. Scores of this run: accuracy.']);
    const two = run(1, () => ({ scores: [...score(1), ...score(1, 'tone')] }));
    expect(listFailures(two, { scores: { other: {} } })).toEqual([
      'The run has no score other. Scores of this run: accuracy, tone.',
    ]);
    expect(listFailures(run(3), gate)).toEqual([
      'The run has no score accuracy. Scores of this run: none.',
      'The run has no score toString. Scores of this run: none.',
    ]);
  });

  it('fails the gate when no item has a number, or some lack it after a failure', () => {
    const gate = { scores: { accuracy: { min: 0, maxDrop: 1 } } };
    expect(
      listFailures(
        run(3, () => ({ scores: score(null) })),
        gate,
      ),
    ).toEqual(['The run has no score accuracy. No item has a number for it.']);
    const some = (count: number): RunTally =>
      run(10, (index) => (index < count ? {} : { scores: score(1), originalScores: score(1) }));
    expect(listFailures(some(1), gate)).toEqual([
      '1 item has no score accuracy: the call or the evaluator failed.',
    ]);
    expect(listFailures(some(2), gate)).toEqual([
      '2 items have no score accuracy: the call or the evaluator failed.',
    ]);
  });

  it('does not fail the gate when the score does not apply', () => {
    const some = run(10, (index) => ({ scores: score(index < 5 ? null : 1) }));
    expect(listFailures(some, { scores: { accuracy: { min: 1 } } })).toEqual([]);
  });

  it('fails the gate without a baseline or a measurement', () => {
    const gate: Gate = {
      scores: { accuracy: { maxDrop: 0.1 } },
      p95Ms: { maxRise: 1 },
      tokens: { maxRise: 1 },
      costUsd: { maxRise: 1 },
    };
    const now = run(9, () => ({ scores: score(1), durationMs: 5, usage: { inputTokens: 5 } }));
    expect(listFailures(now, gate)).toEqual([
      'accuracy has no baseline to compare with.',
      'The 95th percentile of durations has no baseline to compare with.',
      'The mean number of tokens has no baseline to compare with.',
      'The mean cost was not measured.',
    ]);
    expect(listFailures(run(9), { p95Ms: {}, tokens: {}, costUsd: {} })).toEqual([]);
  });
});

describe('Minima of scores', () => {
  it('are exact', () => {
    const summary = run(3, (index) => ({ scores: score(index === 0 ? 0 : 1) }));
    expect(listFailures(summary, { scores: { accuracy: { min: 0.66 } } })).toEqual([]);
    expect(
      listFailures(summary, { scores: { accuracy: { min: summary.summarize().scores['accuracy']!.mean! } } }),
    ).toEqual([]);
    expect(listFailures(summary, { scores: { accuracy: { min: 0.9 } } })).toEqual([
      'accuracy is 0.667 over 3 items; the gate requires at least 0.9.',
    ]);
    const one = run(1, () => ({ scores: score(0) }));
    expect(listFailures(one, { scores: { accuracy: { min: 1 } } })).toEqual([
      'accuracy is 0 over 1 item; the gate requires at least 1.',
    ]);
  });
});

describe('Drops and rises', () => {
  const dropped = (drops: number, length = 20): RunTally =>
    run(length, (index) => ({ scores: score(index >= drops), originalScores: score(true) }));

  it('fail beyond the limit with evidence', () => {
    expect(listFailures(dropped(6, 12), { scores: { accuracy: { maxDrop: 0 } } })).toEqual([
      'accuracy dropped by 0.5 (95 % interval 0.167 to 0.833, p = 0.031); the gate allows 0.',
    ]);
  });

  it('pass with a note without evidence', () => {
    expect(decide(dropped(5), { scores: { accuracy: { maxDrop: 0 } } })).toMatchObject({
      passed: true,
      notes: [
        expect.stringMatching(
          /^accuracy dropped by 0\.25 \(95 % interval 0 to [\d.]+, p = 0\.06\d?\), over 20 items: this may be chance; the gate allows 0\.$/,
        ),
      ],
    });
  });

  it.each<[number, number, string | undefined, string]>([
    [5, 5, undefined, '5 items are too few to show a drop; 6 items are enough. Add items, repeat'],
    [0, 5, undefined, '5 items are too few to show a drop; 6 items are enough. Add items, repeat'],
    [0, 1, undefined, '1 item is too few to show a drop; 6 items are enough. Add items, repeat'],
    [
      60,
      60,
      's',
      '60 items in 5 sessions are too few to show a drop; 6 sessions are enough. Add sessions, repeat',
    ],
  ])('fail with too few items for evidence: %d of %d broken', (broken, length, session, said) => {
    const few = run(length, (index) => ({
      scores: score(index >= broken),
      originalScores: score(true),
      ...(session !== undefined && { sessionId: `${session}${index % 5}` }),
    }));
    expect(listFailures(few, { scores: { accuracy: { maxDrop: 0 } } })).toEqual([
      `accuracy: ${said} them if nothing runs at random, or remove scores.accuracy.maxDrop.`,
    ]);
  });

  it('require items by the number of limits and the confidence', () => {
    const names = ['a', 'b', 'c'];
    const items = (length: number): RunTally =>
      run(length, () => ({
        scores: names.flatMap((name) => score(true, name)),
        originalScores: names.flatMap((name) => score(true, name)),
      }));
    const gate: Gate = { scores: { a: { maxDrop: 0 }, b: { maxDrop: 0.1 }, c: { min: 0.5 } } };
    expect(listFailures(items(6), gate)).toEqual([
      expect.stringContaining('a: 6 items are too few to show a drop; 7 items are enough.'),
      expect.stringContaining('b: 6 items are too few to show a drop; 7 items are enough.'),
    ]);
    expect(listFailures(items(7), gate)).toEqual([]);
    expect(listFailures(items(7), { ...gate, confidence: 0.99 })).toHaveLength(2);
    expect(listFailures(items(9), { ...gate, confidence: 0.99 })).toEqual([]);
    expect(listFailures(items(30), { ...gate, confidence: 0.9999 })[0]).toBe(
      'a: no drop can be shown at a confidence of 0.9999. Lower gate.confidence, or remove scores.a.maxDrop.',
    );
    const used = run(5, () => ({ usage: { inputTokens: 120 }, originalUsage: { inputTokens: 100 } }));
    expect(listFailures(used, { tokens: { maxRise: 0 } })).toEqual([
      'The mean number of tokens: 5 items are too few to show a rise; 6 items are enough. Add items or remove tokens.maxRise.',
    ]);
    expect(listFailures(used, { tokens: { maxRise: 0 }, confidence: 0.9 })).toEqual([
      'The mean number of tokens rose by 20 (90 % interval 20 to 20, p = 0.063); the gate allows 0.',
    ]);
  });

  it('need evidence for exceeding the limit', () => {
    const gate = { scores: { accuracy: { maxDrop: 0.1 } } };
    expect(listFailures(dropped(10, 100), gate)).toEqual([]);
    expect(listFailures(dropped(11, 100), gate)).toEqual([]);
    expect(decide(dropped(11, 100), gate).notes).toEqual([
      expect.stringMatching(
        /^accuracy dropped by 0\.11 \(.*, p = 0\.\d+ against 0\.1\), over 100 items: this may/,
      ),
    ]);
    expect(listFailures(dropped(25, 100), gate)).toEqual([
      expect.stringMatching(/^accuracy dropped by 0\.25 .* against 0\.1\); the gate allows 0\.1\.$/),
    ]);
  });

  it('need more evidence at a higher confidence', () => {
    const gate = { scores: { accuracy: { maxDrop: 0 } } };
    expect(listFailures(dropped(6), { ...gate, confidence: 0.99 })).toEqual([]);
    expect(listFailures(dropped(5), { ...gate, confidence: 0.9 })).toHaveLength(1);
    expect(listFailures(dropped(4), { ...gate, confidence: 0.9 })).toEqual([]);
  });

  it('show an interval that excludes the limit exactly when they fail', () => {
    const tenths = fc.integer({ min: 0, max: 10 });
    const pairs = fc.array(fc.tuple(tenths, tenths, fc.integer({ min: 0, max: 30 })), {
      minLength: 6,
      maxLength: 30,
    });
    fc.assert(
      fc.property(pairs, fc.integer({ min: 0, max: 4 }), fc.boolean(), (values, tenth, isPair) => {
        const summary = run(values.length, (index) => {
          const [now, before, session] = values[index]!;
          return {
            scores: [...score(now / 10), ...score(now > 5, 'other')],
            originalScores: [...score(before / 10), ...score(before > 5, 'other')],
            ...(session < 10 && { sessionId: `s${session}` }),
          };
        });
        const gate: Gate = {
          scores: { accuracy: { maxDrop: tenth / 10 }, ...(isPair && { other: { maxDrop: 0 } }) },
        };
        const { delta } = summary.summarize(gate).scores['accuracy']!;
        const failed = decide(summary, gate).failures.some((line) => line.startsWith('accuracy dropped'));
        const excludes = delta!.interval !== undefined && delta!.interval.high < -tenth / 10 - 1e-9;
        expect([excludes, delta!.p <= 0.05 + 1e-9]).toEqual([failed, failed]);
        const baseline = values.reduce((sum, [, before]) => sum + before / 10, 0) / values.length;
        expect(delta!.interval?.low ?? 0).toBeGreaterThanOrEqual(-baseline - 1e-9);
        expect(delta!.interval?.high ?? 0).toBeLessThanOrEqual(1 - baseline + 1e-9);
      }),
      { numRuns: 60 },
    );
  });

  it('refuse a summary that was made with another gate', () => {
    const summary = dropped(6).summarize({ scores: { accuracy: { maxDrop: 0.1 } } });
    const message =
      'summary was not made with this gate: accuracy was not tested against scores.accuracy.maxDrop. Pass the result of tally.summarize(gate).';
    expect(() => decideSummary(summary, { scores: { accuracy: { maxDrop: 0 } } })).toThrow(message);
    expect(() => decideSummary(dropped(6).summarize(), { scores: { accuracy: { maxDrop: 0 } } })).toThrow(
      message,
    );
    const sure: Gate = { scores: { accuracy: { maxDrop: 0.1 } }, confidence: 0.9 };
    expect(() => decideSummary(summary, sure)).toThrow(message);
  });

  it('do not fail in the good direction', () => {
    const better = run(20, (index) => ({
      scores: score(true),
      originalScores: score(index > 10),
      durationMs: 50,
      originalDurationMs: 100,
      timing: 'paired' as const,
    }));
    expect(listFailures(better, { scores: { accuracy: { maxDrop: 0 } }, p95Ms: { maxRise: 0 } })).toEqual([]);
  });

  it("are corrected for several scores by Holm's method", () => {
    // 6 of 20 one way is p = 0.031 alone, and 0.0625 as one of two.
    const two = run(20, (index) => ({
      scores: [...score(index >= 6), ...score(index % 2 === 0, 'other')],
      originalScores: [...score(true), ...score(index % 2 === 0, 'other')],
    }));
    expect(listFailures(two, { scores: { accuracy: { maxDrop: 0 } } })).toHaveLength(1);
    expect(listFailures(two, { scores: { accuracy: { maxDrop: 0 }, other: { maxDrop: 0 } } })).toEqual([]);
    expect(listFailures(two, { scores: { accuracy: { maxDrop: 0 }, other: { min: 0 } } })).toHaveLength(1);
  });

  it('are printed with the unit of durations, tokens and cost', () => {
    const slower = run(40, (index) => ({
      durationMs: 150 + (index % 7),
      originalDurationMs: 100 + (index % 5),
      timing: 'paired' as const,
      usage: { inputTokens: 120 + (index % 3), costUsd: 0.02 + (index % 3) / 1000 },
      originalUsage: { inputTokens: 100, costUsd: 0.01 },
    }));
    expect(
      listFailures(slower, { p95Ms: { maxRise: 10 }, tokens: { maxRise: 5 }, costUsd: { maxRise: 0.001 } }),
    ).toEqual([
      expect.stringMatching(
        /^The 95th percentile of durations rose by 52 ms \(p < 0\.001 against 10\); the gate allows 10 ms\.$/,
      ),
      expect.stringMatching(
        /^The mean number of tokens rose by 21 \(95 % interval 20\.\d to 21\.\d, p < 0\.001 against 5\); the gate allows 5\.$/,
      ),
      expect.stringMatching(
        /^The mean cost rose by 0\.011 USD \(95 % interval 0\.010\d to 0\.011\d, p < 0\.001 against 0\.001\); the gate allows 0\.001 USD\.$/,
      ),
    ]);
    expect(
      listFailures(slower, { p95Ms: { maxRise: 52 }, tokens: { maxRise: 21 }, costUsd: { maxRise: 1 } }),
    ).toEqual([]);
  });
});

describe('A deterministic run', () => {
  const deterministic = (
    drops: number,
    playing: Partial<RepetitionFacts> = {},
    length = 10,
    changes: Changes = {},
  ): RunTally => {
    const tally = new RunTally();
    for (let itemNo = 0; itemNo < length; itemNo += 1)
      for (const repetition of [0, 1])
        tally.add(
          {
            itemNo,
            verdict: 'changed',
            divergences: [],
            scores: score(itemNo >= drops),
            ...(repetition === 0 && { originalScores: score(true) }),
            ...changes,
          },
          { outcome: `outcome of ${itemNo}`, isModelFree: true, ...playing },
        );
    return tally;
  };
  const gate = (maxDrop: number): Gate => ({ scores: { accuracy: { maxDrop } } });

  it('fails for each worse item, with any number of items', () => {
    expect(listFailures(deterministic(1), gate(0))).toEqual([
      'accuracy dropped by 0.1 (exact); the gate allows 0.',
    ]);
    expect(listFailures(deterministic(1), gate(0.1))).toEqual([]);
    expect(listFailures(deterministic(2), gate(0.1))).toHaveLength(1);
    expect(listFailures(deterministic(1, {}, 1), gate(0.5))).toHaveLength(1);
    expect(listFailures(deterministic(0, {}, 1), gate(0))).toEqual([]);
    expect(deterministic(1).summarize()).toMatchObject({
      deterministic: true,
      scores: { accuracy: { delta: { mean: -0.1, exact: true, p: 0 } } },
    });
    expect(deterministic(1).summarize().scores['accuracy']!.delta).not.toHaveProperty('interval');
  });

  it('leaves evidence for measures unchanged', () => {
    const used = { usage: { inputTokens: 110 }, originalUsage: { inputTokens: 100 } };
    const items = (length: number, drops = 0): RunTally => deterministic(drops, {}, length, used);
    const both: Gate = { ...gate(0), tokens: { maxRise: 1000 }, confidence: 0.9 };
    // Three items are enough for one limit that needs evidence, and too few for two.
    expect(listFailures(items(3), both)).toEqual([]);
    expect(listFailures(items(2), both)).toEqual([
      'The mean number of tokens: 2 items are too few to show a rise; 3 items are enough. Add items or remove tokens.maxRise.',
    ]);
    expect(listFailures(items(3, 1), both)).toEqual([
      'accuracy dropped by 0.333 (exact); the gate allows 0.',
    ]);
    expect(items(3).summarize().scores['accuracy']!.delta).toMatchObject({ mean: 0, exact: true, p: 1 });
  });

  it.each<[string, Partial<RepetitionFacts>]>([
    ['a model ran', { isModelFree: false }],
    ['outcomes cannot be compared', { outcome: undefined }],
  ])('is not detected when %s', (_, playing) => {
    expect(deterministic(1, playing).summarize()).not.toHaveProperty('deterministic');
    expect(listFailures(deterministic(1, playing), gate(0))).toEqual([]);
  });

  it('is not detected without repetitions, or when repetitions differ', () => {
    const one = { itemNo: 0, verdict: 'same', divergences: [], scores: score(true) } as const;
    const known: RepetitionFacts = { outcome: 'a', isModelFree: true };
    const summary = (...items: Parameters<RunTally['add']>[]): RunSummary => {
      const tally = new RunTally();
      for (const item of items) tally.add(...item);
      return tally.summarize();
    };
    expect(summary([one, known], [one, known])).toHaveProperty('deterministic', true);
    expect(summary()).not.toHaveProperty('deterministic');
    expect(summary([one, known])).not.toHaveProperty('deterministic');
    expect(summary([one, known], [one])).not.toHaveProperty('deterministic');
    expect(summary([one], [one, known])).not.toHaveProperty('deterministic');
    expect(summary([one, known], [one, known], [{ ...one, itemNo: 1 }, known])).not.toHaveProperty(
      'deterministic',
    );
    expect(summary([one, known], [one, { ...known, outcome: 'b' }], [one, known])).not.toHaveProperty(
      'deterministic',
    );
    for (const scores of [score(false), score(null), score('text'), []])
      expect(summary([one, known], [{ ...one, scores }, known])).not.toHaveProperty('deterministic');
    const none = { ...one, scores: score(null) };
    expect(summary([none, known], [none, known])).toHaveProperty('deterministic', true);
  });
});

describe('a gate', () => {
  it.each<[unknown, string]>([
    [null, 'gate must be an object, not null. Write { errors: 0 }, say.'],
    [[], 'gate must be an object, not a list'],
    ['changed=0', 'gate must be an object, not "changed=0"'],
    [
      { change: 0 },
      'gate.change is not a limit. Did you mean "changed"? Limits: changed, unknown, errors, diverged, minItems, scores, p95Ms, tokens, costUsd, confidence.',
    ],
    [{ changed: -1 }, 'gate.changed must be a whole number of at least 0, not -1. Write a count of items.'],
    [{ errors: 0.5 }, 'gate.errors must be a whole number of at least 0, not 0.5'],
    [{ unknown: '3' }, 'gate.unknown must be a whole number of at least 0, not "3"'],
    [{ diverged: NaN }, 'gate.diverged must be a whole number of at least 0, not NaN'],
    [{ minItems: Infinity }, 'gate.minItems must be a whole number of at least 0, not Infinity'],
    [{ scores: [] }, 'gate.scores must be an object, not a list'],
    [{ scores: { accuracy: 0.9 } }, 'gate.scores.accuracy must be an object, not 0.9'],
    [
      { scores: { accuracy: { max: 1 } } },
      'gate.scores.accuracy.max is not a limit. Did you mean "min"? Limits: min, maxDrop, lost.',
    ],
    [
      { scores: { accuracy: { min: 'high' } } },
      'gate.scores.accuracy.min must be a number, not "high". Write a number.',
    ],
    [
      { scores: { accuracy: { maxDrop: -0.1 } } },
      'gate.scores.accuracy.maxDrop must be a number of at least 0, not -0.1',
    ],
    [{ p95Ms: 5 }, 'gate.p95Ms must be an object, not 5'],
    [{ p95Ms: { maxRise: -5 } }, 'gate.p95Ms.maxRise must be a number of at least 0, not -5'],
    [{ tokens: { max: 5 } }, 'gate.tokens.max is not a limit'],
    [{ costUsd: { maxRise: NaN } }, 'gate.costUsd.maxRise must be a number of at least 0, not NaN'],
    [{ confidence: 95 }, 'confidence must lie between 0 and 1, not 95'],
  ])('is refused when invalid: %j', (gate, message) => {
    expect(() => decide(run(1), gate as Gate)).toThrow(message);
  });

  it('may be empty, and may have a negative minimum', () => {
    expect(
      listFailures(
        run(1, () => ({ scores: score(-2) })),
        { scores: { accuracy: { min: -3 } } },
      ),
    ).toEqual([]);
  });
});
