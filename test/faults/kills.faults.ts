import { setTimeout as sleep } from 'node:timers/promises';
import { FaultScene } from './fault-scene.js';
import { healthy, inTurn, failing, resetMidBody, slow, storeThenReset } from './faults.js';
import { expectAllStored } from './oracle.js';

const ALWAYS = { spool: 'always', intervalMs: 20 } as const;

describe('SIGKILL at random moments, in all stages of delivery', () => {
  const scene = FaultScene.forEachTest(() =>
    inTurn(slow(5), failing(503), storeThenReset, healthy, resetMidBody, healthy),
  );

  async function runUntilKilled(): Promise<void> {
    const scenario = { url: scene.server.url, delivery: ALWAYS, callsATick: 10, pauseMs: 1, end: 'work on' };
    const host = scene.hosts.start(scenario);
    await host.printed('answered');
    await sleep(Math.random() * 300);
    await host.kill('SIGKILL');
  }

  it('fault 18, one process after another, 60 times: the last one sends what all left', async () => {
    for (let round = 0; round < 60; round++) await runUntilKilled();
    scene.server.fault = healthy;
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account(true));
  });

  it('fault 25, eight at once on one folder, six times', async () => {
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 8 }, runUntilKilled));
    scene.server.fault = healthy;
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account(true));
  });

  it('fault 14, every third batch is stored and then reset: nothing is stored twice', async () => {
    scene.server.fault = inTurn(healthy, healthy, storeThenReset);
    await scene.hosts.run({
      url: scene.server.url,
      calls: 20_000,
      bytes: 500,
      callsATick: 500,
      pauseMs: 5,
      end: 'shutdown',
    });
    expectAllStored(scene.server, scene.hosts.account());
  });
});
