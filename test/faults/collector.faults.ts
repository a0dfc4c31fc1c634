import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CollectorScene } from './collector-scene.js';
import { removeFolder } from '../support/remove-folder.js';
import { losingTheAnswer, resetAfter, sound } from './tcp-proxy.js';

describe('The collector behind a line that goes wrong, for longer', () => {
  const scene = CollectorScene.forEachTest();

  it('fault 1, the line is cut again and again: all is in the database once', async () => {
    const host = scene.startHost({ calls: 4000 });
    for (let round = 0; round < 4; round++) {
      await scene.moreRequests(5);
      scene.proxy.cut();
      await sleep(500);
      scene.mend();
    }
    await host.ended;
    await scene.expectAllInTheDatabase();
  });

  it('fault 13, connections are reset in the middle of uploads: all is in the database once', async () => {
    scene.proxy.faults = [resetAfter(8000), sound, resetAfter(100), sound];
    await scene.startHost().ended;
    await scene.expectAllInTheDatabase();
    expect(scene.proxy.requests).toBeGreaterThan(60);
  });

  it('fault 18, hosts and collector are killed in turns: the last process sends what all left', async () => {
    scene.proxy.faults = [losingTheAnswer, sound, resetAfter(4000), sound];
    for (let round = 0; round < 8; round++) {
      const host = scene.startHost({ delivery: { spool: 'always' }, end: 'work on' });
      await scene.moreRequests(1 + Math.floor(Math.random() * 30));
      if (round % 2 === 0) await scene.killCollector();
      await host.kill('SIGKILL');
    }
    await scene.startHost({ calls: 0 }).ended;
    await scene.expectAllInTheDatabase(true);
  });
});

describe('The collector whose database is gone, and whose threads end', () => {
  it('gives up after its tries, says so, and ends with an exit code that has it started again', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'dacapo-faults-gone-'));
    const preload = join(__dirname, '../../libs/collector/test/support/end-threads.cjs');
    const dacapo = join(__dirname, '../../libs/cli/bin/dacapo.cjs');
    const args = ['--require', preload, dacapo, 'serve', '--json', '--port', '0', '--data-dir', dataDir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    child.stderr.on('data', (chunk: Buffer) => (log += String(chunk)));
    await once(child.stdout, 'data');
    const ended = once(child, 'close');
    await removeFolder(dataDir);
    child.kill('SIGUSR2');
    expect(await ended).toEqual([1, null]);
    const [last] = log.trimEnd().split('\n').slice(-1);
    expect(JSON.parse(last ?? '')).toEqual({
      error: {
        code: 'COLLECTOR_DATABASE_THREAD_LOST',
        message: expect.stringContaining('cannot be restarted'),
      },
    });
  });
});
