import { LocalFaultScene, until } from './fault-scene.js';
import { FaultServer } from './fault-server.js';
import { first, hanging, healthy, inTurn, resetMidBody, slow } from './faults.js';
import { expectAllStored } from './oracle.js';
import { TracedHost } from './traced-host.js';

describe('The way to the service', () => {
  const scene = LocalFaultScene.forEachTest({ maxBatchRecords: 50, requestTimeoutMs: 400 });

  it('fault 1, the service is down and comes back: all arrives', async () => {
    await scene.server.down();
    for (let round = 0; round < 10; round++) {
      scene.host.call(50);
      await until(() => scene.host.tracer.stats().service === 'unreachable');
    }
    expect(scene.host.tracer.stats()).toMatchObject({ service: 'unreachable', delivered: 0, waiting: 500 });
    await scene.server.up();
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
    expect(scene.host.codes).toEqual(['TRACER_SERVICE_UNREACHABLE']);
  });

  it('fault 2, the service is slow: nobody waits for it, and all arrives', async () => {
    scene.server.fault = slow(100);
    scene.host.call(1000);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 3, the service takes requests and never answers: each is tried again after its deadline', async () => {
    scene.server.fault = first(3, hanging);
    scene.host.call(300);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
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
    await scene.server.down();
    scene.server = await FaultServer.start(healthy, 'https');
    const careful = new TracedHost(scene.server);
    careful.call(10);
    expect(await careful.tracer.flush(3000)).toBe(false);
    await careful.end();
    expect(scene.server.requests).toBe(0);
    expect(careful.tracer.stats().waiting).toBe(10);
    expect(careful.errors[0]?.message).toMatch(/certificate/i);
  });

  it('fault 13, the connection is reset in the middle of an upload: the batch is sent again', async () => {
    scene.server.fault = inTurn(resetMidBody, healthy);
    scene.host.call(300, 2000);
    await scene.host.drain();
    expectAllStored(scene.server, scene.host);
  });

  it('fault 27, the event loop is blocked for longer than the deadline: no request is given up for it', async () => {
    scene.server.fault = slow(200);
    scene.host.call(50);
    const drained = scene.host.drain();
    await until(() => scene.server.requests === 1);
    const end = performance.now() + 1000;
    while (performance.now() < end);
    await drained;
    expectAllStored(scene.server, scene.host);
    expect(scene.server.requests).toBe(1);
    expect(scene.host.errors).toEqual([]);
  });
});
