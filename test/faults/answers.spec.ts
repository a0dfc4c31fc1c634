import { FaultServer } from './fault-server.js';
import {
  failing,
  first,
  healthy,
  inTurn,
  limited,
  rejecting,
  storeThenAnswerEndlessly,
  storeThenReset,
  storeThenTruncate,
} from './faults.js';
import { expectAllStored, expectNothingLost } from './oracle.js';
import { TracedHost } from './traced-host.js';

describe('What the service answers', () => {
  let server: FaultServer;
  let host: TracedHost;

  beforeEach(async () => {
    server = await FaultServer.start(healthy);
    host = new TracedHost(server, { maxBatchRecords: 50 });
  });

  afterEach(async () => {
    host.expectBalance();
    await host.end();
    await server.down();
  });

  it('fault 4, 429 with Retry-After in seconds: waits as long, then sends all', async () => {
    server.fault = first(1, failing(429, { 'retry-after': '1' }));
    host.call(100);
    await host.drain();
    expect(server.requestTimes.at(-1)! - server.requestTimes[0]!).toBeGreaterThan(900);
    expectAllStored(server, host);
  });

  it('fault 4, 429 with Retry-After as a date: waits until then, then sends all', async () => {
    const date = new Date(Date.now() + 2000).toUTCString();
    server.fault = first(1, failing(429, { 'retry-after': date }));
    host.call(100);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 4, 429 with garbage in Retry-After: falls back to its own pauses', async () => {
    server.fault = inTurn(
      failing(429, { 'retry-after': 'soon' }),
      failing(429, { 'retry-after': '-5' }),
      failing(429, { 'retry-after': '9999999999999999' }),
      healthy,
    );
    host.call(200);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 5, 429 without Retry-After: backs off and sends all', async () => {
    server.fault = first(4, failing(429));
    host.call(500);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 6, 413: halves batches until they fit', async () => {
    server.fault = limited(4000);
    host.call(500);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 6, 413 for one record alone: drops that record, names it, and keeps its neighbours', async () => {
    server.fault = limited(4000);
    host.call(20);
    host.call(1, 10_000);
    host.call(20);
    await host.drain();
    expectNothingLost(server, host);
    expect(host.tracer.stats().dropped.too_large).toBe(1);
    expect(host.reportedDropped).toEqual([host.sent[20]]);
  });

  it('fault 7, a 400 for the whole batch: drops it, names its spans, and sends the others', async () => {
    server.fault = first(1, failing(400, {}, 'no NDJSON'));
    host.call(100);
    await host.drain();
    expectNothingLost(server, host);
    expect(host.tracer.stats().dropped.refused).toBe(50);
    expect(host.errors[0]?.message).toContain('no NDJSON');
  });

  it('fault 7, a partial rejection: drops the named spans alone', async () => {
    const isBad = (line: string) => line.includes(host.sent[3]!) || line.includes(host.sent[70]!);
    server.fault = rejecting(isBad);
    host.call(100);
    await host.drain();
    expectNothingLost(server, host);
    expect(host.tracer.stats()).toMatchObject({ delivered: 98, dropped: { rejected: 2 } });
  });

  it.each([401, 403, 404])(
    'fault 8, %i: keeps all, warns once, and sends when the key is taken again',
    async (status) => {
      server.fault = failing(status, {}, 'Invalid API key');
      host.call(120);
      expect(await host.tracer.flush(5000)).toBe(false);
      expect(await host.tracer.flush(5000)).toBe(false);
      expect(host.codes).toEqual(['TRACER_UNAUTHORIZED']);
      expect(host.tracer.stats()).toMatchObject({ waiting: 120, service: 'refusing' });
      server.fault = healthy;
      await host.drain();
      expectAllStored(server, host);
    },
  );

  it('fault 9, bursts of 408, 425, 500, 502, 503 and 504: tries again until all is stored', async () => {
    server.fault = inTurn(
      ...[408, 500, 502].map((status) => failing(status)),
      healthy,
      failing(503),
      failing(425),
      failing(504),
      healthy,
    );
    host.call(400);
    await host.drain();
    expectAllStored(server, host);
  });

  it.each([301, 302, 307, 308])(
    'fault 10, a %i elsewhere: is not followed, and the records are kept',
    async (status) => {
      const elsewhere = await FaultServer.start(healthy);
      server.fault = first(1, failing(status, { location: `${elsewhere.url}/api/v1/ingest` }));
      host.call(10);
      expect(await host.tracer.flush(5000)).toBe(false);
      expect(elsewhere.requests).toBe(0);
      expect(host.codes).toEqual(['TRACER_REDIRECTED']);
      await host.drain();
      expectAllStored(server, host);
      await elsewhere.down();
    },
  );

  it('fault 14, stored and then reset: sends the same batch id again, so that nothing is stored twice', async () => {
    server.fault = inTurn(healthy, healthy, storeThenReset);
    host.call(600);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 15, a truncated 2xx: counts as stored', async () => {
    server.fault = storeThenTruncate;
    host.call(100);
    await host.drain();
    expectAllStored(server, host);
    expect(server.requests).toBe(2);
  });

  it('fault 15, an endless 2xx: is cut off, and counts as stored', async () => {
    server.fault = storeThenAnswerEndlessly;
    host.call(100);
    await host.drain();
    expectAllStored(server, host);
  });
});
