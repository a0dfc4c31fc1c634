import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FaultScene } from './fault-scene.js';
import { healthy } from './faults.js';
import { expectAllStored, expectNothingLost } from './oracle.js';
import { TracedHost } from './traced-host.js';

const ALWAYS = { spool: 'always' } as const;

describe('The spool', () => {
  const scene = FaultScene.forEachTest();

  /** Leaves the records of a process that was killed while the service was away. */
  async function leaveOrphans(calls: number) {
    await scene.server.down();
    const host = scene.hosts.start({ url: scene.server.url, calls, end: 'stay', delivery: ALWAYS });
    await host.printed('staying');
    await host.kill('SIGKILL');
    await scene.server.up();
  }

  function filesNamed(ending: string): string[] {
    return readdirSync(scene.hosts.spoolDir, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith(ending))
      .map((name) => join(scene.hosts.spoolDir, name));
  }

  it('is private to the user, never contains the key, and is empty once everything is sent', async () => {
    await leaveOrphans(100);
    const [file] = filesNamed('.spool');
    expect(statSync(file!).mode & 0o777).toBe(0o600);
    for (const folder of [dirname(file!), dirname(dirname(file!))])
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const path of [file!, ...filesNamed('.json')])
      expect(readFileSync(path, 'utf8')).not.toContain('key-of-the-host');
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
    expect(filesNamed('.spool')).toEqual([]);
    expect(readdirSync(scene.hosts.spoolDir, { recursive: true })).toEqual([]);
  });

  it('fault 22, the disk fills in the middle of a record: memory keeps the rest, and all arrives', async () => {
    await scene.hosts.run(
      { url: scene.server.url, calls: 2000, bytes: 1000, end: 'shutdown', delivery: ALWAYS },
      { shell: `trap '' XFSZ; ulimit -f 200; exec "$@"` },
    );
    expectAllStored(scene.server, scene.hosts.account());
    expect(scene.hosts.errors().map(({ code }) => code)).toEqual(['TRACER_SPOOL_UNUSABLE']);
  });

  it('fault 22, the disk is full and the service is away: records lost at exit are reported', async () => {
    await scene.server.down();
    const { code } = await scene.hosts.run(
      { url: scene.server.url, calls: 2000, bytes: 1000, end: 'exit' },
      { shell: `trap '' XFSZ; ulimit -f 200; exec "$@"` },
    );
    expect(code).toBe(3);
    await scene.server.up();
    await scene.nextProcess();
    const dropped = scene.hosts.errors().reduce((sum, { count = 0 }) => sum + count, 0);
    expect(dropped + scene.server.stored.size).toBe(scene.hosts.account().sent.length);
  });

  it('fault 23, the folder cannot be written: memory keeps the records, and all arrives', async () => {
    writeFileSync(scene.hosts.spoolDir, 'a file, where the folder should be');
    const { code, stdout } = await scene.hosts.run({
      url: scene.server.url,
      calls: 1000,
      end: 'shutdown',
      delivery: ALWAYS,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('shut down') });
    expectAllStored(scene.server, scene.hosts.account());
    expect(scene.hosts.errors().map(({ code: error }) => error)).toEqual(['TRACER_SPOOL_UNUSABLE']);
  });

  it('fault 24, bits flip in a spool file: the records around them arrive, the hit ones are reported', async () => {
    await leaveOrphans(400);
    const [file] = filesNamed('.spool');
    const bytes = readFileSync(file!);
    for (let flip = 0; flip < 10; flip++) {
      const at = Math.floor(Math.random() * bytes.length);
      bytes[at] = bytes[at]! ^ (1 << Math.floor(Math.random() * 8));
    }
    writeFileSync(file!, bytes);
    await scene.nextProcess();
    const { sent } = scene.hosts.account();
    const dropped = scene.hosts.errors().reduce((sum, { count = 0 }) => sum + count, 0);
    const lost = sent.filter((id) => !scene.server.stored.has(id)).length;
    expect(lost).toBeGreaterThan(0);
    expect(lost).toBeLessThanOrEqual(10);
    expect(dropped).toBe(lost);
    expect(filesNamed('.damaged')).toHaveLength(1);
  });

  it('fault 24, the last record is torn: all before it arrives, and the next process does not try again', async () => {
    await leaveOrphans(100);
    const [file] = filesNamed('.spool');
    writeFileSync(file!, readFileSync(file!).subarray(0, -30));
    await scene.nextProcess();
    expect(scene.server.stored.size).toBe(99);
    expect(scene.hosts.errors()).toMatchObject([
      { code: 'TRACER_RECORDS_DROPPED', reason: 'spool_damaged', count: 1 },
    ]);
    expectNothingLost(scene.server, scene.hosts.account());
    const { requests } = scene.server;
    await scene.nextProcess();
    expect(scene.server.requests).toBe(requests);
    expect(scene.hosts.errors()).toHaveLength(1);
  });

  it('fault 25, eight processes share a folder: each record is sent once, the orphans of all too', async () => {
    await scene.server.down();
    const eight = Array.from({ length: 8 }, () => ({ url: scene.server.url, calls: 300, delivery: ALWAYS }));
    const running = eight.map((scenario) => scene.hosts.start({ ...scenario, end: 'stay' }));
    await Promise.all(running.map((host) => host.printed('staying')));
    await Promise.all(running.map((host) => host.kill('SIGKILL')));
    await scene.server.up();
    await Promise.all(eight.map((scenario) => scene.hosts.run({ ...scenario, end: 'shutdown' })));
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
    expect(scene.hosts.account().sent).toHaveLength(4800);
    expect(filesNamed('.spool')).toEqual([]);
  });

  it('fault 26, a process id is reused: the files of its former owner are adopted', async () => {
    await leaveOrphans(50);
    const [lease] = filesNamed('owner.json');
    const owner = JSON.parse(readFileSync(lease!, 'utf8'));
    writeFileSync(lease!, JSON.stringify({ ...owner, pid: process.pid }));
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('leaves the files of a living process alone', async () => {
    await scene.server.down();
    const living = scene.hosts.start({
      url: scene.server.url,
      calls: 50,
      end: 'shut down on SIGTERM',
      delivery: ALWAYS,
    });
    await living.printed('staying');
    await scene.server.up();
    scene.server.fault = ({ response }) => response.writeHead(503).end();
    await scene.nextProcess('shutdown');
    expect(filesNamed('.spool')).toHaveLength(1);
    scene.server.fault = healthy;
    await living.kill('SIGTERM');
    // What the process knew to be away at its end may wait in its file.
    await scene.nextProcess();
    expectAllStored(scene.server, scene.hosts.account());
  });

  it('waits for a folder without a lease, whose owner may be about to write it', async () => {
    const folder = join(scene.hosts.spoolDir, 'f'.repeat(32), '0123456789abcdef');
    mkdirSync(folder, { recursive: true });
    await scene.nextProcess();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is bounded: the oldest records go first, and are reported', async () => {
    await scene.server.down();
    const host = new TracedHost(scene.server, {
      ...ALWAYS,
      maxBatchRecords: 100,
      maxSpoolBytes: 200_000,
      maxQueueBytes: 2 ** 21,
    });
    host.call(8000, 1000);
    const { dropped, waiting, spoolBytes, memoryBytes } = host.tracer.stats();
    host.expectBalance();
    expect(dropped.memory_full + dropped.spool_full).toBe(8000 - waiting);
    expect(dropped.spool_full).toBeGreaterThan(0);
    expect(spoolBytes).toBeLessThanOrEqual(200_000);
    expect(memoryBytes).toBeLessThanOrEqual(2 ** 21);
    await scene.server.up();
    await host.drain();
    expect(host.sent.slice(-waiting).every((id) => scene.server.stored.has(id))).toBe(true);
    await host.end();
  });
});
