import fc from 'fast-check';
import { burstSize, OwnRateLimits } from './rate-limits.js';

const START_US = 1e15;

function limits(): { take: (perMinute: number, key?: string) => number; advance: (us: number) => void } {
  const all = new OwnRateLimits();
  let nowUs = START_US;
  return {
    take: (perMinute, key = 'k') => all.take(key, perMinute, nowUs),
    advance: (us) => {
      nowUs += us;
    },
  };
}

describe('OwnRateLimits', () => {
  it('allows a burst of ten seconds, then requests at the rate of the limit', () => {
    const { take, advance } = limits();
    expect(Array.from({ length: 11 }, () => take(60))).toEqual([...Array<number>(10).fill(0), 1]);
    advance(999_999);
    expect(take(60)).toBe(1);
    advance(1);
    expect(take(60)).toBe(0);
    expect(take(60)).toBe(1);
  });

  it('returns the wait in whole seconds', () => {
    const { take, advance } = limits();
    expect([take(1), take(1)]).toEqual([0, 60]);
    advance(30e6);
    expect(take(1)).toBe(30);
  });

  it('counts each key separately', () => {
    const { take } = limits();
    expect([take(1, 'a'), take(1, 'b'), take(1, 'a')]).toEqual([0, 0, 60]);
  });

  it('adds no tokens when the clock is set back', () => {
    const { take, advance } = limits();
    expect(take(1)).toBe(0);
    advance(-3600e6);
    expect(take(1)).toBe(60);
  });

  it('never allows more than the burst and the rate, and always allows a request after the wait', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100_000 }),
        fc.array(fc.integer({ min: 0, max: 5e6 }), { minLength: 1, maxLength: 300 }),
        (perMinute, pauses) => {
          const { take, advance } = limits();
          let [taken, passedUs] = [0, 0];
          for (const pause of pauses) {
            advance(pause);
            passedUs += pause;
            const waitS = take(perMinute);
            if (waitS === 0) taken++;
            else {
              advance(waitS * 1e6);
              passedUs += waitS * 1e6;
              if (take(perMinute) !== 0) return false;
              taken++;
            }
          }
          return taken <= burstSize(perMinute) + (passedUs * perMinute) / 60e6 + 1e-6;
        },
      ),
    );
  });
});
