import { FaultScene } from './fault-scene.js';
import { hanging, healthy, slow } from './faults.js';
import { expectAllStored, expectNothingLost } from './oracle.js';
import { TracedHost } from './traced-host.js';

describe('Load, threads and processes', () => {
  const scene = FaultScene.forEachTest();

  it('fault 28, worker threads: each sends what it recorded', async () => {
    await scene.hosts.run({ url: scene.server.url, calls: 300, threads: 3 });
    expect(scene.hosts.account().sent).toHaveLength(900);
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 28, worker threads are terminated: `always` has each span that ended', async () => {
    const delivery = { spool: 'always' } as const;
    const scenario = {
      url: scene.server.url,
      delivery,
      callsATick: 20,
      pauseMs: 1,
      threads: 3,
      end: 'work on',
    };
    await scene.hosts.run({ ...scenario, terminateAfterSpans: 500 });
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account(true));
  });

  it('fault 29, cluster workers: each sends what it recorded', async () => {
    await scene.hosts.run({ url: scene.server.url, calls: 300, processes: 3 });
    expect(scene.hosts.account().sent).toHaveLength(900);
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 31, 20,000 records in one tick: all arrive', async () => {
    await scene.hosts.run({ url: scene.server.url, calls: 20_000, end: 'shutdown' });
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 31, 120 MB in one tick: memory stays bounded, files take the rest, all arrives', async () => {
    const host = new TracedHost(scene.server);
    host.call(20_000, 6000);
    const { memoryBytes, spoolBytes } = host.tracer.stats();
    expect(memoryBytes).toBeLessThanOrEqual(32 * 2 ** 20);
    expect(spoolBytes).toBeGreaterThan(64 * 2 ** 20);
    await host.drain();
    expectAllStored(scene.server, host);
    await host.end();
  });

  it('fault 31, without files: drops the oldest beyond the bound, and reports them', async () => {
    scene.server.fault = slow(20);
    const host = new TracedHost(scene.server, { spool: false, maxQueueBytes: 2 ** 22 });
    host.call(10_000, 1000);
    host.expectBalance();
    await host.drain();
    host.expectBalance();
    const { dropped, delivered } = host.tracer.stats();
    expect(dropped.memory_full).toBe(10_000 - delivered);
    expect(scene.server.stored.size).toBe(delivered);
    expect(host.codes).toContain('TRACER_RECORDS_DROPPED');
    await host.end();
  });

  it('fault 32, a value of 100 MB: the call goes on, and its record arrives', async () => {
    const host = new TracedHost(scene.server);
    host.call(1, 100 * 2 ** 20);
    host.call(10);
    await host.drain();
    expectNothingLost(scene.server, host);
    await host.end();
  });

  it('fault 33, a promise that never settles: arrives as unfinished, and holds nobody up', async () => {
    const host = new TracedHost(scene.server);
    void host.tracer.withSpan('wait', () => {
      host.sent.push(host.tracer.getCurrentSpan().spanId);
      return new Promise(() => undefined);
    })();
    await host.drain();
    expectAllStored(scene.server, host);
    await host.end();
  });

  it('fault 40, a thousand tracers in one process: one listener each for beforeExit and exit, none for signals', async () => {
    const first = new TracedHost(scene.server);
    const listeners = () =>
      ['beforeExit', 'exit', 'SIGTERM', 'SIGINT', 'uncaughtException', 'uncaughtExceptionMonitor'].map(
        (event) => process.listenerCount(event),
      );
    const before = listeners();
    const hundreds = Array.from(
      { length: 1000 },
      () => new TracedHost(scene.server, { spoolDir: first.spoolDir }),
    );
    expect(listeners()).toEqual(before);
    hundreds[999]!.call(10);
    await hundreds[999]!.drain();
    expectAllStored(scene.server, hundreds[999]!);
    await first.end();
  });

  it('keeps its place: a service that hangs costs memory up to the bound, and the host nothing else', async () => {
    scene.server.fault = hanging;
    const host = new TracedHost(scene.server, { maxQueueBytes: 2 ** 22 });
    host.call(20_000, 1000);
    expect(host.tracer.stats().memoryBytes).toBeLessThanOrEqual(2 ** 22);
    scene.server.fault = healthy;
    await scene.server.down();
    await scene.server.up();
    await host.drain();
    expectAllStored(scene.server, host);
    await host.end();
  });
});
