import fc from 'fast-check';
import { applyEvaluators } from '../evaluators/apply-evaluators.js';
import type { TalliedItem } from '../run/item-tally.js';
import { RunTally } from '../run/run-tally.js';
import type { Decision, RunSummary } from '../run/run.js';
import { meanDifference } from '../statistics/mean-difference.js';
import { decide as decideSummary } from './decide.js';
import { type Gate, readGate } from './gate.js';

type TalliedRun = RunSummary & Pick<RunTally, 'summarize'>;

function run(length: number, of: (index: number) => Partial<TalliedItem>, repeat = 1): TalliedRun {
  const tally = new RunTally();
  for (let itemNo = 0; itemNo < length; itemNo += 1)
    for (let repetition = 0; repetition < repeat; repetition += 1) {
      const item: TalliedItem = { itemNo, verdict: 'same', divergences: [], scores: [], ...of(itemNo) };
      // The baseline is judged once for all repetitions.
      if (repetition > 0) delete item.originalScores;
      tally.add(item);
    }
  return { ...tally.summarize(), summarize: (limits) => tally.summarize(limits) };
}

/** Decides as the replay engine does: the summary is made with the gate. */
const decide = (tallied: TalliedRun, gate: Gate): Decision =>
  decideSummary(tallied.summarize(readGate(gate)), gate);

const score = (value: number) => [{ name: 'a', score: value }];
const calls = { made: 1, inputTokens: 1, outputTokens: 1, costUsd: 1 };
const priced = (costUsd: number, inputTokens = 1) => ({ costUsd, inputTokens, outputTokens: 0 });
const both = { modelCalls: calls, originalModelCalls: calls };

it('equal numbers are no drop and no rise, with any number of repetitions', () => {
  const value = fc.double({ min: 1e-6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(value, fc.integer({ min: 1, max: 9 }), (same, repeat) => {
      const unchanged = { scores: score(same), originalScores: score(same), durationMs: same };
      const used = {
        usage: priced(same),
        originalUsage: priced(same),
        originalDurationMs: same,
        timing: 'paired' as const,
      };
      const summary = run(8, () => ({ ...unchanged, ...used, ...both }), repeat);
      const gate: Gate = { scores: { a: { maxDrop: 0 } }, costUsd: { maxRise: 0 }, p95Ms: { maxRise: 0 } };
      expect(decide(summary, gate)).toMatchObject({ passed: true, failures: [], notes: [] });
      expect(summary.scores['a']).toMatchObject({ worse: [], better: 0, delta: { mean: 0, p: 1 } });
    }),
    { numRuns: 30 },
  );
});

it('a mean that equals its minimum except for rounding passes, in any order of items', () => {
  const tenths = fc.array(fc.integer({ min: 0, max: 10 }), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(tenths, (parts) => {
      const exact = parts.reduce((sum, part) => sum + part, 0) / 10 / parts.length;
      for (const order of [parts, parts.toReversed(), parts.toSorted((a, b) => a - b)]) {
        const summary = run(order.length, (index) => ({ scores: score((order[index] ?? 0) / 10) }));
        expect(decide(summary, { scores: { a: { min: exact } } }).failures).toEqual([]);
        expect(decide(summary, { scores: { a: { min: exact + 0.001 } } }).failures).toHaveLength(1);
      }
    }),
  );
});

describe('A number that cannot be compared', () => {
  it.each([NaN, Infinity, -Infinity, 1e200])('is unknown, and fails a limit: %d', (value) => {
    const summary = run(20, (index) => ({
      scores: score(index < 10 ? value : 1),
      originalScores: score(1),
      durationMs: index < 10 ? value : 5,
      originalDurationMs: 5,
      timing: 'paired' as const,
      usage: index < 10 ? priced(value, value) : priced(1),
      originalUsage: priced(1),
      ...both,
    }));
    for (const gate of [
      { scores: { a: { maxDrop: 9 } } },
      { p95Ms: { maxRise: 9 } },
      { tokens: { maxRise: 9 } },
      { costUsd: { maxRise: 9 } },
    ] satisfies Gate[])
      expect(decide(summary, gate).failures).toEqual([expect.stringContaining('10 items')]);
  });

  it('is no score', async () => {
    const context = {} as never;
    for (const value of [NaN, Infinity, 1e101, -1e101]) {
      const { scores, errors } = await applyEvaluators(new Map([['a', () => value]]), context);
      expect([scores, errors.map(({ code }) => code)]).toEqual([[], ['EVALUATION_EVALUATOR_FAILED']]);
    }
    expect(await applyEvaluators(new Map([['a', () => 1e100]]), context)).toMatchObject({ errors: [] });
  });
});

it('detects a drop of the largest numbers', () => {
  const summary = run(20, (index) => ({
    scores: score(-1e99 * (1 + index / 7)),
    originalScores: score(1e99 * (1 + index / 3)),
  }));
  expect(decide(summary, { scores: { a: { maxDrop: 0 } } }).passed).toBe(false);
});

it('terminates for differences of any size', () => {
  const sizes = [1e-320, 1e-200, 1e-160, 1, 1e100, 1e150, 1e160, 1e200, 1e307];
  for (const size of sizes)
    for (const other of sizes) expect(typeof meanDifference([size, -other, size, other]).p).toBe('number');
  // Of a spread that is next to nothing beside its mean.
  expect(meanDifference([1e200, 1e200 * (1 + 1e-15), 1e200]).p).toBeDefined();
});
