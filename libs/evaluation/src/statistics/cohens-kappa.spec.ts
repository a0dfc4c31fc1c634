import fc from 'fast-check';
import { cohensKappa, type Rating } from './cohens-kappa.js';

/** `table[i][j]`: how many items the first rater puts into category i and the second one into category j. */
function toPairs(table: readonly (readonly number[])[]): [string, string][] {
  return table.flatMap((row, i) =>
    row.flatMap((count, j) => Array.from({ length: count }, (): [string, string] => [`c${i}`, `c${j}`])),
  );
}

describe("Cohen's kappa", () => {
  it('equals published values', () => {
    // Fleiss, Cohen and Everitt, 1969, table 1: 200 items, three categories.
    const table = [
      [106, 10, 4],
      [22, 28, 10],
      [2, 12, 6],
    ];
    const { kappa, agreed, agreedByChance, interval } = cohensKappa(toPairs(table));
    expect(kappa).toBeCloseTo(0.429, 3);
    expect(agreed).toBeCloseTo(0.7, 12);
    expect(agreedByChance).toBeCloseTo(0.475, 12);
    // Their standard error is 0.053; two added pairs change it by little.
    const halfWidth = ((interval?.high ?? 0) - (interval?.low ?? 0)) / 2;
    expect(halfWidth / 1.972).toBeCloseTo(0.053, 2);
  });

  it.each<[string, [Rating, Rating][], number]>([
    [
      'full agreement',
      toPairs([
        [5, 0],
        [0, 5],
      ]),
      1,
    ],
    [
      'agreement by chance',
      toPairs([
        [4, 4],
        [4, 4],
      ]),
      0,
    ],
    [
      'full disagreement',
      toPairs([
        [0, 5],
        [5, 0],
      ]),
      -1,
    ],
    [
      'one rater who says one thing only',
      toPairs([
        [7, 0],
        [3, 0],
      ]),
      0,
    ],
  ])('of %s is known', (_, pairs, kappa) => {
    expect(cohensKappa(pairs).kappa).toBeCloseTo(kappa, 12);
  });

  it('keeps categories of different types apart', () => {
    const pairs: [Rating, Rating][] = [
      [1, '1'],
      [true, 'true'],
      [1, 1],
    ];
    expect(cohensKappa(pairs).agreed).toBeCloseTo(1 / 3, 12);
  });

  it('is undefined with a reason without items, or with one category', () => {
    expect(cohensKappa([])).toEqual({
      n: 0,
      agreed: 0,
      agreedByChance: 0,
      kappa: null,
      reason: 'No item has two ratings.',
    });
    const alike = cohensKappa([
      ['yes', 'yes'],
      ['yes', 'yes'],
    ]);
    expect(alike).toMatchObject({ n: 2, agreed: 1, kappa: null });
    expect(alike.reason).toMatch(/one category/);
    expect(alike).not.toHaveProperty('interval');
  });

  it('has no interval for one item', () => {
    expect(cohensKappa([['yes', 'no']])).toEqual({ n: 1, agreed: 0, agreedByChance: 0, kappa: 0 });
  });

  it('has an interval below 1 when all ratings agree', () => {
    const { interval } = cohensKappa(
      toPairs([
        [5, 0],
        [0, 5],
      ]),
    );
    expect(interval?.low).toBeLessThan(0.7);
    expect(interval?.high).toBe(1);
  });

  it('refuses an invalid rating', () => {
    expect(() => cohensKappa([[NaN, 1]])).toThrow('pairs has the rating NaN');
    expect(() => cohensKappa([[null as unknown as string, 'yes']])).toThrow('pairs has the rating null');
    expect(() => cohensKappa([], 95)).toThrow('confidence');
  });

  it('is never NaN, does not depend on the order of items, and is the same for both raters', () => {
    const rating = fc.constantFrom('a', 'b', 'c', 1, true);
    const pairs = fc.array(fc.tuple(rating, rating), { maxLength: 40 });
    fc.assert(
      fc.property(pairs, (ratings) => {
        const { kappa, interval, agreed } = cohensKappa(ratings);
        if (kappa === null) return;
        expect(kappa).toBeGreaterThanOrEqual(-1);
        expect(kappa).toBeLessThanOrEqual(1);
        const mirrored = cohensKappa(ratings.map(([one, other]): [Rating, Rating] => [other, one]).reverse());
        expect(mirrored.kappa).toBeCloseTo(kappa, 9);
        expect(agreed === 1).toBe(kappa === 1);
        if (interval === undefined) return;
        for (const end of [interval.low, interval.high]) expect(Math.abs(end)).toBeLessThanOrEqual(1);
        expect(interval.low).toBeLessThanOrEqual(interval.high);
      }),
    );
  });
});
