import fc from 'fast-check';
import { detectableDifference } from './detectable-effect.js';
import { holm } from './holm.js';
import { Random } from './random.js';
import { passAtK, passHatK, summarizeRepeats } from './repeats.js';
import { clusteredRateInterval, wilsonInterval } from './wilson-interval.js';

describe('wilsonInterval', () => {
  // The first four are the examples of R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
  // Statistics in Medicine 17, 1998, table I, method 3, which prints four digits; all digits: mpmath 1.3.
  it.each([
    [81, 263, 0.2552885198782742, 0.36620957698280004],
    [15, 148, 0.06238639953073628, 0.16048724172330803],
    [0, 20, 0, 0.16112515805281938],
    [1, 29, 0.00611321429276266, 0.17175521879320288],
    [29, 29, 0.8830302015002592, 1],
    [17, 20, 0.639581135259243, 0.9476312541037833],
    [1, 1, 0.2065493143772374, 1],
    [5_000_000, 10_000_000, 0.49969010254337065, 0.5003098974566293],
  ])('for %d of %d equals the published interval', (successes, trials, low, high) => {
    const found = wilsonInterval(successes, trials);
    expect(Math.abs(found.low - low)).toBeLessThan(1e-9);
    expect(Math.abs(found.high - high)).toBeLessThan(1e-9);
  });

  it('is wider at a higher confidence', () => {
    const found = wilsonInterval(17, 20, 0.99);
    expect(Math.abs(found.low - 0.5644132797389442)).toBeLessThan(1e-9);
    expect(Math.abs(found.high - 0.9612129394919283)).toBeLessThan(1e-9);
  });

  it('returns nothing without trials', () => {
    expect(wilsonInterval(0, 0)).toEqual({ low: 0, high: 1 });
  });

  it('reaches 0 or 1 when none or all succeed', () => {
    expect(wilsonInterval(0, 7).low).toBe(0);
    expect(wilsonInterval(7, 7).high).toBe(1);
  });

  it.each([
    [3, 2, 0.95, 'trials must be a whole number of at least 3, not 2'],
    [-1, 2, 0.95, 'successes must be a whole number of at least 0, not -1'],
    [1.5, 2, 0.95, 'successes must be a whole number'],
    [1, 2, 95, 'confidence must lie between 0 and 1, not 95. Write 0.95 for 95 %.'],
    [1, 2, 1, 'confidence must lie'],
    [1, 2, 0, 'confidence must lie'],
  ])('refuses %d of %d at %d', (successes, trials, confidence, message) => {
    expect(() => wilsonInterval(successes, trials, confidence)).toThrow(message);
  });
});

describe('clusteredRateInterval', () => {
  const passed = fc.array(fc.boolean().map(Number), { minLength: 1, maxLength: 60 });

  it("is Wilson's interval without clusters", () => {
    fc.assert(
      fc.property(passed, (rates) => {
        const found = clusteredRateInterval(rates);
        const { low, high } = wilsonInterval(
          rates.reduce((sum, rate) => sum + rate, 0),
          rates.length,
        );
        expect(found.low).toBeCloseTo(low, 12);
        expect(found.high).toBeCloseTo(high, 12);
      }),
    );
  });

  it('stays within 0 and 1, around the rate, for any clusters', () => {
    fc.assert(
      fc.property(passed, fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }), (rates, sessions) => {
        const clusters = rates.map((_, index) => String(sessions[index]));
        const rate = rates.reduce((sum, value) => sum + value, 0) / rates.length;
        const { low, high } = clusteredRateInterval(rates, { clusters });
        expect(0 <= low && low <= rate + 1e-12 && rate - 1e-12 <= high && high <= 1).toBe(true);
      }),
    );
  });

  it('counts each session once when all of its calls are equal', () => {
    const clusters = ['a', 'a', 'a', 'b', 'b', 'c'];
    expect(clusteredRateInterval([1, 1, 1, 1, 1, 1], { clusters })).toEqual(wilsonInterval(3, 3));
    expect(clusteredRateInterval([0, 0, 0, 0, 0, 0], { clusters })).toEqual(wilsonInterval(0, 3));
  });

  it('does not get narrower with repeated calls in the same session', () => {
    const rates = Array.from({ length: 30 }, (_, index) => Number(index % 3 > 0));
    const apart = clusteredRateInterval(rates);
    const clusters = [...rates, ...rates, ...rates].map((_, index) => `s${index % 30}`);
    const again = clusteredRateInterval([...rates, ...rates, ...rates], { clusters });
    expect(again.high - again.low).toBeGreaterThanOrEqual(apart.high - apart.low);
  });

  it('agrees with its formula, worked out by hand', () => {
    // Deviations of the sums are 0.8, -0.2 and -0.6; t of 4 and of 2 degrees of freedom: 2.7764451 and 4.3026527.
    const found = clusteredRateInterval([1, 1, 0, 1, 0], { clusters: ['a', 'a', 'b', 'b', 'c'] });
    expect(found.low).toBeCloseTo(0.14931530400539, 9);
    expect(found.high).toBeCloseTo(0.92763473030666, 9);
  });

  it('treats one session with any number of calls as one trial', () => {
    const rates = Array.from({ length: 49 }, (_, index) => Number(index === 0));
    const found = clusteredRateInterval(rates, { clusters: rates.map(() => 'one') });
    expect(found.low).toBeCloseTo(0.00010729503913, 12);
    expect(found.high).toBeCloseTo(0.80177397484393, 12);
  });

  it('returns nothing without trials', () => {
    expect(clusteredRateInterval([])).toEqual({ low: 0, high: 1 });
  });

  it('contains the true rate in about 95 of 100 runs of 15 sessions with 8 calls each', () => {
    const random = new Random(7);
    const passes = (rate: number): number => Number(random.nextUint32() / 2 ** 32 < rate);
    const sessions = Array.from({ length: 120 }, (_, index) => Math.floor(index / 8));
    const clusters = sessions.map(String);
    let held = 0;
    for (let run = 0; run < 1000; run++) {
      const rates = Array.from({ length: 15 }, () => (passes(0.5) === 1 ? 0.95 : 0.65));
      const marks = sessions.map((session) => passes(rates[session] ?? 0));
      const { low, high } = clusteredRateInterval(marks, { clusters });
      if (low <= 0.8 && 0.8 <= high) held += 1;
    }
    expect(held).toBeGreaterThan(930);
    expect(held).toBeLessThan(990);
  });

  it('is wide for two sessions', () => {
    const rates = Array.from({ length: 100 }, (_, index) => Number(index > 0));
    const clusters = rates.map((_, index) => (index === 0 ? 'one' : 'other'));
    const { low, high } = clusteredRateInterval(rates, { clusters });
    expect(high - low).toBeGreaterThan(0.5);
  });
});

