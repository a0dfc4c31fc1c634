import { setTimeout as sleep } from 'node:timers/promises';
import { FaultServer } from './fault-server.js';
import { failing, hanging, healthy } from './faults.js';
import { FrozenService } from './frozen-service.js';
import { expectAllStored } from './oracle.js';
import { Hosts, type Scenario } from './run-host.js';

describe('The end of a process', () => {
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

  /** Runs the host with and without a tracer; what it prints and how it ends must be the same. */
  async function expectSameEnd(scenario: Omit<Scenario, 'url'>) {
    const [traced, untraced] = await Promise.all([
      hosts.run({ ...scenario, url: server.url }),
      hosts.run({ ...scenario, url: server.url, traced: false }),
    ]);
    const visible = ({ code, signal, stdout, stderr }: typeof traced) => ({ code, signal, stdout, stderr });
    expect(visible(traced)).toEqual(visible(untraced));
    return { traced, addedMs: traced.durationMs - untraced.durationMs };
  }

  /** A process that records nothing: it sends what those before it left. */
  async function nextProcess() {
    await hosts.run({ url: server.url, calls: 0, end: 'shutdown' });
  }

  it('with nothing left to do: sends the rest before it ends', async () => {
    await expectSameEnd({ calls: 1050 });
    expectAllStored(server, hosts.account());
  });

  it('fault 20, process.exit: writes what waits to a file, and the next process sends it', async () => {
    const { traced } = await expectSameEnd({ calls: 1000, end: 'exit' });
    expect(traced.code).toBe(3);
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it.each(['throw', 'reject'])(
    'fault 21, an uncaught error (%s): keeps message and exit code, and loses nothing',
    async (end) => {
      const { traced } = await expectSameEnd({ calls: 1000, end });
      expect(traced.code).toBe(1);
      expect(traced.stderr).toContain('the host failed');
      await nextProcess();
      expectAllStored(server, hosts.account());
    },
  );

  it('fault 17, SIGTERM without a handler: ends by the signal, and `always` loses nothing', async () => {
    const { traced } = await expectSameEnd({ calls: 300, end: 'sigterm', delivery: { spool: 'always' } });
    expect(traced.signal).toBe('SIGTERM');
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it('fault 17, SIGTERM with a handler that shuts down: loses nothing', async () => {
    const host = hosts.start({ url: server.url, calls: 300, end: 'shut down on SIGTERM' });
    await host.printed('staying');
    expect((await host.kill('SIGTERM')).signal).toBe('SIGTERM');
    expectAllStored(server, hosts.account());
  });

  it('fault 18, SIGKILL at a random moment: `always` has each span that ended', async () => {
    for (let round = 0; round < 3; round++) {
      const delivery = { spool: 'always' } as const;
      const host = hosts.start({ url: server.url, delivery, callsATick: 20, pauseMs: 1, end: 'work on' });
      await host.printed('answered');
      await sleep(Math.random() * 300);
      expect((await host.kill('SIGKILL')).signal).toBe('SIGKILL');
    }
    await nextProcess();
    expectAllStored(server, hosts.account(true));
  });

  it('fault 19, the heap is exhausted: `always` has each span that ended', async () => {
    const { signal } = await hosts.run(
      { url: server.url, calls: 500, end: 'heap exhaustion', delivery: { spool: 'always' } },
      { execArgv: ['--max-old-space-size=40'] },
    );
    expect(signal).toBe('SIGABRT');
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it('fault 1, the service is down at the end: nobody waits for it, and the next process sends all', async () => {
    await server.down();
    const { addedMs } = await expectSameEnd({ calls: 1000, delivery: { exitTimeoutMs: 20_000 } });
    expect(addedMs).toBeLessThan(10_000);
    await server.up();
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it('fault 3, the service hangs at the end: the process waits within its bound, and the next one sends all', async () => {
    server.fault = hanging;
    const { addedMs } = await expectSameEnd({ calls: 1000, delivery: { exitTimeoutMs: 300 } });
    expect(addedMs).toBeLessThan(10_000);
    server.fault = healthy;
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it.each([
    ['connections are not answered', 0, 100],
    ['what is written is not read', 6_000_000, 100],
    ['connections are not answered, since before the end', 0, 10],
    ['what is written is not read, since before the end', 6_000_000, 10],
  ])(
    'fault 3, %s at the end: holds the process no longer than its bound',
    async (_, bodyBytes, callsATick) => {
      const frozen = await FrozenService.start();
      if (bodyBytes === 0) await frozen.takeAllConnections();
      const { code, durationMs } = await hosts.run({
        url: frozen.url,
        calls: 100,
        bytes: bodyBytes / 100,
        callsATick,
        pauseMs: 30,
        delivery: { exitTimeoutMs: 300 },
      });
      expect(code).toBe(0);
      expect(durationMs).toBeLessThan(15_000);
      frozen.stop();
    },
  );

  it('fault 8, the key is refused at the end: nobody waits, and the next process sends all', async () => {
    server.fault = failing(401);
    await expectSameEnd({ calls: 1000 });
    server.fault = healthy;
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it('fault 14, stored, then killed before the answer: the next process sends it again, and nothing is stored twice', async () => {
    server.fault = async (exchange) => {
      exchange.store(await exchange.body());
      host.process.kill('SIGKILL');
    };
    const host = hosts.start({ url: server.url, calls: 700, end: 'stay', delivery: { spool: 'always' } });
    await host.ended;
    server.fault = healthy;
    await nextProcess();
    expectAllStored(server, hosts.account());
  });

  it('fault 30, the process is frozen and thawed: all arrives', async () => {
    const host = hosts.start({ url: server.url, calls: 400, callsATick: 10, pauseMs: 10, end: 'shutdown' });
    await sleep(350);
    host.process.kill('SIGSTOP');
    await sleep(800);
    host.process.kill('SIGCONT');
    await host.printed('shut down');
    await host.ended;
    expectAllStored(server, hosts.account());
  });
});
