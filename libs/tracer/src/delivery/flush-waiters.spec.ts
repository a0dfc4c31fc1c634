import { FlushWaiters } from './flush-waiters.js';

describe('who waits for a flush', () => {
  it.each([Infinity, 2 ** 31])('for %d ms waits until it is done', async (timeoutMs) => {
    let isHeld = true;
    const waiters = new FlushWaiters(() => isHeld);
    const waiting = waiters.wait(1, timeoutMs, () => false);
    // A timer that overflows ends at once, before this one.
    expect(await new FlushWaiters(() => true).wait(1, 2, () => false)).toBe(false);
    isHeld = false;
    waiters.check();
    expect(await waiting).toBe(true);
  });
});
