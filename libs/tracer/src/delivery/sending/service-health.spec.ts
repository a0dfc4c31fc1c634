import { Batch } from '../batching/batch.js';
import { Backoff } from './retry-delay.js';
import { ConcurrencyLimit, ServiceHealth } from './service-health.js';

describe('The number of batches on their way', () => {
  it('grows by one a round while more wait, up to its bound', () => {
    const limit = new ConcurrencyLimit(4);
    const seen = Array.from({ length: 20 }, () => {
      limit.succeeded(true);
      return limit.current;
    });
    expect(seen.slice(0, 6)).toEqual([2, 3, 3, 3, 4, 4]);
    expect(seen.at(-1)).toBe(4);
  });

  it('stays while nothing waits, and halves after a failure, down to one', () => {
    const limit = new ConcurrencyLimit(8);
    for (let round = 0; round < 50; round++) limit.succeeded(false);
    expect(limit.current).toBe(2);
    limit.failed();
    limit.failed();
    expect(limit.current).toBe(1);
  });
});

describe('The health of the service', () => {
  const create = () => new ServiceHealth(new Backoff(500, 30_000, () => 1));

  it('allows one try at a time after a failure, once the pause is over', () => {
    const health = create();
    health.failed(1000, undefined);
    expect(health).toMatchObject({ state: 'unreachable', resumeAtMs: 1500 });
    expect(health.slots(8)).toBe(1);
    health.succeeded(1500);
    expect(health.slots(8)).toBe(8);
  });

  it('obeys a required pause, whatever else arrives and whoever hurries', () => {
    const health = create();
    health.failed(1000, 10_000);
    health.hurry();
    health.succeeded(1100);
    health.failed(1200, undefined);
    expect(health.resumeAtMs).toBe(16_000);
    health.succeeded(16_000);
    expect(health.resumeAtMs).toBe(0);
  });

  it('tries a service that refuses the key once a minute, and at once for who is in a hurry', () => {
    const health = create();
    health.refusedCredentials(1000);
    expect(health).toMatchObject({ state: 'refusing', resumeAtMs: 61_000 });
    health.hurry();
    expect(health.resumeAtMs).toBe(0);
  });

  it('pauses fresh batches for 5 s at most after three refusals in a row, suspect ones for up to a minute', () => {
    const health = create();
    const fresh = Batch.open(Buffer.alloc(1));
    const suspect = Batch.open(Buffer.alloc(1));
    suspect.refusedAtStored = 0;
    suspect.attempts = 1;
    const pausesMs = (batch: Batch) =>
      Array.from({ length: 12 }, (_, index) => {
        const nowMs = index * 100_000;
        health.refusedBatch(nowMs, batch.isFresh, true, false);
        return Math.max(0, health.readyAtMs(batch, false) - nowMs);
      });
    expect(pausesMs(suspect)).toEqual(
      [0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60].map((seconds) => seconds * 1000),
    );
    expect(health.readyAtMs(fresh, false)).toBe(0);
    expect(pausesMs(fresh)).toEqual([0, 0, 1, 2, 4, 5, 5, 5, 5, 5, 5, 5].map((seconds) => seconds * 1000));
    expect(health.readyAtMs(fresh, true)).toBe(0);
    expect(health.readyAtMs(suspect, true)).toBeGreaterThan(0);
    expect(health).toMatchObject({ state: 'refusing', resumeAtMs: 0 });
    health.succeeded(0);
    expect(health).toMatchObject({ state: 'reachable', hasRefused: false });
    expect(health.readyAtMs(suspect, false)).toBe(0);
  });

  it('reports that the service refuses everything when it stored nothing and no other batch waits', () => {
    const fresh = create();
    fresh.refusedBatch(0, true, true, true);
    expect(fresh).toMatchObject({ state: 'refusing', resumeAtMs: 0 });
    const used = create();
    used.succeeded(0);
    used.refusedBatch(0, true, true, true);
    expect(used.state).toBe('reachable');
  });
});
