import { FaultServer } from './fault-server.js';
import { hanging, healthy, slow } from './faults.js';
import { expectAllStored, expectNothingLost } from './oracle.js';
import { Hosts } from './run-host.js';
import { TracedHost } from './traced-host.js';

describe('Load, threads and processes', () => {
  let server: FaultServer;
  let hosts: Hosts;

  beforeEach(async () => {
    server = await FaultServer.start(healthy);
    hosts = new Hosts();
  });

  afterEach(async () => {
    hosts.remove();
    await server.down();
  });

  it('fault 28, worker threads: each sends what it recorded', async () => {
    await hosts.run({ url: server.url, calls: 300, threads: 3 });
    expect(hosts.account().sent).toHaveLength(900);
    expectAllStored(server, hosts.account());
  });

  it('fault 28, worker threads are terminated: `always` has each span that ended', async () => {
    const delivery = { spool: 'always' } as const;
    const scenario = { url: server.url, delivery, callsATick: 20, pauseMs: 1, threads: 3, end: 'work on' };
    await hosts.run({ ...scenario, terminateAfterSpans: 500 });
    await hosts.run({ url: server.url, calls: 0, end: 'shutdown' });
    expectAllStored(server, hosts.account(true));
  });

  it('fault 29, cluster workers: each sends what it recorded', async () => {
    await hosts.run({ url: server.url, calls: 300, processes: 3 });
    expect(hosts.account().sent).toHaveLength(900);
    expectAllStored(server, hosts.account());
  });

  it('fault 31, 20,000 records in one tick: all arrive', async () => {
    await hosts.run({ url: server.url, calls: 20_000, end: 'shutdown' });
    expectAllStored(server, hosts.account());
  });

  it('fault 31, 120 MB in one tick: memory stays bounded, files take the rest, all arrives', async () => {
    const host = new TracedHost(server);
    host.call(20_000, 6000);
    const { memoryBytes, spoolBytes } = host.tracer.stats();
    expect(memoryBytes).toBeLessThanOrEqual(32 * 2 ** 20);
    expect(spoolBytes).toBeGreaterThan(64 * 2 ** 20);
    await host.drain();
    expectAllStored(server, host);
    await host.end();
  });

  it('fault 31, without files: drops the oldest beyond the bound, and reports them', async () => {
    server.fault = slow(20);
    const host = new TracedHost(server, { spool: false, maxQueueBytes: 2 ** 22 });
    host.call(10_000, 1000);
    host.expectBalance();
    await host.drain();
    host.expectBalance();
    const { dropped, delivered } = host.tracer.stats();
    expect(dropped.memory_full).toBe(10_000 - delivered);
    expect(server.stored.size).toBe(delivered);
    expect(host.codes).toContain('TRACER_RECORDS_DROPPED');
    await host.end();
  });

  it('fault 32, a value of 100 MB: the call goes on, and its record arrives', async () => {
    const host = new TracedHost(server);
    host.call(1, 100 * 2 ** 20);
    host.call(10);
    await host.drain();
    expectNothingLost(server, host);
    await host.end();
  });

  it('fault 33, a promise that never settles: arrives as unfinished, and holds nobody up', async () => {
    const host = new TracedHost(server);
    void host.tracer.withSpan('wait', () => {
      host.sent.push(host.tracer.getCurrentSpan().spanId);
      return new Promise(() => undefined);
    })();
    await host.drain();
    expectAllStored(server, host);
    await host.end();
  });

  it('fault 40, a thousand tracers in one process: one listener each for beforeExit and exit, none for signals', async () => {
    const first = new TracedHost(server);
    const listeners = () =>
      ['beforeExit', 'exit', 'SIGTERM', 'SIGINT', 'uncaughtException', 'uncaughtExceptionMonitor'].map(
        (event) => process.listenerCount(event),
      );
    const before = listeners();
    const hundreds = Array.from({ length: 1000 }, () => new TracedHost(server, { spoolDir: first.spoolDir }));
    expect(listeners()).toEqual(before);
    hundreds[999]!.call(10);
    await hundreds[999]!.drain();
    expectAllStored(server, hundreds[999]!);
    await first.end();
  });

  it('keeps its place: a service that hangs costs memory up to the bound, and the host nothing else', async () => {
    server.fault = hanging;
    const host = new TracedHost(server, { maxQueueBytes: 2 ** 22 });
    host.call(20_000, 1000);
    expect(host.tracer.stats().memoryBytes).toBeLessThanOrEqual(2 ** 22);
    server.fault = healthy;
    await server.down();
    await server.up();
    await host.drain();
    expectAllStored(server, host);
    await host.end();
  });
});
