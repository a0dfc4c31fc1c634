import { backupDatabase, checkDatabase, restoreDatabase, SystemClock } from '@dacapo/collector';
import { newSpanId, newTraceId } from '@dacapo/protocol';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { span } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

/** What another process is told when it takes what no other may use at the same time. */
const TAKE = `const Database = require('libsql');
  const said = (take) => { try { return String(take()); } catch (error) { return error.code; } };
  const [lock, database] = process.argv.slice(1).map((path) => new Database(path, { timeout: 0 }));
  console.log(said(() => lock.exec('BEGIN EXCLUSIVE')));
  console.log(said(() => database.prepare('PRAGMA journal_mode = DELETE').get([]).journal_mode));`;

const clock = new SystemClock();
const receivedAt = '2026-01-31T12:00:00.000000Z';

describe('a backup', () => {
  it('made during ingest contains whole batches only, all that were acknowledged before it, in order', async () => {
    const dataDir = temporaryDirectory();
    const file = join(temporaryDirectory(), 'backup.db');
    const storage = await openSqliteStorage(dataDir, clock);
    const batches: string[][] = [];
    const ingest = async (): Promise<void> => {
      const spans = Array.from({ length: 5 }, () =>
        span({ span_data: { output: `${newSpanId()}${'x'.repeat(20_000)}` } }),
      );
      await storage.spans.ingest('acc', { spans, traces: [], receivedAt });
      batches.push(spans.map(({ trace_id, id }) => `${trace_id}/${id}`));
    };
    for (let batch = 0; batch < 20; batch++) await ingest();
    const done = new AbortController();
    const backup = backupDatabase(dataDir, file).finally(() => {
      done.abort();
    });
    while (!done.signal.aborted) await ingest();
    const { spans: copied } = await backup;
    await storage.close();

    const elsewhere = temporaryDirectory();
    await restoreDatabase(file, elsewhere);
    const restored = await openSqliteStorage(elsewhere, clock);
    const refs = batches.flat().map((key) => {
      const [trace_id = '', span_id = ''] = key.split('/');
      return { trace_id, span_id };
    });
    const found = new Set(
      (await restored.spans.readSpans('acc', refs)).map((one) => `${one.trace_id}/${one.id}`),
    );
    await restored.close();
    expect(found.size).toBe(copied);
    expect(copied).toBeGreaterThanOrEqual(100);
    const counts = batches.map((keys) => keys.filter((key) => found.has(key)).length);
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(new Set(counts)).toEqual(new Set(copied < refs.length ? [5, 0] : [5]));
  });

  it('made or checked in the process that has the database open leaves it its locks, as a second collector there does', async () => {
    const dataDir = temporaryDirectory();
    const storage = await openSqliteStorage(dataDir, clock);
    await storage.spans.ingest('acc', { spans: [span()], traces: [], receivedAt });
    await backupDatabase(dataDir, join(temporaryDirectory(), 'backup.db'));
    await checkDatabase(dataDir);
    await expect(openSqliteStorage(dataDir, clock)).rejects.toMatchObject({
      code: 'COLLECTOR_DATA_DIR_IN_USE',
    });
    const files = ['collector.lock', 'dacapo.db'].map((name) => join(dataDir, name));
    const taken = spawnSync(process.execPath, ['-e', TAKE, ...files], { encoding: 'utf8', cwd: __dirname });
    expect(taken.stdout.split('\n')).toEqual(['SQLITE_BUSY', 'SQLITE_BUSY', '']);
    await storage.close();
    await (await openSqliteStorage(dataDir, clock)).close();
  });

  it('contains the media of recorded values, and a restored database returns them', async () => {
    const dataDir = temporaryDirectory();
    const file = join(temporaryDirectory(), 'backup.db');
    const bytes = randomBytes(300_000);
    const media = { id: 'm', traceId: newTraceId(), type: 'image/png', size: bytes.length, bytes };
    const storage = await openSqliteStorage(dataDir, clock);
    await storage.meta.media.put('acc', [media], { limitBytes: bytes.length, receivedAt });
    await backupDatabase(dataDir, file);
    await storage.close();

    const elsewhere = temporaryDirectory();
    await restoreDatabase(file, elsewhere);
    const restored = await openSqliteStorage(elsewhere, clock);
    const found = await restored.meta.media.find('acc', 'm');
    const uses = await restored.meta.media.list('acc', [media.traceId]);
    await restored.close();
    expect(bytes.equals(found?.bytes ?? new Uint8Array())).toBe(true);
    expect(uses).toEqual([{ id: 'm', type: 'image/png', size: bytes.length, traceId: media.traceId }]);
  });

  it('leaves nothing behind when it fails, and a failed restore keeps the earlier data', async () => {
    const dataDir = temporaryDirectory();
    await (await openSqliteStorage(dataDir, clock)).close();
    const file = join(temporaryDirectory(), 'no', 'folder', 'backup.db');
    await expect(backupDatabase(dataDir, file)).rejects.toMatchObject({ code: 'COLLECTOR_STORAGE_FAILED' });
    expect(existsSync(`${file}.partial`)).toBe(false);

    const foreign = join(temporaryDirectory(), 'foreign.db');
    writeFileSync(foreign, 'no database');
    await expect(restoreDatabase(foreign, dataDir, { force: true })).rejects.toMatchObject({
      code: 'COLLECTOR_DATABASE_FOREIGN',
    });
    await (await openSqliteStorage(dataDir, clock)).close();
  });
});
