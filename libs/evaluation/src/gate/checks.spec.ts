import fc from 'fast-check';
import type { TalliedItem } from '../run/item-tally.js';
import { RunTally } from '../run/run-tally.js';
import type { Check, Decision } from '../run/run.js';
import { decide as decideSummary } from './decide.js';
import { type Gate, readGate } from './gate.js';

/** Ten items, each as `of` says. */
function run(of: (index: number) => Partial<TalliedItem>, prepare?: (tally: RunTally) => void): RunTally {
  const tally = new RunTally();
  prepare?.(tally);
  for (let itemNo = 0; itemNo < 10; itemNo += 1)
    tally.add({ itemNo, verdict: 'same', divergences: [], scores: [], ...of(itemNo) });
  return tally;
}

/** Decides as the replay engine does: the summary is made with the gate. */
const decide = (tally: RunTally, gate: Gate): Decision =>
  decideSummary(tally.summarize(readGate(gate)), gate);

const listChecks = (tally: RunTally, gate: Gate): [string, string, string, boolean][] =>
  decide(tally, gate).checks.map(({ name, limit, measured, passed }) => [name, limit, measured, passed]);

/** The checks of the gate apart from those that every gate makes. */
const listLimits = (tally: RunTally, gate: Gate): [string, string, string, boolean][] =>
  listChecks(tally, { errors: 10, ...gate }).filter(
    ([name]) => !['minItems', 'complete', 'errors'].includes(name),
  );

const accuracy = (now: number | null, before?: number): Partial<TalliedItem> => ({
  scores: [{ name: 'accuracy', score: now }],
  ...(before !== undefined && { originalScores: [{ name: 'accuracy', score: before }] }),
});

describe('The checks of every gate', () => {
  it('cover the number of items, missing or unstored items, and new errors', () => {
    expect(
      listChecks(
        run(() => ({})),
        {},
      ),
    ).toEqual([
      ['minItems', 'at least 1', '10', true],
      ['complete', 'all items replayed and stored', '0 missing, 0 not stored', true],
      ['newErrors', 'none', '0', true],
    ]);
  });

  it('fail independently', () => {
    const lacking = run(
      (index) => (index < 2 ? { verdict: 'error', newError: true, durationMs: 5 } : {}),
      (tally) => {
        tally.miss(3);
        tally.lose(4);
      },
    );
    const { checks, failures } = decide(lacking, { minItems: 11 });
    expect(checks).toMatchObject([
      { name: 'minItems', limit: 'at least 11', measured: '10', passed: false },
      { name: 'complete', measured: '3 missing, 4 not stored', passed: false },
      { name: 'newErrors', measured: '2', passed: false },
    ]);
    expect(checks.map((check) => check.failures)).toEqual([
      [failures[0]],
      [failures[1], failures[2]],
      [failures[3]],
    ]);
  });

  it('count items that could not be called as new errors, unless errors have a limit', () => {
    const uncalled = run((index) => (index < 3 ? { verdict: 'error' } : {}));
    expect(listChecks(uncalled, {}).at(-1)).toEqual(['newErrors', 'none', '3', false]);
    expect(listChecks(uncalled, { errors: 3 }).map(([name]) => name)).toEqual([
      'minItems',
      'complete',
      'errors',
    ]);
  });
});

