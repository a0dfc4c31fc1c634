import fc from 'fast-check';
import { numberClusters, sumByCluster } from './clusters.js';
import type { Difference } from './interval.js';
import { meanDifference, meanEvidence } from './mean-difference.js';
import { percentileDifference, percentileEvidence, quantile } from './percentile-difference.js';

/** Extra hours of sleep of ten patients: Student, "The Probable Error of a Mean", Biometrika 6, 1908. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];

/** Every choice of one repetition of each cluster, or none of it: its sum and its count. */
function everyExchange(clusters: readonly (readonly [sums: readonly number[], count: number])[]) {
  let exchanges = [{ sum: 0, count: 0 }];
  for (const [sums, count] of clusters)
    exchanges = exchanges.flatMap((so) => [
      so,
      ...sums.map((sum) => ({ sum: so.sum + sum, count: so.count + count })),
    ]);
  return exchanges;
}

/** P(X ≤ most) of a fair coin that is thrown so many times. */
function binomialTail(throws: number, most: number): number {
  let [term, sum] = [2 ** -throws, 0];
  for (let heads = 0; heads <= most; heads += 1) {
    sum += term;
    term *= (throws - heads) / (heads + 1);
  }
  return sum;
}

describe('meanDifference', () => {
  it("agrees with the exact randomization test of Student's data", () => {
    // All differences but one are positive, the other is 0: of 2^10 exchanges, 2 are as extreme in one direction.
    expect(meanDifference(SLEEP)).toMatchObject({
      mean: 1.58,
      p: 4 / 1024,
      n: 10,
      units: 10,
      smallestP: 2 / 1024,
    });
  });

  it.each<[number, number, number]>([
    [6, 0, 0.03125],
    [5, 0, 0.0625],
    [7, 1, 0.0703125],
    [10, 2, 158 / 4096],
    [5, 5, 1],
    [0, 7, 0.015625],
  ])("is McNemar's exact test when %d items got worse and %d better", (worse, better, p) => {
    const differences = [...Array<number>(worse).fill(-1), ...Array<number>(better).fill(1)];
    expect(meanDifference(differences).p).toBeCloseTo(p, 12);
    if (differences.length < 13) expect(meanDifference([...differences, 0]).p).toBeCloseTo(p, 12);
  });

  it('is exact when at most 14 of many items differ, and its interval agrees', () => {
    const drawn = fc.tuple(fc.nat(7), fc.nat(7), fc.integer({ min: 15, max: 60 }));
    fc.assert(
      fc.property(drawn, fc.constantFrom(0.005, 0.025, 0.1), ([worse, better, equal], tail) => {
        const differences = [
          ...Array<number>(worse).fill(-1),
          ...Array<number>(equal).fill(0),
          ...Array<number>(better).fill(1),
        ];
        const evidence = meanEvidence(differences);
        expect(evidence.pBelow(0)).toBeCloseTo(binomialTail(worse + better, better), 12);
        expect(evidence.pAbove(0)).toBeCloseTo(binomialTail(worse + better, worse), 12);
        const { low, high } = evidence.interval(tail)!;
        expect(low <= evidence.estimate && evidence.estimate <= high).toBe(true);
        expect(high < 0).toBe(evidence.pBelow(0) <= tail);
        expect(low > 0).toBe(evidence.pAbove(0) <= tail);
      }),
    );
    // By drawn exchanges alone, 0 would be inside or outside the interval by chance where p is at the level.
    for (const sign of [-1, 1]) {
      for (const [most, fewest] of [
        [12, 2],
        [11, 3],
        [7, 1],
        [6, 0],
        [9, 4],
      ] as const) {
        const differences = [
          ...Array<number>(most).fill(sign),
          ...Array<number>(40).fill(0),
          ...Array<number>(fewest).fill(-sign),
        ];
        const evidence = meanEvidence(differences);
        const p = binomialTail(most + fewest, fewest);
        const end = (tail: number): number => {
          const { low, high } = evidence.interval(tail)!;
          return sign < 0 ? high : -low;
        };
        expect(end(p * 1.000001)).toBeLessThan(0);
        expect(end(p * 1.000001)).toBeGreaterThan(-0.1);
        expect(end(p * 0.999999)).toBeGreaterThanOrEqual(0);
        expect(end(p * 0.999999)).toBeLessThan(0.1);
      }
    }
    expect(meanDifference([...Array<number>(6).fill(-1), ...Array<number>(14).fill(0)]).p).toBe(2 * 2 ** -6);
    // A session whose differences cancel out adds nothing either.
    const clusters = Array.from({ length: 20 }, (_, index) => `s${Math.max(0, index - 4)}`);
    const cancelling = [1, -1, 1, -1, 0, ...Array<number>(6).fill(-1), ...Array<number>(9).fill(0)];
    expect(meanDifference(cancelling, { clusters }).p).toBe(2 * 2 ** -6);
  });

  it('is exact when few of many repeated items differ', () => {
    const differences = [...Array<number[]>(5).fill([-1, -1]), ...Array<number[]>(15).fill([0, 0])];
    // Each cluster has three candidates for the baseline, one of which leaves the sum of the cluster at 0.
    expect(meanEvidence(differences).pBelow(0)).toBe(3 ** -5);
  });

  it('exchanges whole clusters, and each repetition with the shared baseline', () => {
    const difference = fc.integer({ min: -3, max: 3 });
    const cluster = fc.integer({ min: 1, max: 3 }).chain((repeat) =>
      fc.array(fc.array(difference, { minLength: repeat, maxLength: repeat }), {
        minLength: 1,
        maxLength: 3,
      }),
    );
    fc.assert(
      fc.property(fc.array(cluster, { minLength: 1, maxLength: 5 }), difference, (items, limit) => {
        const names = items.flatMap((pairs, index) => pairs.map(() => `s${index}`));
        const evidence = meanEvidence(items.flat(), names);
        const all = everyExchange(
          items.map((pairs) => [
            (pairs[0] ?? []).map((_, repetition) =>
              pairs.reduce((sum, pair) => sum + (pair[repetition] ?? 0), 0),
            ),
            pairs.length,
          ]),
        );
        const share = (isExtreme: (mean: number) => boolean): number =>
          all.filter(({ sum, count }) => count === 0 || isExtreme(sum / count)).length / all.length;
        expect(evidence.pBelow(limit)).toBeCloseTo(
          share((mean) => mean >= limit),
          12,
        );
        expect(evidence.pAbove(limit)).toBeCloseTo(
          share((mean) => mean <= limit),
          12,
        );
        expect(evidence.smallestP).toBeCloseTo(1 / all.length, 12);
        expect(evidence.units).toBe(items.length);
      }),
      { numRuns: 60 },
    );
  });

  it('has an interval of the limits that are not rejected, within the range of the data', () => {
    const values = fc.array(fc.integer({ min: -10, max: 10 }), { minLength: 1, maxLength: 18 });
    fc.assert(
      fc.property(values, fc.constantFrom(0.005, 0.025, 0.05, 0.25), (differences, tail) => {
        const evidence = meanEvidence(differences);
        const interval = evidence.interval(tail);
        if (interval === undefined) {
          expect(evidence.smallestP).toBeGreaterThan(tail);
          return;
        }
        const { low, high } = interval;
        expect(low).toBeGreaterThanOrEqual(Math.min(...differences));
        expect(high).toBeLessThanOrEqual(Math.max(...differences));
        expect(low <= evidence.estimate && evidence.estimate <= high).toBe(true);
        expect(evidence.pBelow(high + 1e-6)).toBeLessThanOrEqual(tail + 1e-12);
        expect(evidence.pAbove(low - 1e-6)).toBeLessThanOrEqual(tail + 1e-12);
        if (high > evidence.estimate) expect(evidence.pBelow(high)).toBeGreaterThan(tail);
        if (low < evidence.estimate) expect(evidence.pAbove(low)).toBeGreaterThan(tail);
      }),
      { numRuns: 100 },
    );
  });

  it('draws exchanges with a fixed seed when there are too many to visit', () => {
    const many = Array.from({ length: 40 }, (_, index) => Math.sin(index) + 0.2);
    expect(meanDifference(many)).toEqual(meanDifference(many));
    expect(meanDifference(Array<number>(15).fill(-1))).toMatchObject({
      p: 2 / 10_001,
      smallestP: 2 / 10_001,
    });
    expect(meanDifference(Array<number>(14).fill(-1))).toMatchObject({ p: 2 ** -13, smallestP: 2 ** -13 });
    // Exact: 2 · P(Binomial(16, 1/2) ≤ 4) = 0.0768.
    const sixteen = [...Array<number>(12).fill(-1), ...Array<number>(4).fill(1)];
    expect(Math.abs(meanDifference(sixteen).p - 0.0768)).toBeLessThan(0.012);
    const repeated = Array.from({ length: 20 }, () => [-1, -1, 1]);
    expect(meanEvidence(repeated).pBelow(0)).toBeLessThan(0.2);
  });

  it('merges clusters above 1,000, and counts them all', () => {
    const many = Array.from({ length: 2_500 }, (_, index) => (index % 10 === 0 ? -1 : 0));
    const found = meanDifference(many);
    expect(found).toMatchObject({ mean: -0.1, n: 2_500, units: 2_500 });
    expect(found.p).toBeLessThan(0.001);
    expect(found.interval!.low).toBeLessThan(-0.1);
    expect(found.interval!.high).toBeGreaterThan(-0.12);
  });

  it.each([1e-300, 1e-12, 1, 1e99])('has the same p in any unit: %d', (unit) => {
    const found = meanDifference(SLEEP.map((hours) => hours * unit));
    expect(found.p).toBe(4 / 1024);
    expect(found.mean / unit).toBeCloseTo(1.58, 9);
  });

  it('has the same p for tenths and for whole numbers, despite rounding of sums', () => {
    const values = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 9 });
    fc.assert(
      fc.property(values, fc.integer({ min: -9, max: 9 }), (whole, limit) => {
        const [expected, found] = [whole, whole.map((value) => value / 10)].map((each) => meanEvidence(each));
        expect(found!.pBelow(limit / 10)).toBe(expected!.pBelow(limit));
        expect(found!.pAbove(limit / 10)).toBe(expected!.pAbove(limit));
      }),
    );
  });

  it('treats sums that differ only by rounding as equal', () => {
    expect(meanDifference([0.1, 0.2, -0.3, 0.1, 0.2, -0.3]).p).toBe(1);
    expect(meanEvidence([-0.1, -0.1, -0.1, -0.1, -0.1, -0.1]).pBelow(-0.1)).toBe(1);
  });
});

