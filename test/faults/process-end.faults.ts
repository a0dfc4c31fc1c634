import { setTimeout as sleep } from 'node:timers/promises';
import { FaultScene, until } from './fault-scene.js';
import { answering, failing, first, hanging, healthy, limited, storeThenReset } from './faults.js';
import { FrozenService } from './frozen-service.js';
import { expectAllStored } from './oracle.js';

describe('The end of a process', () => {
  const scene = FaultScene.forEachTest();

  it('with nothing left to do: sends the rest before it ends', async () => {
    await scene.expectSameEnd({ calls: 1050 });
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 20, process.exit: writes what waits to a file, and the next process sends it', async () => {
    const { traced } = await scene.expectSameEnd({ calls: 1000, end: 'exit' });
    expect(traced.code).toBe(3);
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it.each(['throw', 'reject'])(
    'fault 21, an uncaught error (%s): keeps message and exit code, and loses nothing',
    async (end) => {
      const { traced } = await scene.expectSameEnd({ calls: 1000, end });
      expect(traced.code).toBe(1);
      expect(traced.stderr).toContain('the host failed');
      await scene.nextProcess();
      expectAllStored(scene.server, scene.hosts.account());
    },
  );

  it.each(['natural', 'exit', 'throw'])(
    'calls that have not ended (%s): are sent as unfinished',
    async (end) => {
      await scene.expectSameEnd({ misbehaviour: 'never settles', calls: 300, end });
      await scene.nextProcess();
      expectAllStored(scene.server, scene.hosts.account());
      expect(scene.server.spans.map(({ status }) => status)).toEqual(Array(300).fill('unfinished'));
    },
  );

  it('fault 17, SIGTERM without a handler: ends by the signal, and `always` loses nothing', async () => {
    const { traced } = await scene.expectSameEnd({
      calls: 300,
      end: 'sigterm',
      delivery: { spool: 'always' },
    });
    expect(traced.signal).toBe('SIGTERM');
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 17, SIGTERM with a handler that shuts down: loses nothing', async () => {
    const host = scene.hosts.start({ url: scene.server.url, calls: 300, end: 'shut down on SIGTERM' });
    await host.printed('staying');
    expect((await host.kill('SIGTERM')).signal).toBe('SIGTERM');
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 18, SIGKILL at a random moment: `always` has each span that ended', async () => {
    for (let round = 0; round < 3; round++) {
      const delivery = { spool: 'always' } as const;
      const host = scene.hosts.start({
        url: scene.server.url,
        delivery,
        callsATick: 20,
        pauseMs: 1,
        end: 'work on',
      });
      await host.printed('answered');
      await sleep(Math.random() * 300);
      expect((await host.kill('SIGKILL')).signal).toBe('SIGKILL');
    }
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account(true));
  });

  it('fault 19, the heap is exhausted: `always` has each span that ended', async () => {
    const { signal } = await scene.hosts.run(
      { url: scene.server.url, calls: 500, end: 'heap exhaustion', delivery: { spool: 'always' } },
      { execArgv: ['--max-old-space-size=40'] },
    );
    expect(signal).toBe('SIGABRT');
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  describe('with atExit: send', () => {
    const send = { atExit: 'send', exitTimeoutMs: 10_000 } as const;

    it.each(['exit', 'throw', 'reject', 'natural'])(
      'fault 20, the end (%s): all arrives before it, with no next process',
      async (end) => {
        await scene.expectSameEnd({ calls: 1050, end, delivery: send });
        expectAllStored(scene.server, scene.hosts.account());
      },
    );

    it('fault 22, no file can be written: all arrives', async () => {
      await scene.expectSameEnd({ calls: 1050, end: 'exit', delivery: { ...send, spool: false } });
      expectAllStored(scene.server, scene.hosts.account());
    });

    it('calls that have not ended: arrive as unfinished', async () => {
      await scene.expectSameEnd({ misbehaviour: 'never settles', calls: 50, end: 'exit', delivery: send });
      expectAllStored(scene.server, scene.hosts.account());
    });

    it('fault 9, the service is overloaded at first: tries again until all is stored', async () => {
      scene.server.fault = first(3, failing(503));
      await scene.expectSameEnd({ calls: 1050, end: 'exit', delivery: send });
      expectAllStored(scene.server, scene.hosts.account());
    });

    it('fault 14, stored, then reset before the answer: sends the same batches again, and nothing is stored twice', async () => {
      scene.server.fault = first(2, storeThenReset);
      await scene.expectSameEnd({ calls: 1050, end: 'exit', delivery: send });
      expectAllStored(scene.server, scene.hosts.account());
    });

    it('fault 6, batches are too large for the service: the rest is for the next process', async () => {
      scene.server.fault = limited(20_000);
      await scene.expectSameEnd({ calls: 300, end: 'exit', delivery: send });
      await scene.nextProcess();
      expectAllStored(scene.server, scene.hosts.account());
    });

    it.each([
      ['is down', undefined],
      ['hangs', hanging],
      ['refuses the key', failing(401)],
      ['is something else', answering(200, '<html>')],
    ])('the service %s: the end waits within its bound, and the next process sends all', async (_, fault) => {
      if (fault === undefined) await scene.server.down();
      else scene.server.fault = fault;
      const delivery = { ...send, exitTimeoutMs: 300 };
      const { addedMs } = await scene.expectSameEnd({ calls: 1050, end: 'exit', delivery });
      expect(addedMs).toBeLessThan(10_000);
      if (fault === undefined) await scene.server.up();
      scene.server.fault = healthy;
      await scene.nextProcess();
      expectAllStored(scene.server, scene.hosts.account());
    });
  });

  it('fault 1, the service is down at the end: nobody waits for it, and the next process sends all', async () => {
    await scene.server.down();
    const { addedMs } = await scene.expectSameEnd({ calls: 1000, delivery: { exitTimeoutMs: 20_000 } });
    expect(addedMs).toBeLessThan(10_000);
    await scene.server.up();
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 3, the service hangs at the end: the process waits within its bound, and the next one sends all', async () => {
    scene.server.fault = hanging;
    const { addedMs } = await scene.expectSameEnd({ calls: 1000, delivery: { exitTimeoutMs: 300 } });
    expect(addedMs).toBeLessThan(10_000);
    scene.server.fault = healthy;
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
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
      try {
        if (bodyBytes === 0) await frozen.takeAllConnections();
        const { code, durationMs } = await scene.hosts.run({
          url: frozen.url,
          calls: 100,
          bytes: bodyBytes / 100,
          callsATick,
          pauseMs: 30,
          // The next try is due at once: it must not hold the process in the place of the one that was given up.
          delivery: { exitTimeoutMs: 300, retryMinDelayMs: 1, retryMaxDelayMs: 1 },
        });
        expect(code).toBe(0);
        expect(durationMs).toBeLessThan(15_000);
      } finally {
        frozen.stop();
      }
    },
  );

  it('fault 8, the key is refused at the end: nobody waits, and the next process sends all', async () => {
    scene.server.fault = failing(401);
    await scene.expectSameEnd({ calls: 1000 });
    scene.server.fault = healthy;
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 14, stored, then killed before the answer: the next process sends it again, and nothing is stored twice', async () => {
    scene.server.fault = async (exchange) => {
      exchange.store(await exchange.body());
      host.process.kill('SIGKILL');
    };
    const host = scene.hosts.start({
      url: scene.server.url,
      calls: 700,
      end: 'stay',
      delivery: { spool: 'always' },
    });
    await host.ended;
    scene.server.fault = healthy;
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('fault 30, the process is frozen and thawed: all arrives', async () => {
    const host = scene.hosts.start({
      url: scene.server.url,
      calls: 400,
      callsATick: 10,
      pauseMs: 10,
      end: 'shutdown',
    });
    await until(() => scene.server.requests > 0);
    host.process.kill('SIGSTOP');
    // How long it is frozen is the fault itself.
    await sleep(800);
    host.process.kill('SIGCONT');
    await host.printed('shut down');
    await host.ended;
    expectAllStored(scene.server, scene.hosts.account());
  });
});