describe('the checks of limits', () => {
  it('cover each limited count', () => {
    const counted = run((index) => {
      if (index < 1) return { verdict: 'changed' };
      if (index < 3) return { verdict: 'unknown' };
      return index < 6 ? { verdict: 'error', divergences: [{}], durationMs: 5 } : {};
    });
    expect(listChecks(counted, { changed: 1, unknown: 1, errors: 3, diverged: 2 }).slice(2)).toEqual([
      ['errors', 'at most 3', '3', true],
      ['changed', 'at most 1', '1', true],
      ['unknown', 'at most 1', '2', false],
      ['diverged', 'at most 2', '3', false],
    ]);
    // Without limits of their own, errors and what cannot be compared count as changed.
    expect(listChecks(counted, { changed: 6 }).at(-1)).toEqual(['changed', 'at most 6', '6', true]);
    expect(listChecks(counted, { changed: 5 }).at(-1)).toEqual(['changed', 'at most 5', '6', false]);
  });

  it('are of each score: that it is there, its mean, and its change', () => {
    const scored = run((index) => accuracy(index < 6 ? 0.25 : 1, 1));
    const { checks } = decide(scored, { scores: { accuracy: { min: 0.5, maxDrop: 0.1, lost: 2 } } });
    expect(checks.slice(3)).toEqual([
      {
        name: 'scores.accuracy',
        score: 'accuracy',
        limit: 'none missing, at most 2 lost',
        measured: '0 missing, 0 lost',
        passed: true,
        failures: [],
      },
      {
        name: 'scores.accuracy.min',
        score: 'accuracy',
        min: 0.5,
        limit: 'mean at least 0.5',
        measured: '0.55',
        passed: true,
        failures: [],
      },
      {
        name: 'scores.accuracy.maxDrop',
        score: 'accuracy',
        limit: 'drop of at most 0.1',
        measured: expect.stringMatching(
          /^change of -0\.45 \(95 % interval -[\d.]+ to -[\d.]+, p = [\d.]+ against 0\.1\)$/,
        ),
        passed: false,
        failures: [expect.stringContaining('accuracy dropped by 0.45')],
      },
    ]);
  });

  it('cover only the limits that a score has', () => {
    const scored = run(() => accuracy(1));
    const there = ['scores.accuracy', 'none missing, at most 0 lost', '0 missing, 0 lost', true] as const;
    expect(listLimits(scored, { scores: { accuracy: {} } })).toEqual([[...there]]);
    expect(listLimits(scored, { scores: { accuracy: { min: 1 } } })).toEqual([
      [...there],
      ['scores.accuracy.min', 'mean at least 1', '1', true],
    ]);
    expect(listLimits(scored, { scores: { accuracy: { min: 1.5 } } }).at(-1)).toEqual([
      'scores.accuracy.min',
      'mean at least 1.5',
      '1',
      false,
    ]);
    expect(listLimits(scored, { scores: { accuracy: { maxDrop: 0 } } }).at(-1)).toEqual([
      'scores.accuracy.maxDrop',
      'drop of at most 0',
      'no baseline',
      false,
    ]);
  });

  it('report a score that is absent, not a number, missing or lost', () => {
    const limited = (tally: RunTally, name: string): [string, string, string, boolean][] =>
      listLimits(tally, { scores: { [name]: { min: 0, maxDrop: 0, lost: 1 } } });
    const none = run(() => ({}));
    expect(limited(none, 'accuracy').map(([, , measured, passed]) => [measured, passed])).toEqual([
      ['no score', false],
      ['no number', true],
      ['no baseline', true],
    ]);
    expect(limited(none, 'toString')[0]).toEqual([
      'scores.toString',
      'none missing, at most 1 lost',
      'no score',
      false,
    ]);
    const inapplicable = run(() => accuracy(null));
    expect(limited(inapplicable, 'accuracy')[1]?.[2]).toBe('no number');
    const lacking = run((index) => {
      if (index === 0) return {};
      return index < 3 ? accuracy(null, 1) : accuracy(1, 1);
    });
    expect(limited(lacking, 'accuracy')[0]?.slice(2)).toEqual(['1 missing, 2 lost', false]);
  });

  it('are of rises, with what is not measured, in their unit', () => {
    const used = run((index) => ({
      durationMs: 150 + index,
      originalDurationMs: 100 + index,
      timing: 'paired' as const,
      ...(index > 1 && { usage: { inputTokens: 120, costUsd: 0.03 } }),
      originalUsage: { inputTokens: 100, costUsd: 0.01 },
    }));
    expect(
      listLimits(used, {
        p95Ms: { maxRise: 60 },
        tokens: { maxRise: 30, unmeasured: 2 },
        costUsd: { unmeasured: 1 },
      }),
    ).toEqual([
      ['p95Ms.maxRise', 'rise of at most 60 ms', expect.stringMatching(/^change of 50 ms \(/), true],
      ['p95Ms.unmeasured', 'at most 0 items without it', '0', true],
      ['tokens.maxRise', 'rise of at most 30', expect.stringMatching(/^change of 20 \(/), true],
      ['tokens.unmeasured', 'at most 2 items without it', '2', true],
      ['costUsd.unmeasured', 'at most 1 items without it', '2', false],
    ]);
    expect(listLimits(used, { tokens: { maxRise: 10, unmeasured: 2 } })[0]?.[3]).toBe(false);
    expect(
      listLimits(
        run(() => ({})),
        { costUsd: { maxRise: 1 } },
      )[0],
    ).toEqual(['costUsd.maxRise', 'rise of at most 1 USD', 'no baseline', false]);
  });
});

it('each failure is that of exactly one check, and a run passes when all checks do', () => {
  const limit = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
  const rise = fc.option(fc.constantFrom({ maxRise: 0 }, { maxRise: 5, unmeasured: 2 }), { nil: undefined });
  const gates = fc.record({
    errors: limit,
    changed: limit,
    unknown: limit,
    diverged: limit,
    minItems: fc.constantFrom(undefined, 5, 11),
    accuracy: fc.constantFrom(undefined, {}, { min: 0.6 }, { maxDrop: 0 }, { min: 1, maxDrop: 0.2, lost: 1 }),
    other: fc.constantFrom(undefined, { min: 0 }),
    p95Ms: rise,
    tokens: rise,
    costUsd: rise,
  });
  const tenth = fc.constantFrom(undefined, null, 0, 0.5, 1);
  const items = fc.record({
    verdict: fc.constantFrom('same' as const, 'changed' as const, 'unknown' as const, 'error' as const),
    isCalled: fc.boolean(),
    isDiverged: fc.boolean(),
    now: tenth,
    before: tenth,
    tokens: fc.constantFrom(undefined, 100, 140),
  });
  const tallies = fc.tuple(fc.array(items, { maxLength: 12 }), fc.nat({ max: 1 }), fc.nat({ max: 1 }));
  const present = <Fields extends object>(fields: Fields): { [K in keyof Fields]?: NonNullable<Fields[K]> } =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
      [K in keyof Fields]?: NonNullable<Fields[K]>;
    };
  const isFailed = ({ failures }: Check): boolean => failures.length > 0;
  fc.assert(
    fc.property(tallies, gates, ([played, missing, unstored], { accuracy: first, other, ...rest }) => {
      const scores = present({ accuracy: first, other });
      const gate: Gate = { ...present(rest), ...(Object.keys(scores).length > 0 && { scores }) };
      const tally = new RunTally();
      tally.miss(missing);
      tally.lose(unstored);
      for (const [itemNo, { verdict, isCalled, isDiverged, now, before, tokens }] of played.entries())
        tally.add({
          itemNo,
          verdict,
          divergences: isDiverged ? [{}] : [],
          scores: now === undefined ? [] : [{ name: 'accuracy', score: now }],
          ...(before !== undefined && { originalScores: [{ name: 'accuracy', score: before }] }),
          ...(isCalled && { durationMs: 10, originalDurationMs: 9, timing: 'paired' }),
          ...(verdict === 'error' && itemNo % 2 === 0 && { newError: true }),
          ...(tokens !== undefined && { usage: { inputTokens: tokens, costUsd: tokens / 1e4 } }),
          originalUsage: { inputTokens: 100, costUsd: 0.01 },
        });
      const { passed, checks, failures } = decide(tally, gate);
      expect(checks.flatMap((check) => check.failures).sort()).toEqual([...failures].sort());
      expect(checks.every((check) => check.passed)).toBe(passed);
      expect(checks.map(isFailed)).toEqual(checks.map((check) => !check.passed));
      expect(new Set(checks.map(({ name }) => name)).size).toBe(checks.length);
    }),
    { numRuns: 300 },
  );
});
