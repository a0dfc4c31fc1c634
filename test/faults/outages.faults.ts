import { setTimeout as sleep } from 'node:timers/promises';
import { FaultScene } from './fault-scene.js';
import type { Fault } from './fault-server.js';
import { failing, hanging, healthy } from './faults.js';
import { expectAllStored } from './oracle.js';

const OUTAGE_MS = 30_000;
/** 500 spans a second for ten seconds, then time for all of them to arrive. */
const LOAD = { calls: 5000, bytes: 1000, callsATick: 50, pauseMs: 100 };
const DEFAULTS = { intervalMs: 1000, retryMinDelayMs: 500, retryMaxDelayMs: 30_000 };

describe('An outage of 30 s from the first span on, with the default pauses between tries', () => {
  const scene = FaultScene.forEachTest();

  async function liveThrough(outage: Fault): Promise<void> {
    scene.server.fault = outage;
    const delivery = { ...DEFAULTS, requestTimeoutMs: 5000 };
    const host = scene.hosts.start({
      url: scene.server.url,
      ...LOAD,
      delivery,
      end: 'flush and shut down on SIGTERM',
    });
    await sleep(OUTAGE_MS);
    scene.server.fault = healthy;
    await host.printed('staying');
    await host.kill('SIGTERM');
    expectAllStored(scene.server, scene.hosts.account());
  }

  it('fault 1, connections are reset', () => liveThrough(({ request }) => request.socket.resetAndDestroy()));

  it('fault 3, every request hangs', () => liveThrough(hanging));

  it('fault 5, 429', () => liveThrough(failing(429)));

  it('fault 9, 500', () => liveThrough(failing(500)));

  it('fault 9, 503', () => liveThrough(failing(503)));

  it('fault 1, nothing listens, and the process ends before the service is back', async () => {
    await scene.server.down();
    await scene.hosts.run({ url: scene.server.url, ...LOAD, delivery: DEFAULTS });
    await scene.server.up();
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });
});