describe('percentileDifference', () => {
  const baseline = [100, 120, 95, 110, 300, 105, 99, 130, 115, 101, 98, 250];
  const candidate = [110, 125, 90, 150, 420, 100, 130, 128, 160, 111, 97, 260];

  it('agrees with all exchanges, by sorting', () => {
    const size = fc.integer({ min: 0, max: 9 });
    const pair = fc.tuple(size, size, fc.integer({ min: 0, max: 4 }));
    const share = fc.constantFrom(0, 0.3, 0.5, 0.95, 1);
    fc.assert(
      fc.property(fc.array(pair, { minLength: 1, maxLength: 9 }), share, size, (pairs, percentile, limit) => {
        const clusters = pairs.map(([, , session]) => `s${session}`);
        const [before, now] = [pairs.map(([value]) => value), pairs.map(([, value]) => value)];
        const evidence = percentileEvidence(before, now, { percentile, clusters });
        const names = [...new Set(clusters)];
        const differences = Array.from({ length: 2 ** names.length }, (_, mask) => {
          const isExchanged = (name: string): boolean => ((mask >> names.indexOf(name)) & 1) === 1;
          const exchangedQuantile = (of: (value: number, at: number) => number): number =>
            quantile(Float64Array.from(before, of).sort(), percentile);
          const shifted = now.map((value) => value - limit);
          const [from, to] = [before, shifted];
          return (
            exchangedQuantile((_, at) => (isExchanged(clusters[at]!) ? from[at]! : to[at]!)) -
            exchangedQuantile((_, at) => (isExchanged(clusters[at]!) ? to[at]! : from[at]!))
          );
        });
        const [observed = 0] = differences;
        const countShare = (isExtreme: (difference: number) => boolean): number =>
          differences.filter(isExtreme).length / differences.length;
        expect(evidence.pAbove(limit)).toBeCloseTo(
          countShare((one) => one >= observed - 1e-9),
          12,
        );
        expect(evidence.pBelow(limit)).toBeCloseTo(
          countShare((one) => one <= observed + 1e-9),
          12,
        );
        expect(evidence.estimate).toBeCloseTo(observed + limit, 9);
      }),
      { numRuns: 100 },
    );
  });

  it('has the same p for tenths and for whole numbers, despite rounding of differences', () => {
    const pair = fc.tuple(fc.nat(99), fc.nat(99));
    fc.assert(
      fc.property(
        fc.array(pair, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: -20, max: 20 }),
        (pairs, limit) => {
          const evidenceIn = (unit: number) =>
            percentileEvidence(
              pairs.map(([value]) => value / unit),
              pairs.map(([, value]) => value / unit),
            );
          const [expected, found] = [evidenceIn(1), evidenceIn(10)];
          expect(found.pBelow(limit / 10)).toBe(expected.pBelow(limit));
          expect(found.pAbove(limit / 10)).toBe(expected.pAbove(limit));
          expect(found.estimate === 0).toBe(expected.estimate === 0);
        },
      ),
    );
  });

  it('has no interval', () => {
    const found = percentileDifference(baseline, candidate);
    expect(found).toMatchObject({ mean: expect.closeTo(59.5, 9), n: 12, units: 12 });
    expect(found).not.toHaveProperty('interval');
    expect(percentileDifference(baseline, candidate, { percentile: 0 }).mean).toBe(-5);
    expect(percentileDifference(baseline, candidate, { percentile: 1 }).mean).toBe(120);
  });

  it('refuses sides of different lengths', () => {
    expect(() => percentileDifference([1], [1, 2])).toThrow(
      'candidate must have the 1 items of baseline, not 2. Omit items that were measured on one side only.',
    );
    expect(() => percentileDifference([1, Infinity], [1, 2])).toThrow('baseline[1] must be a finite number');
    expect(() => percentileDifference([1, 2], [NaN, 2])).toThrow('candidate[0] must be a finite number');
  });
});

