import type { JsonObject, TestRunTotals } from '@dacapo/protocol';
import fc from 'fast-check';
import type { TalliedItem } from '../run/item-tally.js';
import { RunTally } from '../run/run-tally.js';
import { decide } from './decide.js';
import { decideAgain } from './decide-again.js';
import type { Gate } from './gate.js';

const verdicts = fc.constantFrom('same' as const, 'changed' as const, 'unknown' as const, 'error' as const);
const items = fc.array(
  fc.record({
    verdict: verdicts,
    isNewError: fc.boolean(),
    isDiverged: fc.boolean(),
    good: fc.option(fc.constantFrom(0, 0.5, 1), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 8 },
);
type Item = typeof items extends fc.Arbitrary<(infer I)[]> ? I : never;

const count = fc.option(fc.nat({ max: 3 }), { nil: undefined });
const gates = fc.record({
  changed: count,
  unknown: count,
  errors: count,
  diverged: count,
  scores: fc.constantFrom(undefined, { good: { min: 0.5 } }, { good: { maxDrop: 0 } }),
});

function tally(run: readonly Item[]): RunTally {
  const result = new RunTally();
  for (const [itemNo, { verdict, isNewError, isDiverged, good }] of run.entries()) {
    const item: TalliedItem = {
      itemNo,
      verdict,
      durationMs: 1,
      divergences: isDiverged ? [{}] : [],
      scores: good === undefined ? [] : [{ name: 'good', score: good }],
      originalScores: [{ name: 'good', score: 0.5 }],
      ...(verdict === 'error' && isNewError && { newError: true as const }),
    };
    result.add(item);
  }
  return result;
}

const toGate = (limits: object): Gate => JSON.parse(JSON.stringify(limits)) as Gate;

/** What a client stores, and the totals of the service. */
function store(run: readonly Item[], gate: Gate): { summary: JsonObject; totals: TestRunTotals } {
  const figures = tally(run).summarize(gate);
  const summary = JSON.parse(JSON.stringify({ ...figures, ...decide(figures, gate), gate })) as JsonObject;
  const { items: all, same, changed, unknown, error, fixed, accepted, diverged, flaky } = figures.totals;
  const { newErrors: new_errors, failingAsBefore: failing_as_before } = figures.totals;
  const counts = { items: all, same, changed, unknown, error, fixed, accepted, diverged, flaky };
  return { summary, totals: { ...counts, new_errors, failing_as_before } };
}

describe('deciding again', () => {
  it('without judgements comes to what the client decided', () => {
    fc.assert(
      fc.property(items, gates, (run, limits) => {
        const gate = toGate(limits);
        const { summary, totals } = store(run, gate);
        const again = decideAgain(summary, totals, run.length);
        expect(again.passed).toBe(summary['passed']);
        expect(JSON.parse(JSON.stringify(again.checks))).toEqual(summary['checks']);
      }),
    );
  });

  it('counts judged items as a run with their verdicts does, and keeps the checks of scores', () => {
    fc.assert(
      fc.property(items, gates, fc.infiniteStream(fc.boolean()), (run, limits, choices) => {
        const gate = toGate(limits);
        const { summary } = store(run, gate);
        const judged = run.map((item): Item => {
          const isAccepted = choices.next().value === true;
          return isAccepted ? { ...item, verdict: 'same', isDiverged: false } : item;
        });
        const expected = store(judged, gate);
        const again = decideAgain(summary, expected.totals, run.length);
        expect(again.passed).toBe(expected.summary['passed']);
      }),
    );
  });

  it('fails a run with fewer items than expected, whatever its client counted', () => {
    const { summary, totals } = store(
      [{ verdict: 'same', isNewError: false, isDiverged: false, good: 1 }],
      {},
    );
    expect(decideAgain(summary, totals, 1).passed).toBe(true);
    expect(decideAgain(summary, totals, 2)).toMatchObject({
      passed: false,
      checks: expect.arrayContaining([
        expect.objectContaining({ name: 'complete', measured: '1 missing, 0 not stored', passed: false }),
      ]),
    });
  });

  it('never passes with any check of the client left out', () => {
    fc.assert(
      fc.property(items, gates, fc.nat(), (run, limits, which) => {
        const gate = toGate(limits);
        const { summary, totals } = store(run, gate);
        const checks = summary['checks'] as JsonObject[];
        const left = checks.filter((_, index) => index !== which % checks.length);
        const isJudged = ['newErrors', 'errors', 'changed', 'unknown', 'diverged'].some(
          (name) => checks[which % checks.length]?.['name'] === name,
        );
        const isExplained = summary['passed'] === true || left.some(({ passed }) => passed === false);
        const again = () => decideAgain({ ...summary, checks: left }, totals, run.length);
        if (!isExplained) expect(again).toThrow('has no checks');
        else if (!isJudged) expect(again().passed).toBe(false);
      }),
    );
  });

  describe('a stored summary that is damaged', () => {
    const same: Item = { verdict: 'same', isNewError: false, isDiverged: false, good: 1 };
    const gate = toGate({ changed: 0, scores: { good: { min: 0.5 } } });
    const { summary, totals } = store([same], gate);
    const checks = summary['checks'] as JsonObject[];
    const renamed = checks.map((check, index) => (index === 0 ? { ...check, name: 'later' } : check));
    const explanation =
      'summary has no checks that explain the decision of the client. Replay the run with this version.';

    it.each<[string, JsonObject]>([
      ['no list of checks', { checks: null }],
      ['an empty list of checks', { checks: [] }],
      ['one check that is unreadable', { checks: [...checks, { name: 'cost' }] }],
      ['two checks of one name', { checks: [...checks, ...checks.slice(0, 1)] }],
      ['no decision', { passed: null }],
      ['a failure without a failed check', { passed: false }],
    ])('with %s is refused', (_, damage) => {
      expect(() => decideAgain({ ...summary, ...damage }, totals, 1)).toThrow(explanation);
    });

    it('without a gate is refused', () => {
      const { gate: removed, ...rest } = summary;
      expect(removed).toEqual(gate);
      expect(() => decideAgain(rest, totals, 1)).toThrow('run has no gate. Replay it with a gate.');
    });

    it.each([-1, 0.5, '0', true])('with %j calls that were not replayed is refused', (unplayed) => {
      expect(() => decideAgain({ ...summary, unplayed }, totals, 1)).toThrow(
        'summary.unplayed must be a whole number. Replay the run again.',
      );
    });

    it('counts calls that were not replayed, none if the summary does not say', () => {
      const { unplayed, ...silent } = summary;
      expect(unplayed ?? 0).toBe(0);
      expect(decideAgain(silent, totals, 1).passed).toBe(true);
      expect(decideAgain({ ...summary, unplayed: 0 }, totals, 1).passed).toBe(true);
      expect(decideAgain({ ...summary, unplayed: 1 }, totals, 1).passed).toBe(false);
    });

    it('fails a check that the client did not store, and says so', () => {
      const scoreCheck = checks.find(({ score }) => score === 'good');
      const rest = checks.filter((check) => check !== scoreCheck);
      const again = decideAgain({ ...summary, checks: rest }, totals, 1);
      expect(again.passed).toBe(false);
      expect(again.checks.filter(({ passed }) => !passed)).toEqual([
        expect.objectContaining({
          name: scoreCheck?.['name'],
          limit: scoreCheck?.['limit'],
          measured: 'not stored',
          failures: [
            expect.stringMatching(/^The client stored no result of scores\.good.*\. Replay the run again\.$/),
          ],
        }),
      ]);
    });

    it('keeps a failed check that this version does not know', () => {
      const later = { name: 'tone', limit: '≥ 1', measured: '0', passed: false, failures: ['rude'] };
      const again = decideAgain({ ...summary, passed: false, checks: [...checks, later] }, totals, 1);
      expect(again.passed).toBe(false);
      expect(again.checks).toContainEqual(later);
    });

    it('keeps a failed check of verdicts that its gate does not ask for', () => {
      const stray = {
        name: 'unknown',
        limit: '≤ 0',
        measured: '1 of 1',
        passed: false,
        failures: ['item 1'],
      };
      const again = decideAgain({ ...summary, passed: false, checks: [...checks, stray] }, totals, 1);
      expect(again.passed).toBe(false);
      expect(again.checks).toContainEqual(stray);
    });

    it('has each check once, also if the client stored others', () => {
      const again = decideAgain({ ...summary, checks: renamed }, totals, 1);
      const names = again.checks.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
    });
  });
});
