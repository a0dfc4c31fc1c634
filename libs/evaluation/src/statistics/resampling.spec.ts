import { defaultResamples, quantileOf, shareBelow } from './bootstrap.js';
import { numberClusters, sumByCluster } from './clusters.js';
import { smallestP, withoutFalseCertainty, withP } from './interval.js';

describe('resampling', () => {
  it('draws less often the more there is to draw, within bounds', () => {
    expect([1, 2_000, 4_000, 10_000, 1_000_000].map(defaultResamples)).toEqual([
      10_000, 10_000, 5_000, 2_000, 2_000,
    ]);
  });

  it('counts ties half, rounding aside, and is never quite sure', () => {
    expect(shareBelow(Float64Array.of(1, 2, 2, 3), 2)).toBe(0.5);
    expect(shareBelow(Float64Array.of(1, 2, 3, 4), 2)).toBe(0.375);
    expect(shareBelow(Float64Array.of(1, 2 + 1e-15, 2 - 1e-15, 3), 2)).toBe(0.5);
    expect(shareBelow(Float64Array.of(-4, -3, -2, -1), -2)).toBe(0.625);
    expect(shareBelow(Float64Array.of(1, 2, 3, 4), 9)).toBe(0.875);
    expect(shareBelow(Float64Array.of(1, 2, 3, 4), 0)).toBe(0.125);
    expect(shareBelow(Float64Array.of(0, 0, 0), 0)).toBe(0.5);
  });

  it('takes for rounding what is small beside the largest value, on either side', () => {
    const tie = 2e6 + 1e-7;
    expect(shareBelow(Float64Array.of(0, 1, tie, 3e6), 2e6)).toBe(0.625);
    expect(shareBelow(Float64Array.of(-3e6, -tie, -1, 0), -2e6)).toBe(0.375);
    expect(shareBelow(Float64Array.of(1e-6, 2e-6, 2.001e-6, 3e-6), 2e-6)).toBe(0.375);
  });

  it('takes quantiles between two values in proportion', () => {
    const sorted = Float64Array.of(10, 20, 30, 50);
    expect([0, 0.25, 0.5, 0.9, 1].map((share) => quantileOf(sorted, share))).toEqual([
      10,
      17.5,
      25,
      expect.closeTo(44, 9),
      50,
    ]);
  });
});

describe('clusters', () => {
  it('gather what has one name, and leave apart what has none', () => {
    expect([...numberClusters(5, ['a', undefined, 'b', 'a', undefined])]).toEqual([0, 1, 2, 0, 3]);
    expect([...numberClusters(3, undefined)]).toEqual([0, 1, 2]);
    const { sums, counts, total, n } = sumByCluster([1, 2, 3, 4, 5], ['a', undefined, 'b', 'a', undefined]);
    expect([[...sums], [...counts], total, n]).toEqual([[5, 2, 3, 5], [2, 1, 1, 1], 15, 5]);
  });
});

describe('a p that finds nothing', () => {
  const found = { mean: 3, interval: { low: 2, high: 4 }, p: 0.01, n: 9 };

  it('makes the interval reach to 0, from either side', () => {
    expect(withP(found, 0.2, 0.95)).toEqual({ ...found, p: 0.2, interval: { low: 0, high: 4 } });
    const below = { ...found, interval: { low: -4, high: -2 } };
    expect(withP(below, 0.2, 0.95).interval).toEqual({ low: -4, high: 0 });
    expect(withP(found, 0.5, 0.5).interval).toEqual({ low: 0, high: 4 });
    expect(withP(found, 0.04, 0.95)).toEqual({ ...found, p: 0.04 });
    expect(withP({ mean: 1, p: 0.5, n: 1 }, 1, 0.95)).toEqual({ mean: 1, p: 1, n: 1 });
  });

  it('is at least that of the test of signs', () => {
    expect([0, 1, 2, 6].map(smallestP)).toEqual([1, 1, 0.5, 0.03125]);
    expect(withoutFalseCertainty(found, 6, 0.95)).toEqual({ ...found, p: 0.03125 });
    expect(withoutFalseCertainty(found, 100, 0.95)).toEqual(found);
    expect(withoutFalseCertainty(found, 5, 0.95)).toMatchObject({ p: 0.0625, interval: { low: 0 } });
  });
});
