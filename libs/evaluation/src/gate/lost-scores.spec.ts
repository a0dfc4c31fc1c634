import fc from 'fast-check';
import { toMarkdown } from '../reports/markdown.js';
import { toText } from '../reports/text.js';
import type { TalliedItem } from '../run/item-tally.js';
import { RunTally } from '../run/run-tally.js';
import type { Decision, RunSummary } from '../run/run.js';
import type { NamedScore } from '../run/score.js';
import { decide as decideSummary } from './decide.js';
import { type Gate, readGate } from './gate.js';

/** What is said of a score; the text `absent`: nothing at all. */
type Said = NamedScore['score'];
const said = (score: Said): NamedScore[] => (score === 'absent' ? [] : [{ name: 'accuracy', score }]);

type TalliedRun = RunSummary & Pick<RunTally, 'summarize'>;

/** An item by its calls: what is said before and now. */
function run(items: readonly (readonly [before: Said, now: Said][])[]): TalliedRun {
  const tally = new RunTally();
  for (const [itemNo, repetitions] of items.entries())
    for (const [repetition, [before, now]] of repetitions.entries())
      tally.add({
        ...({ itemNo, repetition, verdict: 'same', divergences: [] } as Omit<TalliedItem, 'scores'>),
        scores: said(now),
        originalScores: said(before),
      });
  return { ...tally.summarize(), summarize: (limits) => tally.summarize(limits) };
}

/** Decides as the replay engine does: the summary is made with the gate. */
const decide = (tallied: TalliedRun, gate: Gate): Decision =>
  decideSummary(tallied.summarize(readGate(gate)), gate);

const kept = Array.from({ length: 17 }, () => [[1, 1]] as [Said, Said][]);
const gate = (lost?: number): Gate => ({
  scores: { accuracy: { maxDrop: 0, ...(lost !== undefined && { lost }) } },
});
const LOST =
  'accuracy lost its number for 3 items that have one in the baseline. ' +
  'Return a number for them, or allow this number with scores.accuracy.lost.';

describe('A score of the baseline', () => {
  const bad = (now: Said): TalliedRun => run([...kept, [[1, now]], [[0.5, now]], [[true, now]]]);

  it.each<[string, Said]>([
    ['does not apply any more', null],
    ['sorts now', 'fine'],
  ])('fails the gate that names it when it %s', (_, now) => {
    expect(bad(now).scores['accuracy']).toMatchObject({ lost: 3, missing: 0, delta: { n: 17 } });
    expect(decide(bad(now), gate())).toMatchObject({ passed: false, failures: [LOST] });
    expect(decide(bad(now), { scores: { accuracy: { min: 0.1 } } }).failures).toEqual([LOST]);
    expect(decide(bad(now), { scores: { accuracy: {} } }).failures).toEqual([LOST]);
    expect(decide(bad(now), {}).passed).toBe(true);
  });

  it('may be lost as often as the gate allows, with a note', () => {
    expect(decide(bad(null), gate(2)).failures).toEqual([
      LOST.replace('baseline. Return', 'baseline. The gate allows 2. Return'),
    ]);
    const { passed, notes } = decide(bad(null), gate(3));
    expect([passed, notes]).toEqual([
      true,
      [
        'accuracy does not apply to 3 items.',
        'accuracy lost its number for 3 items that have one in the baseline; the gate allows 3.',
      ],
    ]);
  });

  it('fails as missing when it is absent, regardless of `lost`', () => {
    expect(bad('absent').scores['accuracy']).not.toHaveProperty('lost');
    expect(decide(bad('absent'), gate(20)).failures).toEqual([
      '3 items have no score accuracy: the call or the evaluator failed.',
    ]);
  });

  it('is counted in the reports', () => {
    const report = { ...bad(null), items: [], failures: [] };
    expect(toText(report)).toContain('17, 3 n/a, 3 lost');
    expect(toMarkdown(report)).toContain('17, 3 n/a, 3 lost');
  });

  it('refuses a `lost` limit that is not a count', () => {
    expect(() => decide(bad(null), gate(-1))).toThrow(
      'gate.scores.accuracy.lost must be a whole number of at least 0, not -1',
    );
  });
});

describe('An item with repetitions has lost a score', () => {
  it.each<[string, [Said, Said][], number | undefined]>([
    [
      'where one of them has none now',
      [
        [1, 1],
        ['absent', null],
      ],
      1,
    ],
    [
      'where the first has none now, which alone has the baseline',
      [
        [1, null],
        ['absent', 1],
      ],
      1,
    ],
    [
      'not where all have it',
      [
        [1, 1],
        ['absent', 0],
      ],
      undefined,
    ],
    [
      'where each is compared with itself, and one of them has none now',
      [
        [1, null],
        [null, 1],
      ],
      1,
    ],
    [
      'not where each is compared with itself, and one has none before and now',
      [
        [1, 1],
        [null, null],
      ],
      undefined,
    ],
  ])('%s', (_, items, lost) => {
    expect(run([...kept, items]).scores['accuracy']?.lost).toBe(lost);
  });
});

it('a gate that names a score passes only if each item that had a number has one now', () => {
  const anySaid = fc.constantFrom<Said>(0, 1, 0.5, true, false, null, 'fine', 'absent');
  const anyItems = fc.array(fc.tuple(fc.tuple(anySaid, anySaid)), { minLength: 1, maxLength: 12 });
  const isNumber = (value: Said): boolean => typeof value === 'number' || typeof value === 'boolean';
  fc.assert(
    fc.property(anyItems, (items) => {
      const { passed } = decide(run(items), gate());
      const [pairs, isAnyLost] = [
        items.filter(([[before, now]]) => isNumber(before) && isNumber(now)),
        items.some(([[before, now]]) => isNumber(before) && !isNumber(now)),
      ];
      const isAnyMissing = items.some(([[, now]]) => now === 'absent');
      // Five pairs are too few to show a drop.
      if (isAnyLost || isAnyMissing || pairs.length < 6) expect(passed).toBe(false);
      // No drop, and nothing lost: there is nothing to fail for.
      else if (pairs.every(([[before, now]]) => Number(now) >= Number(before))) expect(passed).toBe(true);
    }),
  );
});
