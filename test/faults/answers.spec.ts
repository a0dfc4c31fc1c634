import { LocalFaultScene } from './fault-scene.js';
import { FaultServer } from './fault-server.js';
import {
  answering,
  failing,
  first,
  healthy,
  inTurn,
  limited,
  rejecting,
  storeThenAnswerEndlessly,
  storeThenReset,
  storeThenTruncate,
  switching,
} from './faults.js';
import { expectAllStored, expectNothingLost } from './oracle.js';
import { TracedHost } from './traced-host.js';

describe('The responses of the service', () => {
  const scene = LocalFaultScene.forEachTest({ maxBatchRecords: 50 });

  it('fault 4, 429 with Retry-After in seconds: waits as long, then sends all', async () => {
    scene.server.fault = first(1, failing(429, { 'retry-after': '1' }));
    scene.host.call(100);
    await scene.host.drain();
    expect(scene.server.requestTimes.at(-1)! - scene.server.requestTimes[0]!).toBeGreaterThan(900);
    expectAllStored(scene.server, scene.host);
  });

  it('fault 4, 429 with Retry-After as a date: waits until then, then sends all', async () => {
    const date = new Date(Date.now() + 2000).toUTCString();
    scene.server.fault = first(1, failing(429, { 'retry-after': date }));
    scene.host.call(100);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 4, 429 with garbage in Retry-After: falls back to its own pauses', async () => {
    scene.server.fault = inTurn(
      failing(429, { 'retry-after': 'soon' }),
      failing(429, { 'retry-after': '-5' }),
      failing(429, { 'retry-after': '9999999999999999' }),
      healthy,
    );
    scene.host.call(200);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 5, 429 without Retry-After: backs off and sends all', async () => {
    scene.server.fault = first(4, failing(429));
    scene.host.call(500);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 6, 413: halves batches until they fit', async () => {
    scene.server.fault = limited(4000);
    scene.host.call(500);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 6, 413 for one record: quarantines that record, names it, and keeps its neighbours', async () => {
    scene.server.fault = limited(4000);
    scene.host.call(20);
    scene.host.call(1, 10_000);
    scene.host.call(20);
    await scene.host.drain();
    expectNothingLost(scene.server, scene.host);
    expect(scene.host.tracer.stats().dropped.quarantined).toBe(1);
    expect(scene.host.reportedDropped).toEqual([scene.host.sent[20]]);
  });

  it('fault 7, a 400 for a whole batch, once: sends it again, and all arrives', async () => {
    scene.server.fault = first(1, failing(400, {}, 'no NDJSON'));
    scene.host.call(100);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it.each([400, 403, 406])(
    'fault 7, a gateway that always answers %i to one record: quarantines that one, and delivers all others',
    async (status) => {
      scene.host.call(300);
      const poisoned = scene.host.sent[77]!;
      scene.server.fault = async (exchange) => {
        const body = await exchange.body();
        const isPoisoned = body.includes(`{"span":{"id":"${poisoned}"`);
        const answer = isPoisoned ? '<h1>Request blocked</h1>' : JSON.stringify(exchange.store(body));
        exchange.response.writeHead(isPoisoned ? status : 200).end(answer);
      };
      await scene.host.drain();
      expectNothingLost(scene.server, scene.host);
      expect(scene.host.reportedDropped).toEqual([poisoned]);
      expect(scene.host.tracer.stats()).toMatchObject({ delivered: 299, dropped: { quarantined: 1 } });
    },
  );

  it('fault 7, a partial rejection: drops only the named spans', async () => {
    const isBad = (line: string) => line.includes(scene.host.sent[3]!) || line.includes(scene.host.sent[70]!);
    scene.server.fault = rejecting(isBad);
    scene.host.call(100);
    await scene.host.drain();
    expectNothingLost(scene.server, scene.host);
    expect(scene.host.tracer.stats()).toMatchObject({ delivered: 98, dropped: { rejected: 2 } });
  });

  it('fault 7, each record of a large batch is rejected by name: none counts as delivered', async () => {
    const host = new TracedHost(scene.server, { maxBatchRecords: 10_000, maxBatchBytes: 2 ** 23 });
    scene.server.fault = rejecting(() => true);
    host.call(10_000);
    await host.drain();
    expect(host.tracer.stats()).toMatchObject({ delivered: 0, dropped: { rejected: 10_000 } });
    await host.end();
  });

  it.each([401, 403, 404])(
    'fault 8, %i: keeps all, warns once, and sends when the key is valid again',
    async (status) => {
      scene.server.fault = failing(status, {}, 'Invalid API key');
      scene.host.call(120);
      expect(await scene.host.tracer.flush(5000)).toBe(false);
      expect(await scene.host.tracer.flush(5000)).toBe(false);
      expect(scene.host.codes).toEqual(['TRACER_UNAUTHORIZED']);
      expect(scene.host.tracer.stats()).toMatchObject({ waiting: 120, service: 'refusing' });
      scene.server.fault = healthy;
      await scene.host.drain();
      expectAllStored(scene.server, scene.host);
    },
  );

  it('fault 9, bursts of 408, 425, 500, 502, 503 and 504: tries again until all is stored', async () => {
    scene.server.fault = inTurn(
      ...[408, 500, 502].map((status) => failing(status)),
      healthy,
      failing(503),
      failing(425),
      failing(504),
      healthy,
    );
    scene.host.call(400);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it.each([301, 302, 307, 308])(
    'fault 10, a %i elsewhere: is not followed, and the records are kept',
    async (status) => {
      const elsewhere = await FaultServer.start(healthy);
      scene.server.fault = first(1, failing(status, { location: `${elsewhere.url}/api/v1/ingest` }));
      scene.host.call(10);
      expect(await scene.host.tracer.flush(5000)).toBe(false);
      expect(elsewhere.requests).toBe(0);
      expect(scene.host.codes).toEqual(['TRACER_REDIRECTED']);
      await scene.host.drain();
      expectAllStored(scene.server, scene.host);
      await elsewhere.down();
    },
  );

  it('fault 14, stored and then reset: sends the same batch id again, so that nothing is stored twice', async () => {
    scene.server.fault = inTurn(healthy, healthy, storeThenReset);
    scene.host.call(600);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('a switch to another protocol: tries again until all is stored', async () => {
    scene.server.fault = first(3, switching);
    scene.host.call(200);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 15, a truncated 2xx: sends the same batch again, so that nothing is stored twice', async () => {
    scene.server.fault = first(2, storeThenTruncate);
    scene.host.call(100);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
    expect(scene.server.requests).toBeGreaterThan(2);
  });

  it('fault 15, an endless 2xx: is cut off, and the batch sent again', async () => {
    scene.server.fault = first(2, storeThenAnswerEndlessly);
    scene.host.call(100);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it.each([
    ['a page of a captive portal', 200, '<!doctype html><title>Sign in to the network</title>'],
    ['an empty object', 200, '{}'],
    ['that none was accepted', 200, '{"accepted":0,"rejected":[]}'],
    ['no content', 204, ''],
    ['that the method is not allowed', 405, '{"detail":"Method Not Allowed"}'],
    ['that it wants payment', 402, ''],
    ['that the proxy wants a sign-in', 407, ''],
    ['that it is gone', 410, ''],
    ['that it is another server', 421, ''],
    ['that it wants an upgrade', 426, ''],
    ['that the law forbids it', 451, ''],
  ])('something else answers %s: keeps all, says so once, and sends later', async (_, status, body) => {
    scene.server.fault = answering(status, body);
    scene.host.call(120);
    expect(await scene.host.tracer.flush(5000)).toBe(false);
    expect(await scene.host.tracer.flush(5000)).toBe(false);
    expect(scene.host.codes).toEqual(['TRACER_UNEXPECTED_ANSWER']);
    expect(scene.host.tracer.stats()).toMatchObject({ waiting: 120, delivered: 0, service: 'refusing' });
    scene.server.fault = healthy;
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });
});
