import fc from 'fast-check';
import type { TalliedItem } from '../run/item-tally.js';
import { RunTally } from '../run/run-tally.js';
import { decide } from './decide.js';
import type { Gate } from './gate.js';

/** What an item came to, the best first. */
const OUTCOMES = ['same', 'failing as before', 'unknown', 'changed', 'other error', 'new error'] as const;
type Outcome = (typeof OUTCOMES)[number];

const FACTS: Record<Outcome, Pick<TalliedItem, 'verdict' | 'newError' | 'failingAsBefore'>> = {
  same: { verdict: 'same' },
  'failing as before': { verdict: 'same', failingAsBefore: true },
  unknown: { verdict: 'unknown' },
  changed: { verdict: 'changed' },
  'other error': { verdict: 'error' },
  'new error': { verdict: 'error', newError: true },
};

interface Item {
  readonly outcome: Outcome;
  readonly before: number;
  readonly now: number;
  readonly sessionId: string | undefined;
}

const unit = fc.integer({ min: 0, max: 8 }).map((eighths) => eighths / 8);
const item: fc.Arbitrary<Item> = fc.record({
  outcome: fc.constantFrom(...OUTCOMES),
  before: unit,
  now: unit,
  sessionId: fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }),
});
const count = fc.nat({ max: 4 });
const counts = { changed: count, unknown: count, errors: count, diverged: count, minItems: count };
const countGate: fc.Arbitrary<Gate> = fc.record(counts, { requiredKeys: [] });
const scoreLimit = fc.record({ min: unit, maxDrop: unit }, { requiredKeys: [] });
const anyGate: fc.Arbitrary<Gate> = fc.record(
  { ...counts, scores: fc.record({ good: scoreLimit }) },
  { requiredKeys: [] },
);

function makeTally(items: readonly Item[]): RunTally {
  const tally = new RunTally();
  for (const [itemNo, { outcome, before, now, sessionId }] of items.entries())
    tally.add({
      // An error without a duration is one of a call that could not be made.
      itemNo,
      durationMs: 1,
      divergences: [],
      ...FACTS[outcome],
      scores: [{ name: 'good', score: now }],
      originalScores: [{ name: 'good', score: before }],
      ...(sessionId !== undefined && { sessionId }),
    });
  return tally;
}

const passes = (items: readonly Item[], gate: Gate): boolean =>
  decide(makeTally(items).summarize(gate), gate).passed;

/** By the words of the documentation alone. */
function passesByCounts(items: readonly Item[], { changed, unknown, errors, minItems = 1 }: Gate): boolean {
  const number = (...of: Outcome[]): number => items.filter(({ outcome }) => of.includes(outcome)).length;
  if (items.length < minItems) return false;
  const newErrors = number('new error');
  const all = newErrors + number('other error');
  if (errors === undefined ? newErrors > 0 : all > errors) return false;
  if (unknown !== undefined && number('unknown') > unknown) return false;
  const asChanged =
    number('changed') +
    newErrors +
    (errors === undefined ? number('other error') : 0) +
    (unknown === undefined ? number('unknown') : 0);
  return changed === undefined || asChanged <= changed;
}

describe('A gate on random items', () => {
  it('counts as documented', () => {
    fc.assert(
      fc.property(fc.array(item, { maxLength: 12 }), countGate, (items, gate) => {
        expect(passes(items, gate)).toBe(passesByCounts(items, gate));
      }),
    );
  });

  it('still fails when an item of a failed run gets worse', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 12 }),
        anyGate,
        fc.nat(),
        fc.constantFrom(...OUTCOMES),
        (items, gate, at, outcome) => {
          fc.pre(!passes(items, gate));
          const index = at % items.length;
          const before = items[index]!;
          fc.pre(OUTCOMES.indexOf(outcome) > OUTCOMES.indexOf(before.outcome));
          // An error that has a limit of its own no longer counts as unknown or changed: only new errors count in both.
          fc.pre(gate.errors === undefined || outcome !== 'other error');
          fc.pre(gate.unknown === undefined || before.outcome !== 'unknown');
          expect(passes(items.with(index, { ...before, outcome }), gate)).toBe(false);
        },
      ),
    );
  });

  it('still fails when a score of a failed run gets lower', () => {
    fc.assert(
      fc.property(
        fc.array(item, { minLength: 1, maxLength: 12 }),
        anyGate,
        fc.nat(),
        unit,
        (items, gate, at, now) => {
          fc.pre(!passes(items, gate));
          const index = at % items.length;
          const before = items[index]!;
          fc.pre(now < before.now);
          expect(passes(items.with(index, { ...before, now }), gate)).toBe(false);
        },
      ),
    );
  });
});
