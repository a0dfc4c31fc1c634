import { setTimeout as sleep } from 'node:timers/promises';
import { FaultServer } from './fault-server.js';
import { healthy, inTurn, failing, resetMidBody, slow, storeThenReset } from './faults.js';
import { expectAllStored } from './oracle.js';
import { Hosts } from './run-host.js';

const ALWAYS = { spool: 'always', intervalMs: 20 } as const;

describe('SIGKILL at random moments, in all stages of delivery', () => {
  let server: FaultServer;
  let hosts: Hosts;

  beforeEach(async () => {
    server = await FaultServer.start(
      inTurn(slow(5), failing(503), storeThenReset, healthy, resetMidBody, healthy),
    );
    hosts = new Hosts();
  });

  afterEach(async () => {
    hosts.remove();
    await server.down();
  });

  async function runUntilKilled(): Promise<void> {
    const scenario = { url: server.url, delivery: ALWAYS, callsATick: 10, pauseMs: 1, end: 'work on' };
    const host = hosts.start(scenario);
    await host.printed('answered');
    await sleep(Math.random() * 300);
    await host.kill('SIGKILL');
  }

  it('fault 18, one process after another, 60 times: the last one sends what all left', async () => {
    for (let round = 0; round < 60; round++) await runUntilKilled();
    server.fault = healthy;
    await hosts.run({ url: server.url, calls: 0, end: 'shutdown' });
    expectAllStored(server, hosts.account(true));
  });

  it('fault 25, eight at once on one folder, six times', async () => {
    for (let round = 0; round < 6; round++) await Promise.all(Array.from({ length: 8 }, runUntilKilled));
    server.fault = healthy;
    await hosts.run({ url: server.url, calls: 0, end: 'shutdown' });
    expectAllStored(server, hosts.account(true));
  });

  it('fault 14, every third batch is stored and then reset: nothing is stored twice', async () => {
    server.fault = inTurn(healthy, healthy, storeThenReset);
    await hosts.run({
      url: server.url,
      calls: 20_000,
      bytes: 500,
      callsATick: 500,
      pauseMs: 5,
      end: 'shutdown',
    });
    expectAllStored(server, hosts.account());
  });
});
