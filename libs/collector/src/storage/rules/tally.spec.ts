import fc from 'fast-check';
import { RELATIVE_ERROR } from './duration-bins.js';
import { Tally } from './tally.js';

const makeTally = (durations: readonly number[]): Tally => {
  const tally = new Tally();
  for (const ms of durations) {
    tally.calls++;
    tally.costNanoUsd += Math.round(ms * 1e3);
    tally.addDuration(ms);
  }
  return tally;
};

/** The exact one, by the nearest rank. */
const exact = (durations: readonly number[], share: number): number =>
  durations.toSorted((left, right) => left - right)[Math.ceil(share * durations.length) - 1] ?? NaN;

const duration = fc.oneof(
  fc.constant(0),
  fc.double({ min: 0.001, max: 1e9, noNaN: true }),
  fc.double({ min: 1, max: 5000, noNaN: true }),
);

describe('a tally', () => {
  it('estimates percentiles within the documented error', () => {
    fc.assert(
      fc.property(fc.array(duration, { minLength: 1 }), fc.constantFrom(0.5, 0.95, 0.99, 1), (all, share) => {
        const [known, truth] = [makeTally(all).percentile(share) ?? NaN, exact(all, share)];
        expect(Math.abs(known - truth)).toBeLessThanOrEqual(truth * RELATIVE_ERROR * (1 + 1e-9));
      }),
    );
  });

  it('is the same for calls counted together or separately, and after others are subtracted', () => {
    fc.assert(
      fc.property(fc.array(duration), fc.array(duration), (some, others) => {
        const sum = makeTally(some);
        sum.add(makeTally(others));
        const together = makeTally([...some, ...others]);
        expect(sum.percentile(0.95)).toBe(together.percentile(0.95));
        expect(sum.costNanoUsd).toBe(together.costNanoUsd);
        sum.add(makeTally(others), -1);
        expect(sum.percentile(0.5)).toBe(makeTally(some).percentile(0.5));
        sum.add(makeTally(some), -1);
        expect(sum.isEmpty).toBe(true);
        expect(sum.percentile(0.5)).toBeUndefined();
      }),
    );
  });

  it('is restored as it was stored', () => {
    fc.assert(
      fc.property(fc.array(duration), (all) => {
        const kept = JSON.stringify(makeTally(all).encode());
        expect(JSON.stringify(Tally.decode(JSON.parse(kept) as ReturnType<Tally['encode']>).encode())).toBe(
          kept,
        );
      }),
    );
  });

  it('stays small for any input', () => {
    const tally = makeTally([0, Number.MIN_VALUE, 1e-9, Number.MAX_VALUE, 1e300, 1e12]);
    expect(tally.encode()[1]).toHaveLength(4);
    expect(tally.percentile(1)).toBeGreaterThan(0.98e12);
  });
});
