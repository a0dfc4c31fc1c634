import { type Evidence, pBeyond, type TestedLimit, toDifference } from './evidence.js';
import type { Interval } from './interval.js';

/** Evidence with known answers: p at 0 and at two limits, and an interval that depends on the level. */
function evidence(changed: Partial<Evidence> = {}): Evidence {
  const below = new Map([
    [0, 0.04],
    [-0.02, 0.01],
  ]);
  const above = new Map([
    [0, 0.96],
    [300, 0.2],
  ]);
  return {
    estimate: -0.1,
    n: 20,
    units: 12,
    smallestP: 2 ** -12,
    pBelow: (limit) => below.get(limit) ?? NaN,
    pAbove: (limit) => above.get(limit) ?? NaN,
    interval: (tail): Interval => ({ low: -1 - tail, high: 1 + tail }),
    ...changed,
  };
}

const DROP: TestedLimit = { limit: -0.02, direction: 'drop' };
const RISE: TestedLimit = { limit: 300, direction: 'rise' };

describe('pBeyond', () => {
  it('is the p below the limit of a drop, and above the limit of a rise', () => {
    expect(pBeyond(evidence(), DROP)).toBe(0.01);
    expect(pBeyond(evidence(), RISE)).toBe(0.2);
  });
});

describe('toDifference', () => {
  it('reports the two-sided p of "no difference" without a limit', () => {
    expect(toDifference(evidence())).toEqual({
      mean: -0.1,
      interval: { low: expect.closeTo(-1.025, 12), high: expect.closeTo(1.025, 12) },
      p: 0.08,
      n: 20,
      units: 12,
      smallestP: 2 ** -11,
    });
  });

  it('reports the smaller p, whichever the direction', () => {
    const rising = evidence({ pBelow: () => 0.99, pAbove: () => 0.01 });
    expect(toDifference(rising).p).toBe(0.02);
  });

  it('reports p, interval and allowed change of a tested limit, corrected for the other limits', () => {
    expect(toDifference(evidence(), 0.9, { ...DROP, correction: 2 })).toEqual({
      mean: -0.1,
      interval: { low: expect.closeTo(-1.025, 12), high: expect.closeTo(1.025, 12) },
      p: 0.04,
      n: 20,
      units: 12,
      smallestP: 2 ** -11,
      allowed: 0.02,
      correction: 2,
    });
    expect(toDifference(evidence(), 0.9, RISE)).toMatchObject({ p: 0.4, allowed: 300, correction: 1 });
  });

  it('never reports a p above 1', () => {
    const nothing = evidence({ pBelow: () => 0.7, pAbove: () => 0.7, smallestP: 1 });
    expect(toDifference(nothing)).toMatchObject({ p: 1, smallestP: 1 });
  });

  it('keeps the interval within the differences that the scale allows', () => {
    const interval = (): Interval => ({ low: -2, high: 2 });
    const bounded = (low: number, high: number): unknown =>
      toDifference(evidence({ interval }), 0.95, undefined, { low, high }).interval;
    expect(bounded(-1, 1)).toEqual({ low: -1, high: 1 });
    expect(bounded(-3, 3)).toEqual({ low: -2, high: 2 });
  });

  it('has no interval when nothing can be rejected', () => {
    expect(toDifference(evidence({ interval: () => undefined }))).not.toHaveProperty('interval');
  });

  it('has no limit in its result when none was tested', () => {
    const found = toDifference(evidence());
    expect(found).not.toHaveProperty('allowed');
    expect(found).not.toHaveProperty('correction');
  });

  it('refuses a confidence that is not between 0 and 1', () => {
    expect(() => toDifference(evidence(), 1)).toThrow('confidence must lie between 0 and 1');
  });
});
