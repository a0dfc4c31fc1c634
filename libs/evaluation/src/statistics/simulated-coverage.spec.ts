import { pairedBootstrap } from './bootstrap.js';
import type { Difference } from './interval.js';
import { meanDifference } from './mean-difference.js';
import { percentileDifference } from './percentile-difference.js';
import { Random } from './random.js';
import { clusteredRateInterval } from './wilson-interval.js';

describe('an interval at 95 %', () => {
  /** Standard normal, by Box and Muller. */
  const normal = (random: Random): number =>
    Math.sqrt(-2 * Math.log((random.nextUint32() + 1) / 2 ** 32)) *
    Math.cos((2 * Math.PI * random.nextUint32()) / 2 ** 32);
  const exponential = (random: Random): number => -Math.log((random.nextUint32() + 1) / 2 ** 32);
  const score = (random: Random): number => (random.below(10) < 7 ? 0 : random.below(10) < 8 ? -0.5 : 0.25);

  const simulate = (
    draw: (random: Random) => number,
    truth: number,
    intervalOf: (values: number[]) => Difference,
  ): number => {
    let covered = 0;
    for (let run = 0; run < 400; run += 1) {
      const random = new Random(1000 + run);
      const { low, high } = intervalOf(Array.from({ length: 60 }, () => draw(random))).interval!;
      if (low <= truth && truth <= high) covered += 1;
    }
    return covered;
  };
  const bootstrap = (values: number[]): Difference => pairedBootstrap(values, { resamples: 1000 });
  const mean = (values: number[]): Difference => meanDifference(values);

  // Of 400 intervals that cover in 95 % of cases, 364 to 393 cover but once in a thousand (binomial quantiles).
  it.each([
    ['the bootstrap of normal differences', normal, 0, bootstrap],
    ['the bootstrap of differences skewed to the right', exponential, 1, bootstrap],
    ['the bootstrap of scores with many ties', score, -0.105, bootstrap],
    ["Student's t of normal differences", normal, 0, mean],
  ])('covers the truth as often as it says: %s', (_, draw, truth, intervalOf) => {
    const covered = simulate(draw, truth, intervalOf);
    expect(covered).toBeGreaterThanOrEqual(364);
    expect(covered).toBeLessThanOrEqual(393);
  });

  it.each([
    ['the bootstrap', pairedBootstrap],
    ["Student's t", meanDifference],
  ])('covers the truth where sessions vary together, with clusters alone: %s', (_, differenceOf) => {
    const clusters = Array.from({ length: 200 }, (__, index) => `session ${Math.floor(index / 5)}`);
    let covered = 0;
    let coveredWithout = 0;
    for (let run = 0; run < 400; run += 1) {
      const random = new Random(run);
      const moods = Array.from({ length: 40 }, () => normal(random));
      const values = clusters.map((__, index) => moods[Math.floor(index / 5)]! + normal(random) / 2);
      const holds = (found: Difference): number =>
        found.interval!.low <= 0 && found.interval!.high >= 0 ? 1 : 0;
      covered += holds(differenceOf(values, { clusters, ...{ resamples: 1000 } }));
      coveredWithout += holds(differenceOf(values, { ...{ resamples: 1000 } }));
    }
    expect(covered).toBeGreaterThanOrEqual(364);
    expect(covered).toBeLessThanOrEqual(393);
    expect(coveredWithout).toBeLessThan(320);
  });

  it('covers a difference of 95th percentiles', () => {
    // Both exponential, one twice as slow: 95th percentiles ln 20 and 2 ln 20. The plain percentile interval of so few
    // slow calls covers somewhat less than it says, which the bound allows for.
    const truth = Math.log(20);
    let covered = 0;
    for (let run = 0; run < 200; run += 1) {
      const random = new Random(run);
      const before = Array.from({ length: 300 }, () => exponential(random));
      const now = Array.from({ length: 300 }, () => 2 * exponential(random));
      const { low, high } = percentileDifference(before, now, { resamples: 500 }).interval!;
      if (low <= truth && truth <= high) covered += 1;
    }
    expect(covered).toBeGreaterThanOrEqual(179);
    expect(covered).toBeLessThanOrEqual(198);
  });

  it('covers the true rate as often as it says, of 15 sessions of 8 calls that go together', () => {
    const random = new Random(7);
    const passes = (rate: number): number => Number(random.nextUint32() / 2 ** 32 < rate);
    const sessions = Array.from({ length: 120 }, (_, index) => Math.floor(index / 8));
    const clusters = sessions.map(String);
    let held = 0;
    for (let run = 0; run < 1000; run++) {
      const rateOf = Array.from({ length: 15 }, () => (passes(0.5) === 1 ? 0.95 : 0.65));
      const marks = sessions.map((session) => passes(rateOf[session] ?? 0));
      const { low, high } = clusteredRateInterval(marks, { clusters });
      if (low <= 0.8 && 0.8 <= high) held += 1;
    }
    expect(held).toBeGreaterThan(930);
    expect(held).toBeLessThan(990);
  });
});
