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

  it('pauses after three refused batches in a row, longer each time, and not at all once a batch is stored', () => {
    const health = create();
    health.succeeded(0);
    const pauses = Array.from({ length: 12 }, () => {
      health.refusedBatch(0, true, false);
      return health.resumeAtMs;
    });
    expect(pauses.slice(0, 5)).toEqual([0, 0, 1000, 2000, 4000]);
    expect(pauses.at(-1)).toBe(60_000);
    expect(health.state).toBe('refusing');
    health.succeeded(0);
    expect(health).toMatchObject({ state: 'reachable', resumeAtMs: 0, refusalsInRow: 0 });
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
