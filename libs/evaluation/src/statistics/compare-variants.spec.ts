import fc from 'fast-check';
import { describeComparison } from '../reports/variants.js';
import { compareVariants, type VariantScores } from './compare-variants.js';

/** A variant with one score, `exact`; `undefined` where an item has none. */
const variant = (name: string, scores: readonly (number | undefined)[]): VariantScores => {
  const byItem = scores.flatMap((score, item) => (score === undefined ? [] : [[item, score] as const]));
  return { name, scores: new Map([['exact', new Map(byItem)]]) };
};
const repeated = (times: number, score: number): number[] => Array.from({ length: times }, () => score);
const sentences = (...compared: Parameters<typeof compareVariants>): string[] =>
  compareVariants(...compared).map(describeComparison);

describe('compareVariants', () => {
  it('finds the better of two variants, with p and n', () => {
    // Ten sign changes: 2 of 1,024 are as extreme.
    const [comparison] = compareVariants([
      variant('short', repeated(10, 0)),
      variant('long', repeated(10, 1)),
    ]);
    expect(comparison).toMatchObject({
      variants: ['long', 'short'],
      means: [1, 0],
      outcome: 'evidence',
      difference: { p: 2 / 1024, n: 10 },
    });
    expect(describeComparison(comparison!)).toBe(
      'exact: long is better than short, 1 against 0 (p = 0.002, n = 10)',
    );
  });

  it('finds no evidence when each variant is better on some items', () => {
    const scores = [1, 0, 1, 0, 1, 0, 1, 0];
    expect(sentences([variant('a', scores), variant('b', scores.toReversed())])).toEqual([
      'exact: no evidence of a difference between a and b, 0.5 against 0.5 (p = 1, n = 8)',
    ]);
  });

  it('reports the needed number of items when there are too few', () => {
    expect(sentences([variant('a', repeated(3, 1)), variant('b', repeated(3, 0))])).toEqual([
      'exact: too few items to compare a with b, 1 against 0 (n = 3; at least 6 needed)',
    ]);
  });

  it('declares no winner that lacks the score for items that the other one scored', () => {
    const [comparison] = compareVariants([
      variant('a', [...repeated(10, 1), ...repeated(5, NaN).map(() => undefined)]),
      variant('b', [...repeated(10, 0), ...repeated(5, 1)]),
    ]);
    expect(comparison).toMatchObject({ outcome: 'unpaired', unpaired: [0, 5] });
    expect(describeComparison(comparison!)).toBe(
      'exact: no decision between a and b, 1 against 0 on the items that both scored (p = 0.002, n = 10); a has no score for 5 items',
    );
  });

  it('declares a winner when only the loser lacks the score for some items', () => {
    const [comparison] = compareVariants([variant('a', repeated(12, 1)), variant('b', repeated(10, 0))]);
    expect(comparison).toMatchObject({ outcome: 'evidence', unpaired: [2, 0] });
  });

  it('is corrected for all pairs of variants', () => {
    const three = [
      variant('a', repeated(10, 0)),
      variant('b', repeated(10, 0.5)),
      variant('c', repeated(10, 1)),
    ];
    const compared = compareVariants(three);
    expect(compared.map(({ variants }) => variants)).toEqual([
      ['b', 'a'],
      ['c', 'a'],
      ['c', 'b'],
    ]);
    for (const { difference } of compared) expect(difference.p).toBeCloseTo((3 * 2) / 1024);
    expect(compareVariants(three.map(({ name }) => variant(name, repeated(6, 1))))).toMatchObject([
      { outcome: 'too_few', neededItems: 7 },
      { outcome: 'too_few' },
      { outcome: 'too_few' },
    ]);
  });

  it('counts a session as one observation', () => {
    const sessions = new Map(repeated(10, 0).map((_, item) => [item, 'one session']));
    const variants = [variant('a', repeated(10, 1)), variant('b', repeated(10, 0))];
    expect(compareVariants(variants, { sessions })).toMatchObject([{ outcome: 'too_few' }]);
  });

  it('compares nothing for a score without items, and too few items for a score of one variant', () => {
    expect(compareVariants([variant('a', []), variant('b', [])])).toEqual([]);
    expect(compareVariants([variant('a', repeated(10, 1)), variant('b', [])])).toMatchObject([
      { outcome: 'too_few', difference: { n: 0 } },
    ]);
  });

  it('returns the same result in both orders of variants', () => {
    const scores = fc.array(fc.constantFrom(0, 0.5, 1, undefined), { minLength: 9, maxLength: 9 });
    fc.assert(
      fc.property(scores, scores, (a, b) => {
        const facts = (order: VariantScores[]): unknown =>
          compareVariants(order).map(({ outcome, difference: { p, n, mean } }) => [
            outcome,
            p,
            n,
            Math.abs(mean),
          ]);
        const [one, other] = [variant('a', a), variant('b', b)];
        const isTie = compareVariants([one, other])[0]?.difference.mean === 0;
        // Of equal means, the first is named first.
        if (!isTie) expect(facts([one, other])).toEqual(facts([other, one]));
      }),
    );
  });
});
