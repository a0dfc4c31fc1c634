import { pairedBootstrap } from './bootstrap.js';
import { detectableDifference } from './detectable-effect.js';
import type { Difference } from './interval.js';
import { meanDifference } from './mean-difference.js';
import { summarizeNoise } from './noise.js';
import { percentileDifference } from './percentile-difference.js';
import { Random } from './random.js';
import { wilsonInterval } from './wilson-interval.js';

/** Extra hours of sleep of ten patients: Student, "The Probable Error of a Mean", Biometrika 6, 1908. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];
const WARDS = ['a', 'a', 'b', 'b', 'b', 'c', 'd', 'd', 'e', 'e'];

function expectClose(found: Difference, mean: number, low: number, high: number, p: number): void {
  expect(found.n).toBeGreaterThan(0);
  [mean, low, high, p].forEach((known, index) => {
    const value = [found.mean, found.interval?.low, found.interval?.high, found.p][index];
    expect(Math.abs(value! - known)).toBeLessThan(1e-9);
  });
}

describe('meanDifference', () => {
  it("agrees with the published paired t test of Student's data", () => {
    // R's documentation of `sleep` prints 0.7001142, 2.4598858 and p = 0.002833; all digits: mpmath 1.3.
    expectClose(meanDifference(SLEEP), 1.58, 0.7001142367230172, 2.459885763276983, 0.002832890197384273);
  });

  it('takes clusters together, without a small-sample factor', () => {
    // Fractions in Python and mpmath 1.3: √(Σ over clusters of (Σ (x − mean))²) / n, t with 4 degrees of freedom.
    const found = meanDifference(SLEEP, { clusters: WARDS });
    expectClose(found, 1.58, 0.5602921822979962, 2.599707817702004, 0.01262562480990284);
  });

  it('is the same with clusters that hold one pair each', () => {
    const alone = SLEEP.map(() => undefined);
    expect(meanDifference(SLEEP, { clusters: alone })).toEqual(meanDifference(SLEEP));
  });

  it('narrows with less confidence', () => {
    const wide = meanDifference(SLEEP).interval!;
    const narrow = meanDifference(SLEEP, { confidence: 0.5 }).interval!;
    expect(narrow.low).toBeGreaterThan(wide.low);
    expect(narrow.high).toBeLessThan(wide.high);
  });

  it('does not lose small differences beside a large constant', () => {
    const far = meanDifference(SLEEP.map((hours) => hours + 1e9)).interval!;
    const near = meanDifference(SLEEP).interval!;
    expect(far.high - far.low).toBeCloseTo(near.high - near.low, 6);
  });
});

describe('pairedBootstrap', () => {
  // An implementation of its own in Python, on the same random numbers: 2,000 resamples, fsum, mpmath.
  it.each([
    [
      'of skewed data',
      SLEEP,
      { seed: 7 },
      [1.58, 1.0452816154591784, 2.7301148838403946, 3.17482641626096e-7],
    ],
    [
      'of clusters',
      SLEEP.map((hours) => -hours),
      { seed: 7, clusters: WARDS },
      [-1.58, -2.511111111111111, -1.0363636363636364, 0.00004450469418791157],
    ],
    [
      'at 90 %',
      SLEEP.map((hours) => hours - 1),
      { seed: 3, confidence: 0.9 },
      [0.58, 0.12, 1.4, 0.019751505674215672],
    ],
    [
      'with many ties',
      [1, 0, 0, -1, 1, 1, 0, 0, 1, 0, 0, 0, 1, -1, 0, 0, 0, 0, 0, 1],
      { seed: 3 },
      [0.2, -0.05, 0.45, 0.15397563745329823],
    ],
  ] as const)('%s gives the interval that was computed independently', (_, data, options, known) => {
    const found = pairedBootstrap(data, { resamples: 2000, ...options });
    const floor = 2 ** (1 - ('clusters' in options ? 5 : data.filter((value) => value !== 0).length));
    const [mean, low, high, p] = known;
    const reaches = floor >= 0.05 ? 0 : high;
    expectClose(found, mean, low, reaches, Math.max(p, floor));
  });

  it('is repeatable, and another seed draws otherwise', () => {
    expect(pairedBootstrap(SLEEP)).toEqual(pairedBootstrap(SLEEP, { seed: 1, resamples: 10_000 }));
    expect(pairedBootstrap(SLEEP, { seed: 2 })).not.toEqual(pairedBootstrap(SLEEP));
  });

  it('does not depend on the sign but for its direction', () => {
    const up = pairedBootstrap(SLEEP, { resamples: 4000 });
    const down = pairedBootstrap(
      SLEEP.map((hours) => -hours),
      { resamples: 4000 },
    );
    expect(down.interval!.low).toBeCloseTo(-up.interval!.high, 9);
    expect(down.interval!.high).toBeCloseTo(-up.interval!.low, 9);
    expect(down.p).toBeCloseTo(up.p, 9);
  });

  it('asks for a hundred resamples', () => {
    expect(() => pairedBootstrap(SLEEP, { resamples: 99 })).toThrow(
      'resamples must be a whole number from 100 up, not 99',
    );
    expect(pairedBootstrap(SLEEP, { resamples: 100 }).n).toBe(10);
  });
});

describe('percentileDifference', () => {
  const before = [100, 120, 95, 110, 300, 105, 99, 130, 115, 101, 98, 250];
  const now = [110, 125, 90, 150, 420, 100, 130, 128, 160, 111, 97, 260];

  it('gives the interval that was computed independently', () => {
    // NumPy's quantile on the same random numbers, 500 resamples.
    const p95 = percentileDifference(before, now, { resamples: 500, seed: 5 });
    expectClose(p95, 59.5, 10, 120, 0.014);
  });

  it('draws whole clusters, and knows other percentiles', () => {
    const clusters = ['a', 'a', 'a', 'b', 'c', 'd', 'd', 'e', 'f', 'f', 'g', 'h'];
    const median = percentileDifference(before, now, { percentile: 0.5, clusters, resamples: 500, seed: 5 });
    expectClose(median, 19, 1.2375, 40, 0.03);
  });

  it('knows the lowest and the highest', () => {
    expect(percentileDifference(before, now, { percentile: 0, resamples: 100 }).mean).toBe(-5);
    expect(percentileDifference(before, now, { percentile: 1, resamples: 100 }).mean).toBe(120);
  });

  it('does not compare what was measured once', () => {
    expect(() => percentileDifference([1], [1, 2])).toThrow(
      'now must have the 1 items of before, not 2. Leave out what was measured once only.',
    );
    expect(() => percentileDifference([1, Infinity], [1, 2])).toThrow('before[1] must be a finite number');
    expect(() => percentileDifference([1, 2], [NaN, 2])).toThrow('now[0] must be a finite number');
  });

  it('takes for evidence those alone that differ', () => {
    const same = Array.from({ length: 20 }, (_, index) => index);
    const slower = same.map((size) => (size < 17 ? size : size + 100));
    const { mean, p, interval } = percentileDifference(same, slower);
    expect([mean, p, interval!.low]).toEqual([100, 0.25, 0]);
  });

  it('asks for a hundred resamples', () => {
    expect(() => percentileDifference([1, 2], [2, 3], { resamples: 99 })).toThrow(
      'resamples must be a whole number from 100 up, not 99',
    );
  });
});

describe.each([
  ['meanDifference', meanDifference],
  ['pairedBootstrap', pairedBootstrap],
  [
    'percentileDifference',
    (values: readonly number[], options?: object): Difference =>
      percentileDifference(
        values.map(() => 0),
        values,
        options,
      ),
  ],
] as const)('%s', (_, differenceOf) => {
  it('shows nothing of no pairs, of one, and of one cluster', () => {
    expect(differenceOf([])).toEqual({ mean: 0, p: 1, n: 0 });
    expect(differenceOf([5])).toEqual({ mean: 5, p: 1, n: 1 });
    expect(differenceOf([5, 5, 5], { clusters: ['a', 'a', 'a'] })).toEqual({ mean: 5, p: 1, n: 3 });
  });

  it('finds nothing where nothing differs', () => {
    expect(differenceOf([0, 0, 0, 0, 0, 0, 0])).toEqual({
      mean: 0,
      p: 1,
      n: 7,
      interval: { low: 0, high: 0 },
    });
  });

  it('does not take a few equal differences for certainty', () => {
    expect(differenceOf([3, 3, 3, 3, 3])).toEqual({
      mean: 3,
      p: 0.0625,
      n: 5,
      interval: { low: 0, high: 3 },
    });
    expect(differenceOf([-3, -3])).toEqual({ mean: -3, p: 0.5, n: 2, interval: { low: -3, high: 0 } });
    const six = differenceOf([3, 3, 3, 3, 3, 3]);
    expect(six).toMatchObject({ mean: 3, interval: { low: 3, high: 3 } });
    expect(six.p).toBeCloseTo(0.03125, 12);
  });

  it('refuses what is no number, too little confidence and clusters that do not fit', () => {
    expect(() => differenceOf([1, NaN])).toThrow(
      /^(differences|now)\[1\] must be a finite number, not NaN\. Leave out what was not measured\.$/,
    );
    expect(() => differenceOf([1, 2], { confidence: 1 })).toThrow('confidence must lie between 0 and 1');
    expect(() => differenceOf([1, 2], { clusters: ['a'] })).toThrow(
      'clusters must name one for each of the 2 values, not 1. Give undefined to a value that belongs to none.',
    );
  });
});

describe('Random', () => {
  it('gives the numbers of xoshiro128**', () => {
    // The authors' C code carried over to Python, which gives 11520, 0, 5927040, 70819200 from the state 1, 2, 3, 4.
    const drawn = (seed: number): number[] => {
      const random = new Random(seed);
      return Array.from({ length: 4 }, () => random.nextUint32());
    };
    expect(drawn(1)).toEqual([393288148, 2174103013, 3814759091, 2092745082]);
    expect(drawn(2 ** 32 - 1)).toEqual([4104197751, 1825856343, 1152209388, 2427537429]);
  });

  it('draws every number below a bound about as often', () => {
    const random = new Random(4);
    const counts = new Array<number>(6).fill(0);
    for (let draw = 0; draw < 60_000; draw += 1) counts[random.below(6)]! += 1;
    // 99.9 % of a binomial of 60,000 draws at 1/6.
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(302);
  });
});

describe('a list that Random fills', () => {
  it('holds what it would draw one by one, and goes on from there', () => {
    const [one, many] = [new Random(7), new Random(7)];
    const list = new Uint32Array(1000);
    many.fillBelow(list, 97);
    expect([...list]).toEqual(Array.from({ length: 1000 }, () => one.below(97)));
    expect(many.nextUint32()).toBe(one.nextUint32());
  });
});

describe('summarizeNoise', () => {
  it('says how often and how much unchanged code differs', () => {
    const found = summarizeNoise(200, 8, { accuracy: [0.1, -0.1, 0.1, -0.1], none: [] });
    expect(found.changed).toEqual({ count: 8, rate: 0.04, interval: wilsonInterval(8, 200) });
    expect(Object.keys(found.scores)).toEqual(['accuracy']);
    expect(found.scores['accuracy']).toMatchObject({ n: 4, mean: 0 });
    expect(found.scores['accuracy']!.standardDeviation).toBeCloseTo(Math.sqrt(0.04 / 3), 12);
    expect(found.scores['accuracy']!.detectable).toBeCloseTo(
      (2.8015852181139684 * Math.sqrt(0.04 / 3)) / 2,
      12,
    );
  });

  it('takes the noise around its mean, and is told how sure it must be', () => {
    const { accuracy } = summarizeNoise(4, 0, { accuracy: [1, 2, 3, 6] }, 0.9).scores;
    expect(accuracy).toMatchObject({ n: 4, mean: 3 });
    expect(accuracy!.standardDeviation).toBeCloseTo(Math.sqrt(14 / 3), 12);
    expect(accuracy!.detectable).toBe(
      detectableDifference(4, accuracy!.standardDeviation, { confidence: 0.9 }),
    );
  });

  it('has something to say of one item, and of none', () => {
    expect(summarizeNoise(1, 0, { speed: [0.5] }).scores['speed']).toMatchObject({
      mean: 0.5,
      standardDeviation: 0,
    });
    expect(summarizeNoise(0, 0, {})).toMatchObject({ items: 0, changed: { count: 0, rate: 0 } });
    expect(() => summarizeNoise(1, 0, { speed: [Infinity] })).toThrow(
      'speed[0] must be a finite number, not Infinity',
    );
  });
});
