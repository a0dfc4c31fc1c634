import { AsyncLocalStorage } from 'node:async_hooks';
import { spawnSync } from 'node:child_process';
import diagnosticsChannel from 'node:diagnostics_channel';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualTimers } from '../../test/delivery/manual-timers.js';
import { RecordingService } from '../../test/delivery/recording-service.js';
import { newTraceId } from '@dacapo/protocol';
import { encodeText } from '../byte-string.js';
import type { TracerError } from '../errors.js';
import type { DeliveryOptions } from '../options/delivery-options.js';
import { RecordsDroppedError } from './errors.js';
import { HttpDelivery } from './http-delivery.js';
import { LEASE } from './spool/spool-folder.js';

const line = (n: number, bytes = 0) =>
  `{"span":{"id":"${n.toString(16).padStart(16, '0')}","x":"${'x'.repeat(bytes)}"}}`;

describe('Delivery over HTTP', () => {
  let service: RecordingService;
  let spoolDir: string;
  let timers: ManualTimers;
  let delivery: HttpDelivery;
  let errors: TracerError[];
  let randomNumber: number;

  function create(options: DeliveryOptions = {}, serviceUrl = service.url, apiKey = 'the key'): HttpDelivery {
    const reported = errors;
    const report = (error: TracerError) => reported.push(error);
    const settings = { serviceUrl, apiKey, timeoutMs: 25_000, options: { spoolDir, ...options } };
    return (delivery = new HttpDelivery({ ...settings, report }, { timers, random: () => randomNumber }));
  }

  function add(count: number, bytes?: number): void {
    for (let n = 1; n <= count; n++) delivery.add(encodeText(line(n, bytes)));
  }

  /** Resolves when so many errors have been told. */
  async function waitForErrors(count: number): Promise<void> {
    while (errors.length < count) await nextTurn();
  }

  /** Lets pauses between tries pass for as long as records wait. */
  async function pumpTimers(): Promise<void> {
    while (delivery.stats().waiting > 0) {
      timers.advance(1000);
      await nextTurn();
    }
  }

  /** Flushes, while pauses pass that a try which was under way has begun. */
  async function flushWhilePausesPass(): Promise<boolean> {
    const flushed = delivery.flush();
    await pumpTimers();
    return flushed;
  }

  /** The files in the spool are then those of a process that has ended. */
  function nameDeadOwner(): void {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const files = readdirSync(spoolDir, { recursive: true, encoding: 'utf8' });
    const path = join(
      spoolDir,
      files.find((file) => file.endsWith(LEASE))!,
    );
    writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), pid }));
  }

  function spoolFiles(): string[] {
    return readdirSync(spoolDir, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.spool') && !name.includes('quarantine'))
      .map((name) => join(spoolDir, name));
  }

  beforeEach(async () => {
    service = await RecordingService.start();
    spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-delivery-'));
    timers = new ManualTimers();
    errors = [];
    randomNumber = 0.5;
    create();
  });

  afterEach(async () => {
    await delivery.shutdown(0);
    await service.stop();
    rmSync(spoolDir, { recursive: true, force: true });
  });

  it('posts records as NDJSON with the key and an id for the batch', async () => {
    add(2);
    expect(await delivery.flush()).toBe(true);
    const [batch] = service.batches;
    expect(batch).toMatchObject({ path: '/api/v1/ingest', lines: [line(1), line(2)] });
    expect(batch?.headers).toMatchObject({
      'api-key': 'the key',
      'content-type': 'application/x-ndjson',
      'dacapo-batch-id': expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    });
  });

  it('keeps a path in the address of the service', async () => {
    create({}, `${service.url}/behind/a/proxy/`);
    add(1);
    await delivery.flush();
    expect(service.batches[0]?.path).toBe('/behind/a/proxy/api/v1/ingest');
  });

  it('sends 512 records at most in one batch', async () => {
    add(1100);
    await delivery.flush();
    expect(service.batches.map(({ lines }) => lines.length)).toEqual([512, 512, 76]);
    expect(service.batches.flatMap(({ lines }) => lines)).toEqual(
      Array.from({ length: 1100 }, (_, index) => line(index + 1)),
    );
  });

  it('sends 1 MiB at most in one batch', async () => {
    add(300, 10_000);
    await delivery.flush();
    expect(service.batches.length).toBe(3);
    for (const { bytes } of service.batches) expect(bytes).toBeLessThanOrEqual(2 ** 20);
  });

  it('sends a larger record alone', async () => {
    add(1);
    delivery.add(encodeText(line(2, 3_000_000)));
    add(1);
    await delivery.flush();
    expect(service.batches.map(({ lines }) => lines.length)).toEqual([1, 1, 1]);
    expect(service.batches.some(({ lines }) => lines[0] === line(2, 3_000_000))).toBe(true);
  });

  it('drops a record that no service can accept, and names it', async () => {
    delivery.add(encodeText(line(7, 9_000_000)));
    add(1);
    await delivery.flush();
    expect(delivery.stats()).toMatchObject({
      recorded: 2,
      delivered: 1,
      waiting: 0,
      dropped: { too_large: 1 },
    });
    expect(errors).toMatchObject([{ code: 'TRACER_RECORDS_DROPPED', ids: ['0000000000000007'], count: 1 }]);
  });

  it('sends the first records after a pause at once, and later ones a second after the first of them', async () => {
    add(1);
    timers.advance(100);
    await service.received(1);
    add(3);
    timers.advance(999);
    add(1);
    timers.advance(1);
    await service.received(2);
    // The last record was in time for it.
    expect(service.batches.map(({ lines }) => lines.length)).toEqual([1, 4]);
    timers.advance(1000);
    add(1);
    timers.advance(100);
    await service.received(3);
    expect(service.batches[2]?.lines).toHaveLength(1);
  });

  it('counts each record at every moment: recorded = delivered + waiting + dropped', async () => {
    const release = service.hold();
    add(600);
    const flushed = delivery.flush();
    await service.received(2);
    expect(delivery.stats()).toMatchObject({ recorded: 600, delivered: 0, waiting: 600 });
    release();
    await flushed;
    expect(delivery.stats()).toMatchObject({
      recorded: 600,
      delivered: 600,
      waiting: 0,
      service: 'reachable',
    });
  });

  it('flush returns false at its timeout, and the records keep waiting', async () => {
    const release = service.hold();
    add(1);
    expect(await delivery.flush(20)).toBe(false);
    expect(delivery.stats().waiting).toBe(1);
    release();
    expect(await delivery.flush()).toBe(true);
  });

  it('flush waits for earlier records, not for later ones', async () => {
    const release = service.hold();
    add(1);
    const flushed = delivery.flush();
    add(1);
    release();
    expect(await flushed).toBe(true);
  });

  it('flush returns true at once when nothing waits', async () => {
    expect(await delivery.flush()).toBe(true);
  });

  it('flush waits for all that a dead process left, however many files', async () => {
    // Out of sight of the delivery that each test begins with, which would take some of them.
    spoolDir = join(spoolDir, 'apart');
    // Of a service that refuses the key it asks no more.
    service.status = 401;
    create({ spool: 'always', maxBatchRecords: 1 });
    add(100);
    expect(await delivery.flush()).toBe(false);
    nameDeadOwner();
    service.status = 200;
    service.batches.length = 0;
    create();
    const flushed = delivery.flush();
    await service.received(25);
    const release = service.hold();
    await service.received(service.batches.length + 1);
    release();
    expect(await flushed).toBe(true);
    expect(delivery.stats()).toMatchObject({ recorded: 100, delivered: 100, waiting: 0 });
  });

  it('shutdown can be called twice, and late records are accepted', async () => {
    add(1);
    await Promise.all([delivery.shutdown(), delivery.shutdown()]);
    add(2);
    await delivery.shutdown();
    expect(delivery.stats()).toMatchObject({ recorded: 3, delivered: 3 });
  });

  it('shutdown writes to files what it cannot send in time', async () => {
    service.hold();
    add(3);
    await delivery.shutdown(20);
    expect(delivery.stats()).toMatchObject({ waiting: 3, spooled: 3, delivered: 0 });
  });

  it.each([
    ['nothing listens', undefined],
    ['it is overloaded', 503],
    ['it refuses the key', 401],
    ['something else answers', 405],
  ])(
    'shutdown does not wait for a service that is away and whose records files keep: %s',
    async (_, status) => {
      create({ shutdownTimeoutMs: 2 ** 31 - 1 });
      if (status === undefined) await service.stop();
      else service.status = status;
      add(600);
      await delivery.shutdown();
      expect(delivery.stats()).toMatchObject({ waiting: 600, spooled: 600, delivered: 0 });
      add(1);
      await delivery.shutdown();
      expect(delivery.stats()).toMatchObject({ recorded: 601, waiting: 601, spooled: 601 });
      if (status === undefined) service = await RecordingService.start();
    },
  );

  it('shutdown waits for a service that is away when no file keeps the records', async () => {
    service.status = 503;
    create({ spool: false, retryMinDelayMs: 1, retryMaxDelayMs: 1 });
    add(3);
    const ended = delivery.shutdown();
    await service.received(1);
    service.status = 200;
    await Promise.all([ended, pumpTimers()]);
    expect(delivery.stats()).toMatchObject({ delivered: 3, waiting: 0 });
  });

  it.each([0, 0.5, 1])(
    'after shutdown makes no more attempts until another record comes, random: %s',
    async (random) => {
      randomNumber = random;
      service.status = 503;
      create({ spool: false, retryMinDelayMs: 1, retryMaxDelayMs: 1 });
      const release = service.hold();
      add(1);
      const ended = delivery.shutdown(20);
      await service.received(1);
      await ended;
      release();
      const received = service.batches.length;
      for (let turn = 0; turn < 20; turn++) {
        timers.advance(60_000);
        await nextTurn();
      }
      expect(service.batches).toHaveLength(received);
      service.status = 200;
      add(1);
      await pumpTimers();
      expect(delivery.stats()).toMatchObject({ delivered: 2, waiting: 0 });
    },
  );

  it('after shutdown has no timer of a minute when nothing waits, and starts one for a late record', async () => {
    create({ spool: 'always' });
    for (const delivered of [1, 2]) {
      add(1);
      expect(timers.longestMs).toBe(60_000);
      await delivery.shutdown();
      expect(timers.longestMs).toBeLessThanOrEqual(1000);
      expect(delivery.stats()).toMatchObject({ delivered, waiting: 0 });
    }
  });

  it('flush with untilAway returns true when nothing waits', async () => {
    service.status = 503;
    create();
    add(1);
    expect(await delivery.flush(50, { untilAway: true })).toBe(false);
    service.status = 200;
    expect(await flushWhilePausesPass()).toBe(true);
    expect(await delivery.flush(undefined, { untilAway: true })).toBe(true);
  });

  it('names a quarantined record whose batch is only in a file', async () => {
    service.status = 503;
    create({ maxBatchBytes: 4096, maxQueueBytes: 8192 });
    add(100, 1000);
    expect(await delivery.flush(50)).toBe(false);
    service.status = 200;
    service.statusFor = (lines) => (lines.includes(line(5, 1000)) ? 400 : undefined);
    while (delivery.stats().dropped.quarantined === 0) {
      timers.advance(1000);
      add(1, 1000);
      await nextTurn();
    }
    expect(await flushWhilePausesPass()).toBe(true);
    await delivery.shutdown();
    const named = errors.flatMap((error) => (error instanceof RecordsDroppedError ? error.ids : []));
    expect(named).toEqual(['0000000000000005']);
    expect(delivery.stats()).toMatchObject({ waiting: 0, dropped: { quarantined: 1 } });
  });

  it('keeps its sums while it reports drops', async () => {
    const sums: number[] = [];
    const report = () => {
      const { recorded, delivered, waiting, dropped } = delivery.stats();
      const droppedInAll = Object.values(dropped).reduce((sum, count) => sum + count, 0);
      sums.push(recorded - delivered - waiting - droppedInAll);
    };
    const options = { spool: false, maxBatchBytes: 4096, maxQueueBytes: 8192 } as const;
    const settings = { serviceUrl: service.url, apiKey: 'key', timeoutMs: 25_000, options };
    service.hold();
    delivery = new HttpDelivery({ ...settings, report }, { timers });
    add(100, 1000);
    await nextTurn();
    expect(sums).toEqual([0]);
  });

  it('writes at exit what it could not write before', async () => {
    service.hold();
    rmSync(spoolDir, { recursive: true });
    writeFileSync(spoolDir, 'a file, where the folder should be');
    create({ spool: 'always' });
    add(2);
    await waitForErrors(1);
    expect(errors.map(({ code }) => code)).toEqual(['TRACER_SPOOL_UNUSABLE']);
    rmSync(spoolDir);
    delivery.exit.onExit();
    expect(delivery.stats()).toMatchObject({ waiting: 2, spooled: 2 });
  });

  it('writes at exit what memory still holds of a deleted folder', async () => {
    service.hold();
    create({ spool: 'always' });
    add(2);
    rmSync(spoolDir, { recursive: true });
    add(1);
    delivery.exit.onExit();
    expect(delivery.stats()).toMatchObject({ waiting: 3, spooled: 3 });
    const files = spoolFiles();
    expect(files.map((file) => statSync(file).size).reduce((sum, size) => sum + size)).toBeGreaterThan(0);
  });

  it('writes what later exit listeners record', () => {
    service.hold();
    create();
    add(1);
    delivery.exit.onExit();
    add(2);
    expect(delivery.stats()).toMatchObject({ recorded: 3, waiting: 3, spooled: 3 });
  });

  it('reports what later exit listeners record when there are no files', () => {
    service.hold();
    create({ spool: false });
    delivery.exit.onExit();
    add(2);
    expect(delivery.stats()).toMatchObject({ waiting: 0, dropped: { process_exit: 2 } });
    expect(errors).toMatchObject([{ ids: [expect.any(String)] }, { ids: [expect.any(String)] }]);
  });

  it('continues when the expected exit did not happen', async () => {
    create({ spool: false });
    delivery.exit.onExit();
    await nextTurn();
    add(2);
    expect(await delivery.flush()).toBe(true);
    expect(delivery.stats()).toMatchObject({ delivered: 2 });
  });

  it('leaves to the next process the files of a dead one and those it cannot read', async () => {
    service.status = 503;
    create({ spool: 'always' });
    add(2);
    expect(await delivery.flush(20)).toBe(false);
    nameDeadOwner();
    const [file] = spoolFiles();
    renameSync(file!, join(spoolDir, 'meanwhile'));
    mkdirSync(file!);
    create();
    await delivery.flush();
    expect(spoolFiles().map((path) => basename(path))).toEqual([basename(file!)]);
    expect(delivery.stats()).toMatchObject({ recorded: 0, waiting: 0 });
  });

  describe('records spooled under another key', () => {
    /** Files of a process that has ended, of two records, and how they are seen by the next one. */
    async function leaveUnder(apiKey: string): Promise<void> {
      // Out of sight of the delivery that each test begins with.
      spoolDir = join(spoolDir, 'apart');
      service.status = 401;
      create({ spool: 'always' }, service.url, apiKey);
      add(2);
      expect(await delivery.flush()).toBe(false);
      nameDeadOwner();
      service.status = 200;
      service.batches.length = 0;
      errors = [];
    }
    const oldKey = 'dcp_the-key-that-was-rotated-away-0000';

    it('are never sent under this key automatically: the process reports them once', async () => {
      await leaveUnder(oldKey);
      create();
      add(1);
      expect(await delivery.flush()).toBe(true);
      await waitForErrors(1);
      expect(service.batches.flatMap(({ lines }) => lines)).toEqual([line(1)]);
      expect(errors).toMatchObject([{ code: 'TRACER_OTHER_KEY_WAITING' }]);
      expect(errors[0]?.message).toMatch(/: 1 under dcp_the…0000\./);
      expect(errors[0]?.message).not.toContain(oldKey);
      expect(spoolFiles()).toHaveLength(1);
    });

    it('is sent under this one when the other is named as a previous key', async () => {
      await leaveUnder(oldKey);
      create({ previousKeys: [oldKey] });
      expect(await delivery.flush()).toBe(true);
      expect(service.batches.map(({ headers, lines }) => [headers['api-key'], lines.length])).toEqual([
        ['the key', 2],
      ]);
      expect(delivery.stats()).toMatchObject({ recorded: 2, adopted: 2, delivered: 2 });
      await delivery.shutdown();
      expect(errors).toEqual([]);
    });

    it("of another service is nobody's concern", async () => {
      await leaveUnder(oldKey);
      const elsewhere = await RecordingService.start();
      create({}, elsewhere.url);
      add(1);
      expect(await delivery.flush()).toBe(true);
      await delivery.shutdown();
      expect(errors).toEqual([]);
      await elsewhere.stop();
    });
  });

  describe('records that waited too long', () => {
    const monthAgo = (days: number) => newTraceId(Date.now() - days * 24 * 60 * 60_000);

    /** A file of two records that a process left so many days ago, under the key. */
    async function leaveDaysAgo(days: number, apiKey = 'the key'): Promise<void> {
      // Out of sight of the delivery that each test begins with.
      spoolDir = join(spoolDir, 'apart');
      service.status = 401;
      create({ spool: 'always' }, service.url, apiKey);
      add(2);
      expect(await delivery.flush()).toBe(false);
      nameDeadOwner();
      const [file] = spoolFiles();
      const path = join(file!, '..', `${monthAgo(days)}.1.spool`);
      renameSync(file!, path);
      const recordedAt = Date.now() / 1000 - days * 24 * 60 * 60;
      utimesSync(path, recordedAt, recordedAt);
      service.status = 200;
      service.batches.length = 0;
      errors = [];
    }

    it('is removed after 30 days, and counted and named as dropped', async () => {
      await leaveDaysAgo(31);
      create();
      await delivery.flush();
      // Files are removed beside other work; by the end they are gone.
      await delivery.shutdown();
      expect(spoolFiles()).toEqual([]);
      expect(service.batches).toEqual([]);
      expect(delivery.stats()).toMatchObject({
        recorded: 2,
        adopted: 2,
        waiting: 0,
        dropped: { spool_expired: 2 },
      });
      expect(errors).toMatchObject([
        { reason: 'spool_expired', ids: [expect.any(String), expect.any(String)] },
      ]);
    });

    it('are sent until then, or for the configured time', async () => {
      await leaveDaysAgo(29);
      create();
      await delivery.flush();
      expect(delivery.stats()).toMatchObject({ delivered: 2, dropped: { spool_expired: 0 } });
      await leaveDaysAgo(300);
      create({ maxSpoolAgeMs: 365 * 24 * 60 * 60_000 });
      await delivery.flush();
      expect(delivery.stats()).toMatchObject({ delivered: 2, dropped: { spool_expired: 0 } });
    });

    it('is sent where the clock that named it was 400 days behind, and the one of its file was right', async () => {
      await leaveDaysAgo(400);
      const [file] = spoolFiles();
      utimesSync(file!, new Date(), new Date());
      create();
      await delivery.flush();
      expect(delivery.stats()).toMatchObject({ delivered: 2, dropped: { spool_expired: 0 } });
    });

    it('is sent where the clock that named it was wrong', async () => {
      await leaveDaysAgo(20_000);
      create();
      await delivery.flush();
      expect(delivery.stats()).toMatchObject({ delivered: 2, dropped: { spool_expired: 0 } });
    });

    it('are removed under another key as well, which may never return', async () => {
      await leaveDaysAgo(31, 'another key');
      create();
      await waitForErrors(1);
      expect(errors).toMatchObject([{ reason: 'spool_expired', count: 2 }]);
      expect(spoolFiles()).toEqual([]);
      expect(delivery.stats()).toMatchObject({ recorded: 2, dropped: { spool_expired: 2 } });
    });
  });

  it('reports a cause once a minute, however often it occurs', async () => {
    service.status = 401;
    for (let round = 0; round < 3; round++) {
      add(1);
      expect(await delivery.flush()).toBe(false);
    }
    expect(errors.map(({ code }) => code)).toEqual(['TRACER_UNAUTHORIZED']);
    timers.advance(61_000);
    await delivery.flush();
    expect(errors).toHaveLength(2);
  });

  it('reports drops of one cause in one sum a minute', async () => {
    service.answer = JSON.stringify({ accepted: 0, rejected: [{ line: 1, detail: 'no' }] });
    for (let round = 0; round < 13; round++) {
      add(1);
      expect(await delivery.flush()).toBe(true);
    }
    expect(errors).toMatchObject([{ reason: 'rejected', count: 1 }]);
    timers.advance(61_000);
    await waitForErrors(2);
    expect(errors).toMatchObject([{ count: 1 }, { reason: 'rejected', count: 12 }]);
  });

  it('retries a service that rejects the key once a minute', async () => {
    service.status = 401;
    add(1);
    await delivery.flush();
    add(600);
    const requests = jest.fn();
    diagnosticsChannel.subscribe('http.client.request.start', requests);
    timers.advance(59_000);
    await nextTurn();
    expect(requests).not.toHaveBeenCalled();
    service.status = 200;
    timers.advance(1000);
    expect(await delivery.flush()).toBe(true);
    diagnosticsChannel.unsubscribe('http.client.request.start', requests);
    expect(requests).toHaveBeenCalled();
    expect(delivery.stats()).toMatchObject({ delivered: 601, service: 'reachable' });
  });

  it('uses one connection again for batch after batch', async () => {
    for (let round = 0; round < 5; round++) {
      add(1);
      await delivery.flush();
    }
    expect(service.connections).toBe(1);
  });

  it('does its work outside the asynchronous context of who records', async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const onRequest = () => seen.push(storage.getStore());
    diagnosticsChannel.subscribe('http.client.request.start', onRequest);
    storage.run('a request of the application', () => {
      add(600);
    });
    await delivery.flush();
    diagnosticsChannel.unsubscribe('http.client.request.start', onRequest);
    expect(seen).toEqual([undefined, undefined]);
  });
});