describe.each([
  ['meanDifference', meanDifference],
  [
    'percentileDifference',
    (values: readonly number[], options?: object): Difference =>
      percentileDifference(
        values.map(() => 0),
        values,
        options,
      ),
  ],
] as const)('%s', (_, difference) => {
  it('has no evidence without pairs, with one pair, and with one cluster', () => {
    expect(difference([])).toEqual({ mean: 0, p: 1, n: 0, units: 0, smallestP: 1 });
    expect(difference([5])).toEqual({ mean: 5, p: 1, n: 1, units: 1, smallestP: 1 });
    const one = difference([5, 5, 5], { clusters: ['a', 'a', 'a'] });
    expect(one).toEqual({ mean: 5, p: 1, n: 3, units: 1, smallestP: 1 });
  });

  it('has no evidence when nothing differs', () => {
    expect(difference([0, 0, 0, 0, 0, 0, 0])).toMatchObject({ mean: 0, p: 1, n: 7 });
  });

  it('does not treat a few equal differences as certainty', () => {
    expect(difference([3, 3, 3, 3, 3])).toEqual({ mean: 3, p: 0.0625, n: 5, units: 5, smallestP: 0.0625 });
    expect(difference([-3, -3])).toMatchObject({ mean: -3, p: 0.5 });
    expect(difference([3, 3, 3, 3, 3, 3])).toMatchObject({ mean: 3, p: 0.03125 });
  });

  it('refuses invalid numbers, confidence and clusters', () => {
    expect(() => difference([1, NaN])).toThrow(
      /^(differences|candidate)\[1\] must be a finite number, not NaN\. Omit values that were not measured\.$/,
    );
    expect(() => difference([1, 2], { confidence: 1 })).toThrow('confidence must lie between 0 and 1');
    expect(() => difference([1, 2], { clusters: ['a'] })).toThrow(
      'clusters must name one for each of the 2 values, not 1. Use undefined for a value without a cluster.',
    );
  });
});

describe('clusters', () => {
  it('group values with the same name, and separate those without', () => {
    expect([...numberClusters(5, ['a', undefined, 'b', 'a', undefined])]).toEqual([0, 1, 2, 0, 3]);
    expect([...numberClusters(3, undefined)]).toEqual([0, 1, 2]);
    const { sums, counts, total, n } = sumByCluster([1, 2, 3, 4, 5], ['a', undefined, 'b', 'a', undefined]);
    expect([[...sums], [...counts], total, n]).toEqual([[5, 2, 3, 5], [2, 1, 1, 1], 15, 5]);
  });
});

describe('quantile', () => {
  it('interpolates between two values', () => {
    const sorted = Float64Array.of(10, 20, 30, 50);
    const found = [0, 0.25, 0.5, 0.9, 1].map((share) => quantile(sorted, share));
    expect(found).toEqual([10, 17.5, 25, expect.closeTo(44, 9), 50]);
  });
});
