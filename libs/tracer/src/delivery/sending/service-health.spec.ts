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

  it('obeys a pause that the service asked for, whatever else comes in and whoever is in a hurry', () => {
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

  it('pauses after three refusals in a row: fresh batches for 5 s at most, refused ones for up to a minute', () => {
    const health = create();
    health.succeeded(0);
    const fresh = Batch.open(Buffer.alloc(1));
    const refused = Batch.open(Buffer.alloc(1));
    refused.refusedAtStored = 1;
    refused.attempts = 1;
    const part = Batch.part(refused, '.0', []);
    const pauses = Array.from({ length: 12 }, (_, index) => {
      const nowMs = index * 100_000;
      health.refusedBatch(nowMs, true, false);
      return [fresh, part, refused].map((batch) => health.readyAtMs(batch, false) - nowMs);
    });
    expect(pauses.slice(2, 7)).toEqual([
      [1000, 1000, 1000],
      [2000, 2000, 2000],
      [4000, 4000, 4000],
      [5000, 5000, 8000],
      [5000, 5000, 16_000],
    ]);
    expect(pauses.at(-1)).toEqual([5000, 5000, 60_000]);
    expect(health.readyAtMs(fresh, true)).toBe(0);
    expect(health).toMatchObject({ state: 'refusing', resumeAtMs: 0 });
    health.succeeded(0);
    expect(health).toMatchObject({ state: 'reachable', hasRefused: false });
    expect(health.readyAtMs(refused, false)).toBe(0);
  });

  it('keeps its pause for refused batches while fresh ones are refused, so that refused ones are probed too', () => {
    const health = create();
    const refused = Batch.open(Buffer.alloc(1));
    refused.refusedAtStored = 0;
    refused.attempts = 1;
    for (let count = 0; count < 20; count++) health.refusedBatch(0, true, false);
    const readyAtMs = health.readyAtMs(refused, false);
    health.refusedBatch(readyAtMs - 1, true, false);
    expect(health.readyAtMs(refused, false)).toBe(readyAtMs);
  });

  it('says that the service refuses all when it stored nothing and no other batch waits', () => {
    const fresh = create();
    fresh.refusedBatch(0, true, true);
    expect(fresh).toMatchObject({ state: 'refusing', resumeAtMs: 0 });
    const used = create();
    used.succeeded(0);
    used.refusedBatch(0, true, true);
    expect(used.state).toBe('reachable');
  });
});