describe('holm', () => {
  it('steps down like the published procedure', () => {
    // The example of the article in Wikipedia, "Holm–Bonferroni method".
    const adjusted = holm([0.01, 0.04, 0.03, 0.005]);
    [0.03, 0.06, 0.06, 0.02].forEach((known, index) => {
      expect(Math.abs(adjusted[index]! - known)).toBeLessThan(1e-12);
    });
  });

  it('leaves a single p unchanged, and accepts an empty list', () => {
    expect(holm([0.04])).toEqual([0.04]);
    expect(holm([])).toEqual([]);
  });

  it('never exceeds 1, never reverses the order, and is no smaller than p', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (ps) => {
        const adjusted = holm(ps);
        ps.forEach((p, index) => {
          expect(adjusted[index]).toBeGreaterThanOrEqual(p);
          expect(adjusted[index]).toBeLessThanOrEqual(1);
          ps.forEach((other, at) => {
            if (p < other) expect(adjusted[index]).toBeLessThanOrEqual(adjusted[at]!);
          });
        });
      }),
    );
  });
});

describe('passAtK and passHatK', () => {
  // Exact fractions in Python; the first three are the setting of the Codex paper, 200 samples of a problem.
  it.each([
    [200, 17, 1, 0.085, 0.085],
    [200, 17, 10, 0.5974489015799118, 8.662418719590339e-13],
    [200, 17, 100, 0.99999636769084, 0],
    [5, 3, 3, 1, 0.1],
    [5, 5, 3, 1, 1],
    [5, 0, 3, 0, 0],
    [10, 7, 8, 1, 0],
    [4, 2, 2, 0.8333333333333334, 0.16666666666666666],
  ])('of %d runs with %d passes at k = %d are exact', (runs, passes, k, atK, hatK) => {
    expect(Math.abs(passAtK(runs, passes, k) - atK)).toBeLessThan(1e-12);
    expect(Math.abs(passHatK(runs, passes, k) - hatK)).toBeLessThan(1e-12);
  });

  it.each([passAtK, passHatK])('rejects more draws than runs, and more passes than runs', (figure) => {
    expect(() => figure(2, 1, 3)).toThrow(
      'k must be at most the number of runs, 2, not 3. Repeat each item more often.',
    );
    expect(() => figure(2, 3, 1)).toThrow('runs must be a whole number of at least 3, not 2');
    expect(() => figure(2, 1, 0)).toThrow(
      'k must be a whole number of at least 1, not 0. Pass a count of items.',
    );
    expect(() => figure(2, -1, 1)).toThrow('passes must be a whole number of at least 0, not -1');
  });
});

describe('summarizeRepeats', () => {
  it('averages over items and counts those whose runs disagree', () => {
    const found = summarizeRepeats(
      [
        { runs: 3, passes: 3 },
        { runs: 3, passes: 2 },
        { runs: 3, passes: 0 },
        { runs: 3, passes: 1 },
        { runs: 2, passes: 1 },
      ],
      3,
    );
    expect(found).toMatchObject({ k: 3, items: 4, flaky: 2, passAtK: 0.75, passHatK: 0.25 });
    expect(found.flakyInterval).toEqual(wilsonInterval(2, 4));
  });

  it('is all zeros when no item ran often enough', () => {
    const none = { k: 2, items: 0, passAtK: 0, passHatK: 0, flaky: 0, flakyInterval: { low: 0, high: 1 } };
    expect(summarizeRepeats([{ runs: 1, passes: 1 }], 2)).toEqual(none);
  });
});

describe('The detectable difference', () => {
  it('equals the published formula for means', () => {
    // (z of 0.975 + z of 0.8) · σ / √n, and with 90 % confidence and power; mpmath 1.3.
    expect(detectableDifference(969, 1 / 3)).toBeCloseTo(0.029999961270374208, 12);
    expect(detectableDifference(100, 0.4)).toBeCloseTo(0.11206340872451874, 12);
    expect(detectableDifference(100, 0.4, { confidence: 0.9, power: 0.9 })).toBeCloseTo(
      0.11705620769984293,
      12,
    );
  });

  it('requires at least one item', () => {
    expect(() => detectableDifference(0, 1)).toThrow('n must be a whole number of at least 1');
    expect(() => detectableDifference(1, 1, { confidence: 2 })).toThrow('confidence');
  });
});
