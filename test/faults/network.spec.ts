import { setTimeout as sleep } from 'node:timers/promises';
import { FaultServer } from './fault-server.js';
import { first, hanging, healthy, inTurn, resetMidBody, slow } from './faults.js';
import { expectAllStored } from './oracle.js';
import { TracedHost } from './traced-host.js';

describe('The way to the service', () => {
  let server: FaultServer;
  let host: TracedHost;

  beforeEach(async () => {
    server = await FaultServer.start(healthy);
    host = new TracedHost(server, { maxBatchRecords: 50, requestTimeoutMs: 400 });
  });

  afterEach(async () => {
    host.expectBalance();
    await host.end();
    await server.down();
  });

  it('fault 1, the service is down and comes back: all arrives', async () => {
    await server.down();
    for (let round = 0; round < 10; round++) {
      host.call(50);
      await sleep(50);
    }
    expect(host.tracer.stats()).toMatchObject({ service: 'unreachable', delivered: 0, waiting: 500 });
    await server.up();
    await host.drain();
    expectAllStored(server, host);
    expect(host.codes).toEqual(['TRACER_SERVICE_UNREACHABLE']);
  });

  it('fault 2, the service is slow: nobody waits for it, and all arrives', async () => {
    server.fault = slow(100);
    host.call(1000);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 3, the service takes requests and never answers: each is tried again after its deadline', async () => {
    server.fault = first(3, hanging);
    host.call(300);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 11, the name cannot be resolved: all is kept, and the application is told once', async () => {
    const lost = new TracedHost({ url: 'http://no-such-host.invalid' });
    lost.call(10);
    expect(await lost.tracer.flush(3000)).toBe(false);
    expect(lost.codes).toEqual(['TRACER_SERVICE_UNREACHABLE']);
    expect(lost.tracer.stats().waiting).toBe(10);
    lost.expectBalance();
    await lost.end();
  });

  it('fault 12, the certificate is not to be trusted: nothing is sent, all is kept', async () => {
    await server.down();
    server = await FaultServer.start(healthy, 'https');
    const careful = new TracedHost(server);
    careful.call(10);
    expect(await careful.tracer.flush(3000)).toBe(false);
    await careful.end();
    expect(server.requests).toBe(0);
    expect(careful.tracer.stats().waiting).toBe(10);
    expect(careful.errors[0]?.message).toMatch(/certificate/i);
  });

  it('fault 13, the connection is reset in the middle of an upload: the batch is sent again', async () => {
    server.fault = inTurn(resetMidBody, healthy);
    host.call(300, 2000);
    await host.drain();
    expectAllStored(server, host);
  });

  it('fault 27, the event loop is blocked for longer than the deadline: no request is given up for it', async () => {
    server.fault = slow(200);
    host.call(50);
    const drained = host.drain();
    await sleep(100);
    const end = performance.now() + 1000;
    while (performance.now() < end);
    await drained;
    expectAllStored(server, host);
    expect(server.requests).toBe(1);
    expect(host.errors).toEqual([]);
  });
});
