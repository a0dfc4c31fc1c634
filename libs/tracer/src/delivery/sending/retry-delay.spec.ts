import { Backoff } from './retry-delay.js';

describe('The pause between tries', () => {
  it('is at most 0.5 s at first, doubles its bound, and stops at 30 s', () => {
    const longest = new Backoff(500, 30_000, () => 1);
    expect([1, 2, 3, 6, 7, 8, 1000].map((failures) => longest.delayMs(failures))).toEqual([
      500, 1000, 2000, 16_000, 30_000, 30_000, 30_000,
    ]);
  });

  it('is uniform from one millisecond up, so that clients spread out', () => {
    expect(new Backoff(500, 30_000, () => 0).delayMs(5)).toBe(1);
    expect(new Backoff(500, 30_000, () => 0.25).delayMs(2)).toBe(250);
  });

  it('is never shorter than the required pause, and at most half as long again', () => {
    const delays = [0, 0.5, 1].map((random) =>
      new Backoff(500, 30_000, () => random).delayAfterMs(60_000, 1),
    );
    expect(delays).toEqual([60_000, 75_000, 90_000]);
    expect(new Backoff(500, 30_000, () => 1).delayAfterMs(0, 3)).toBe(2000);
  });
});
