import { spawnSync } from 'node:child_process';
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { ManualTimers } from '../../test/delivery/manual-timers.js';
import { RecordingService } from '../../test/delivery/recording-service.js';
import { encodeText } from '../byte-string.js';
import type { TracerError } from '../errors.js';
import type { DeliveryOptions } from '../options/delivery-options.js';
import { HttpDelivery } from './http-delivery.js';
import { LEASE } from './spool/spool-folder.js';
import { quarantinedFiles, requeueQuarantined } from './spool/quarantine.js';

const POISON = 'x-poison';
const spanId = (n: number) => n.toString(16).padStart(16, '0');

describe('A batch that is refused', () => {
  let service: RecordingService;
  let spoolDir: string;
  let timers: ManualTimers;
  let errors: TracerError[];
  let delivery: HttpDelivery;
  let recorded: number;

  function create(options: DeliveryOptions = {}): void {
    const report = (error: TracerError) => errors.push(error);
    const settings = { serviceUrl: service.url, apiKey: 'the key', timeoutMs: 25_000, report };
    delivery = new HttpDelivery({ ...settings, options: { spoolDir, ...options } }, { timers });
  }

  function add(count: number, text = ''): void {
    for (let n = 0; n < count; n++)
      delivery.add(encodeText(`{"span":{"id":"${spanId(++recorded)}","x":"${text}"}}`));
  }

  /** One request at most is in progress at a time, and pauses pass in between. Sockets and files get real time to answer. */
  async function work(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 250) {
      timers.advance(250);
      for (let turn = 0; turn < 100; turn++) await nextTurn();
      await sleep(1);
      for (let turn = 0; turn < 100; turn++) await nextTurn();
    }
  }

  async function until(condition: () => boolean): Promise<void> {
    for (let round = 0; !condition(); round++) {
      if (round === 4000) throw new Error(`it never came to that: ${JSON.stringify(delivery.stats())}`);
      await work(250);
    }
  }

  const storedLines = () =>
    service.batches
      .filter((batch) => service.statusFor(batch.lines) === undefined)
      .flatMap(({ lines }) => lines);
  const sharedFolder = () => join(spoolDir, readdirSync(spoolDir)[0]!);

  function expectBalance(): void {
    const { recorded: all, delivered, waiting, dropped } = delivery.stats();
    expect(delivered + waiting + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(all);
  }

  beforeEach(async () => {
    service = await RecordingService.start();
    spoolDir = mkdtempSync(join(tmpdir(), 'dacapo-refused-'));
    timers = new ManualTimers();
    errors = [];
    recorded = 0;
  });

  afterEach(async () => {
    expectBalance();
    await delivery.shutdown(0);
    await service.stop();
    rmSync(spoolDir, { recursive: true, force: true, maxRetries: 10 });
  });

  const refusePoison = (status: number) => {
    service.statusFor = (lines) => (lines.some((line) => line.includes(POISON)) ? status : undefined);
  };

  it.each([301, 400, 402, 403, 404, 405, 406, 409, 410, 422, 451])(
    'alone (%i): delays no other, and only its poisoned record is quarantined and reported once',
    async (status) => {
      refusePoison(status);
      create({ maxBatchRecords: 64 });
      add(20);
      add(1, POISON);
      const poisoned = spanId(recorded);
      add(300);
      await until(() => {
        add(1);
        return delivery.stats().dropped.quarantined === 1;
      });
      expect(await delivery.flush()).toBe(true);
      expect(delivery.stats()).toMatchObject({ delivered: recorded - 1, waiting: 0, service: 'reachable' });
      expect(new Set(storedLines()).size).toBe(recorded - 1);
      expect(errors).toMatchObject([
        { code: 'TRACER_RECORDS_DROPPED', reason: 'quarantined', count: 1, ids: [poisoned] },
      ]);
      expect(errors[0]?.message).toContain(`${status}`);
      const [file] = await quarantinedFiles(sharedFolder());
      expect(file).toMatchObject({ refused: { status } });
      expect(statSync(file!.path).mode & 0o777).toBe(0o600);
      expect(readFileSync(file!.path, 'utf8')).toMatch(/x-poison"}}\t[0-9a-f]{16}\n$/);
    },
  );

  it('is halved at once in a process that has nothing else to send', async () => {
    refusePoison(406);
    create();
    add(10);
    expect(await delivery.flush()).toBe(true);
    add(20);
    add(1, POISON);
    add(40);
    const flushed = delivery.flush();
    await until(() => delivery.stats().waiting === 0);
    expect(await flushed).toBe(true);
    expect(delivery.stats()).toMatchObject({ delivered: 70, dropped: { quarantined: 1 } });
  });

  it('a service that refuses all for ten minutes has quarantined nothing, and gets all afterwards', async () => {
    create({ maxBatchRecords: 10 });
    add(100);
    expect(await delivery.flush()).toBe(true);
    service.statusFor = () => 403;
    for (let second = 0; second < 600; second += 10) {
      add(17);
      await work(1000);
      timers.advance(9000);
    }
    expect(delivery.stats()).toMatchObject({
      delivered: 100,
      waiting: recorded - 100,
      dropped: { quarantined: 0, refused: 0 },
      service: 'refusing',
    });
    expect(errors.every(({ code }) => code === 'TRACER_UNAUTHORIZED')).toBe(true);
    service.statusFor = () => undefined;
    await until(() => delivery.stats().waiting === 0);
    expect(delivery.stats()).toMatchObject({ delivered: recorded, service: 'reachable' });
  }, 60_000);

  it.each([401, 407])(
    'a %i concerns the credentials: all is kept, and one batch a minute is tried',
    async (status) => {
      create({ maxBatchRecords: 10 });
      add(30);
      expect(await delivery.flush()).toBe(true);
      service.statusFor = () => status;
      const { length } = service.batches;
      add(200);
      await work(1000);
      timers.advance(5 * 60_000);
      await work(1000);
      expect(service.batches.length - length).toBeLessThan(10);
      expect(delivery.stats()).toMatchObject({ waiting: 200, dropped: { quarantined: 0 } });
      expect(errors.length).toBeGreaterThan(0);
    },
  );

  /** Leaves single poisoned records in the files of a process that was killed. */
  async function leavePoisoned(count: number): Promise<void> {
    create({ spool: 'always', maxBatchRecords: 1 });
    add(count, POISON);
    await delivery.shutdown(0);
    expect(delivery.stats()).toMatchObject({ waiting: count, spooled: count });
    const lease = readdirSync(spoolDir, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith(LEASE),
    );
    const { pid } = spawnSync(process.execPath, ['--version']);
    const owner = JSON.parse(readFileSync(join(spoolDir, lease!), 'utf8')) as object;
    writeFileSync(join(spoolDir, lease!), JSON.stringify({ ...owner, pid }));
    recorded = 0;
  }

  it('that a full quarantine cannot keep is counted as deleted from there, and no other is lost', async () => {
    refusePoison(403);
    create();
    add(20);
    add(1, POISON);
    const isQuarantined = () => {
      add(1);
      return delivery.stats().dropped.quarantined === 1;
    };
    await until(isQuarantined);
    await delivery.shutdown();
    const [{ path } = { path: '' }] = await quarantinedFiles(sharedFolder());
    // As large as the bound, and newer.
    const filler = join(path, '..', 'filler.damaged');
    writeFileSync(filler, '');
    truncateSync(filler, 64 * 1024 * 1024);
    create();
    const before = recorded;
    add(8);
    await until(() => delivery.stats().dropped.quarantine_full === 1);
    expect(await quarantinedFiles(sharedFolder())).toMatchObject([{ path: filler }]);
    expect(await delivery.flush()).toBe(true);
    expect(delivery.stats()).toMatchObject({ adopted: 1, delivered: recorded - before });
    expect(errors.at(-1)).toMatchObject({
      code: 'TRACER_RECORDS_DROPPED',
      reason: 'quarantine_full',
      count: 1,
    });
  });

  it('from an earlier process delays no record of the next one, and is quarantined', async () => {
    refusePoison(403);
    await leavePoisoned(40);
    create();
    for (let passedMs = 0; passedMs < 40_000; passedMs += 500) {
      add(5);
      await work(500);
      // What is recorded in three seconds: the open batch, and one that waits for a slot and its answer.
      expect(delivery.stats().delivered).toBeGreaterThanOrEqual(recorded - 30);
    }
    expect(delivery.stats().dropped.quarantined).toBe(40);
    expect(await quarantinedFiles(sharedFolder())).toHaveLength(40);
    expect(await delivery.flush()).toBe(true);
    expect(delivery.stats()).toMatchObject({ delivered: recorded, waiting: 0 });
    recorded += 40;
  }, 60_000);

  it('from an earlier process keeps a shutdown from trying no other', async () => {
    refusePoison(403);
    await leavePoisoned(20);
    create({ maxBatchRecords: 1 });
    await work(5000);
    add(30);
    await delivery.shutdown();
    expect(delivery.stats().delivered).toBe(30);
  });

  it('whose healthy halves wait: an outage of the service quarantines none of them', async () => {
    refusePoison(403);
    create({ maxBatchRecords: 64 });
    add(40);
    expect(await delivery.flush()).toBe(true);
    add(63);
    add(1, POISON);
    await until(() => delivery.stats().delivered > 40);
    service.statusFor = () => 403;
    for (let second = 0; second < 600; second += 10) {
      add(5);
      await work(1000);
      timers.advance(9000);
    }
    expect(delivery.stats().dropped).toMatchObject({ quarantined: 0, refused: 0 });
    service.statusFor = () => undefined;
    await until(() => delivery.stats().waiting === 0);
    expect(delivery.stats().delivered).toBe(recorded);
  }, 60_000);

  it('in every batch: the smaller parts of one show which record is refused', async () => {
    create({ maxBatchRecords: 64 });
    add(10);
    expect(await delivery.flush()).toBe(true);
    refusePoison(403);
    for (let batch = 0; batch < 10; batch++) {
      add(63);
      add(1, POISON);
    }
    await until(() => {
      add(1);
      return delivery.stats().dropped.quarantined === 10;
    });
    expect(await delivery.flush()).toBe(true);
    expect(delivery.stats()).toMatchObject({ delivered: recorded - 10, waiting: 0 });
  }, 60_000);

  it('is dropped and counted as refused where no file may keep it', async () => {
    refusePoison(403);
    create({ spool: false });
    add(1, POISON);
    await until(() => {
      add(1);
      return delivery.stats().dropped.refused === 1;
    });
    expect(delivery.stats().dropped.quarantined).toBe(0);
    expect(errors.at(-1)).toMatchObject({ reason: 'refused', count: 1 });
  });

  it('is sent again on request, under its id', async () => {
    refusePoison(403);
    create({ maxBatchRecords: 2 });
    add(3, POISON);
    await until(() => {
      add(1);
      return delivery.stats().dropped.quarantined === 3;
    });
    await delivery.shutdown();
    service.statusFor = () => undefined;
    expect(await requeueQuarantined(sharedFolder())).toBe(3);
    expect(await quarantinedFiles(sharedFolder())).toEqual([]);
    create();
    expect(await delivery.flush()).toBe(true);
    expect(delivery.stats()).toMatchObject({ adopted: 3, delivered: 3 });
    expect(new Set(storedLines()).size).toBe(recorded);
  });
});
