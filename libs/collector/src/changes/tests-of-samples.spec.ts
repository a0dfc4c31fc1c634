import fc from 'fast-check';
import { exactShareTest } from './exact-test.js';
import { rankSumTest } from './rank-sum-test.js';

describe('exactShareTest', () => {
  it('returns the probability of published tables', () => {
    // R. A. Fisher's lady tasting tea: all four of four, and three of four.
    expect(exactShareTest({ hits: 4, of: 4 }, { hits: 0, of: 4 })).toBeCloseTo(1 / 70, 12);
    expect(exactShareTest({ hits: 3, of: 4 }, { hits: 1, of: 4 })).toBeCloseTo(17 / 70, 12);
  });

  it('is 1 without hits or calls, and at least a half where both shares are equal', () => {
    expect(exactShareTest({ hits: 0, of: 9 }, { hits: 3, of: 9 })).toBeCloseTo(1, 12);
    expect(exactShareTest({ hits: 0, of: 0 }, { hits: 0, of: 0 })).toBeCloseTo(1, 12);
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(3000), (hits, misses) => {
        const share = { hits, of: hits + misses };
        expect(exactShareTest(share, share)).toBeGreaterThanOrEqual(0.5);
      }),
    );
  });

  it('stays precise for millions of calls', () => {
    const p = exactShareTest({ hits: 50_000, of: 1e6 }, { hits: 50_000, of: 1e6 });
    expect(p).toBeCloseTo(0.5009, 3);
  });
});

describe('rankSumTest', () => {
  const value = fc.integer({ min: 0, max: 6 });

  it('is the share of all divisions of the values with ranks at least as high', () => {
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 5 }),
        fc.array(value, { minLength: 1, maxLength: 5 }),
        (a, b) => {
          expect(rankSumTest(a, b)).toBeCloseTo(byDivisions(a, b), 10);
        },
      ),
    );
  });

  it('is close to that share for the normal distribution, too', () => {
    const [a, b] = [
      Array.from({ length: 13 }, (_, no) => no * 2),
      Array.from({ length: 13 }, (_, no) => no * 2 - 5),
    ];
    const exact = rankSumTest(a.slice(0, 12), b.slice(0, 12));
    expect(Math.abs(rankSumTest(a, b) - exact)).toBeLessThan(0.05);
  });

  it('is 1 without values, and at least a half between equal sides', () => {
    expect(rankSumTest([], [1])).toBe(1);
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (values) => {
        expect(rankSumTest(values, values)).toBeGreaterThanOrEqual(0.5);
      }),
    );
  });
});

function byDivisions(a: readonly number[], b: readonly number[]): number {
  const all = [...a, ...b];
  const rank = (one: number): number =>
    all.filter((other) => other < one).length + (all.filter((other) => other === one).length + 1) / 2;
  const ranks = all.map(rank);
  const sumOf = (mask: number): number =>
    ranks.reduce((sum, one, no) => sum + ((mask >> no) & 1 ? one : 0), 0);
  const observed = sumOf(2 ** a.length - 1);
  const masks = Array.from({ length: 2 ** all.length }, (_, mask) => mask).filter(
    (mask) => mask.toString(2).replaceAll('0', '').length === a.length,
  );
  return masks.filter((mask) => sumOf(mask) >= observed - 1e-9).length / masks.length;
}
