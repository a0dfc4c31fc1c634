import { newSpanId, type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import {
  closeSync,
  copyFileSync,
  openSync,
  readFileSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as timer } from 'node:timers/promises';
import { AccountService } from '../src/accounts/account-service.js';
import { DeletionRunner } from '../src/deletions/deletion-runner.js';
import { Connection } from '../src/storage/engines/sqlite/connection.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import type { DatabaseDamagedError } from '../src/errors.js';
import type { Storage } from '../src/storage/storage.js';
import { ManualClock } from './support/manual-clock.js';
import { span, spansToNdjson } from './support/records.js';
import { Service, type Tenant, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const PAGE = 4096;
const clock = new ManualClock();

/** Asks after what was found out before has become too old to count. */
async function ready(service: Service): Promise<{ status: number; body: unknown }> {
  clock.advance(2);
  const { status, body } = await service.anonymous.get(API.service.ready.path);
  return { status, body };
}

/** Like no other: what repeats is stored once. */
function large(): SpanRecord {
  return span({ span_data: { output: `${newSpanId()}${'x'.repeat(100_000)}` } });
}

/** Sends until there is no room; gives what was acknowledged, and the refusal. */
async function fill(
  tenant: Tenant,
): Promise<{ stored: SpanRecord[]; refusal: { status: number; body: unknown } }> {
  const stored: SpanRecord[] = [];
  for (;;) {
    const one = large();
    const { status, body } = await tenant.ingest(spansToNdjson([one]));
    if (status !== 200) return { stored, refusal: { status, body } };
    stored.push(one);
  }
}

describe('a database without room for more', () => {
  it('reports it, keeps acknowledged data, and accepts more once there is room', async () => {
    const service = await Service.start({ clock, maxDatabaseBytes: 2 * 1024 * 1024 });
    try {
      const [large_, small] = [await service.addTenant(), await service.addTenant()];
      const kept = span();
      await small.store(kept);
      expect(await ready(service)).toEqual({ status: 200, body: { status: 'ok' } });

      const { stored, refusal } = await fill(large_);
      const full = {
        status: 503,
        body: { detail: 'The disk or the database of the service is full', status_code: 503 },
      };
      expect(stored.length).toBeGreaterThan(3);
      expect(refusal).toEqual(full);
      // What is small has room still, and makes the service no readier.
      expect((await small.ingest(spansToNdjson([span()]))).status).toBe(200);
      expect(await ready(service)).toEqual(full);
      expect(await ready(service)).toEqual(full);
      expect((await service.anonymous.get(API.service.live.path)).status).toBe(200);
      for (const [tenant, one] of [[small, kept], ...stored.map((each) => [large_, each] as const)] as const)
        await tenant.get(`${API.traces.list.path}/${one.trace_id}/spans/${one.id}`).expect(200);

      await service.app.get(AccountService).delete(large_.accountId);
      await service.app.get(DeletionRunner).idle();
      expect(await ready(service)).toEqual({ status: 200, body: { status: 'ok' } });
      await small.store(large());
    } finally {
      await service.close();
    }
  });
});

describe('a changed database', () => {
  /** Of a collector that was closed, with enough in it for pages of every kind. */
  let sound: string;
  let apiKey: string;
  const spans = Array.from({ length: 50 }, large);
  const DAMAGED = { status: 503, body: { detail: "The service's database is damaged", status_code: 503 } };

  beforeAll(async () => {
    sound = temporaryDirectory();
    const service = await Service.start({ dataDir: sound });
    const tenant = await service.addTenant();
    ({ apiKey } = tenant);
    await tenant.store(...spans);
    await service.close();
  });

  /** A directory with the database as `change` leaves it. */
  function changed(change: (path: string, bytes: Buffer) => void): string {
    const dataDir = temporaryDirectory();
    const path = join(dataDir, 'dacapo.db');
    copyFileSync(join(sound, 'dacapo.db'), path);
    change(path, readFileSync(path));
    return dataDir;
  }

  const codeAtStart = async (dataDir: string): Promise<unknown> => {
    const outcome = await openSqliteStorage(dataDir, clock).then(
      (storage) => storage.close(),
      (error: unknown) => error,
    );
    return (outcome as { code?: unknown } | undefined)?.code;
  };

  it.each<[string, string | undefined, (path: string, bytes: Buffer) => void]>([
    ['as it was', undefined, () => undefined],
    [
      'half gone',
      'COLLECTOR_DATABASE_DAMAGED',
      (path, { length }) => {
        truncateSync(path, length / 2);
      },
    ],
    [
      'overwritten where its schema is',
      'COLLECTOR_DATABASE_DAMAGED',
      (path, bytes) => {
        writeFileSync(path, bytes.fill(0x5a, 100, PAGE));
      },
    ],
    [
      'without its header',
      'COLLECTOR_DATABASE_FOREIGN',
      (path, bytes) => {
        writeFileSync(path, bytes.fill(0, 0, 100));
      },
    ],
    [
      'another file',
      'COLLECTOR_DATABASE_FOREIGN',
      (path) => {
        writeFileSync(path, 'what is this? '.repeat(1000));
      },
    ],
    [
      'empty, beside a log that is not',
      'COLLECTOR_DATABASE_LOST',
      (path, bytes) => {
        writeFileSync(`${path}-wal`, bytes);
        truncateSync(path, 0);
      },
    ],
    [
      'empty',
      undefined,
      (path) => {
        truncateSync(path, 0);
      },
    ],
  ])('%s: code %s at the start', async (_, code, change) => {
    expect(await codeAtStart(changed(change))).toBe(code);
  });

  it("another program's tables are left as they are", async () => {
    const dataDir = temporaryDirectory();
    const path = join(dataDir, 'dacapo.db');
    const other = await Connection.open({ path, pragmas: [] });
    await other.write([{ sql: 'CREATE TABLE theirs(a)', rows: [[]] }]);
    await other.close();
    expect(await codeAtStart(dataDir)).toBe('COLLECTOR_DATABASE_FOREIGN');
    const again = await Connection.open({ path, pragmas: [] });
    expect(await again.all('SELECT name FROM sqlite_schema')).toEqual([{ name: 'theirs' }]);
    await again.close();
  });

  it('a truncated log: complete writes in it are there, and nothing of the rest', async () => {
    const dataDir = temporaryDirectory();
    const first = await openSqliteStorage(dataDir, clock);
    const batches = Array.from({ length: 20 }, () => [span(), span()]);
    const receivedAt = '2026-01-31T12:00:00.000000Z';
    for (const spans of batches) await first.spans.ingest('acc', { spans, traces: [], receivedAt });
    const copy = temporaryDirectory();
    for (const name of ['dacapo.db', 'dacapo.db-wal']) copyFileSync(join(dataDir, name), join(copy, name));
    await first.close();
    const log = join(copy, 'dacapo.db-wal');
    truncateSync(log, readFileSync(log).length - 5 * PAGE - 7);

    const second = await openSqliteStorage(copy, clock);
    const refs = batches.flat().map(({ trace_id, id }) => ({ trace_id, span_id: id }));
    const found = new Set((await second.spans.readSpans('acc', refs)).map(({ id }) => id));
    await second.close();
    const counts = batches.map((spans) => spans.filter(({ id }) => found.has(id)).length);
    expect(found.size).toBeGreaterThan(0);
    expect(found.size).toBeLessThan(40);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(counts.filter((count) => count === 1)).toEqual([]);
  });

  it('damaged pages: reads of them and the readiness probe report it', async () => {
    const dataDir = changed((path, bytes) => {
      writeFileSync(path, bytes.fill(0x5a, 700 * PAGE, 1000 * PAGE));
    });
    const service = await Service.start({ clock, dataDir });
    const reader = createTenant(service.url, '', apiKey);
    try {
      const statuses = new Set<number>();
      for (const { trace_id, id } of spans)
        statuses.add((await reader.get(`${API.traces.list.path}/${trace_id}/spans/${id}`)).status);
      expect(statuses).toEqual(new Set([200, 503]));
      expect(await ready(service)).toEqual(DAMAGED);
    } finally {
      await service.close();
    }
  });

  it('damaged pages that nobody reads: the check in the background finds them', async () => {
    const dataDir = changed((path, bytes) => {
      writeFileSync(path, bytes.fill(0x5a, 700 * PAGE, 1000 * PAGE));
    });
    const storage = await openSqliteStorage(dataDir, clock);
    await expect(storage.check?.()).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_DAMAGED' });
    await expect(storage.meta.ping()).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_DAMAGED' });
    await storage.close();
  });

  describe('that is as it was again', () => {
    /** What stands in for a disk that gave wrong bytes for a while. */
    async function openDamaged(): Promise<{ storage: Storage; repair: () => void }> {
      let whole = Buffer.alloc(0);
      let path = '';
      const dataDir = changed((changedPath, bytes) => {
        path = changedPath;
        whole = Buffer.from(bytes);
        writeFileSync(path, bytes.fill(0x5a, 700 * PAGE, 1000 * PAGE));
      });
      const repair = (): void => {
        const file = openSync(path, 'r+');
        writeSync(file, whole, 700 * PAGE, 300 * PAGE, 700 * PAGE);
        closeSync(file);
      };
      return { storage: await openSqliteStorage(dataDir, clock), repair };
    }
    const ping = async ({ meta }: Storage): Promise<{ code?: string; checkedAt?: string | undefined }> => {
      clock.advance(2);
      return meta.ping().catch((error: unknown) => error as DatabaseDamagedError);
    };

    it('is ready again after a clean check, and reports the time of the check', async () => {
      const { storage, repair } = await openDamaged();
      await expect(storage.check?.()).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_DAMAGED' });
      const { code, checkedAt: first = '' } = await ping(storage);
      expect([code, first]).toEqual(['COLLECTOR_DATABASE_DAMAGED', expect.stringMatching(/^2026-/)]);
      repair();
      expect((await ping(storage)).code).toBe('COLLECTOR_DATABASE_DAMAGED');
      await storage.check?.();
      const { checkedAt: second = '', ...rest } = await ping(storage);
      expect([rest, second > first]).toEqual([{}, true]);
      await storage.close();
    });

    it('is checked again automatically, including pages that statements found', async () => {
      const { storage, repair } = await openDamaged();
      const { id: accountId } = (await storage.meta.accounts.findFirst())!;
      const refs = spans.map(({ trace_id, id }) => ({ trace_id, span_id: id }));
      await expect(storage.spans.readSpans(accountId, refs)).rejects.toMatchObject({
        code: 'COLLECTOR_DATABASE_DAMAGED',
      });
      repair();
      // The first one who asks has it looked through.
      expect(await ping(storage)).toMatchObject({ code: 'COLLECTOR_DATABASE_DAMAGED' });
      let health = await ping(storage);
      while (health.code !== undefined) {
        await timer(20);
        health = await ping(storage);
      }
      expect(health).toEqual({ checkedAt: expect.stringMatching(/^2026-/) });
      await expect(storage.spans.readSpans(accountId, refs)).resolves.toHaveLength(50);
      await storage.close();
    });
  });

  it('the check in the background ends with the store', async () => {
    const storage = await openSqliteStorage(
      changed(() => undefined),
      clock,
    );
    const checked = storage.check?.();
    await storage.close();
    await expect(checked).resolves.toBeUndefined();
  });
});

describe('ids of batches', () => {
  it('are forgotten after a week, while the service runs', async () => {
    const service = await Service.start({ clock });
    const tenant = await service.addTenant();
    const send = async (id: string): Promise<unknown> =>
      (await tenant.ingest(spansToNdjson([span()]), { 'dacapo-batch-id': id }).expect(200)).body.duplicate;
    expect([await send('a'), await send('a')]).toEqual([undefined, true]);
    clock.advance(6 * 24 * 3600);
    expect(await send('a')).toBe(true);
    clock.advance(2 * 24 * 3600);
    await send('b');
    expect(await send('a')).toBeUndefined();
    await service.close();
  });
});
