import { checkDatabase, startCollector } from '@dacapo/collector';
import { API, routePath } from '@dacapo/protocol/api';
import Database from 'libsql';
import {
  copyFileSync,
  cpSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { span, spansToNdjson } from './support/records.js';
import { createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const BATCHES = 40;
const messages: string[] = [];
const note = (message: string): void => void messages.push(message);
const logger = { info: note, warn: note, error: note };

interface Killed {
  dataDir: string;
  apiKey: string;
  traceIds: string[];
}

/** What a service leaves that is killed with all of its batches in the log, and nothing else. */
async function makeKilled(): Promise<Killed> {
  const live = temporaryDirectory();
  const running = await startCollector({ port: 0, dataDir: live, logger });
  const apiKey = running.apiKey ?? '';
  const tenant = createTenant(running.url, '', apiKey);
  const reader = new Database(join(live, 'dacapo.db'));
  for (let left = 1; left > 0;) {
    const [copied] = reader.prepare('PRAGMA wal_checkpoint(PASSIVE)').all([]) as [
      { log: number; checkpointed: number },
    ];
    left = copied.log - copied.checkpointed;
  }
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM spans').all([]);
  const spans = Array.from({ length: BATCHES }, () => span());
  for (const one of spans) await tenant.ingest(spansToNdjson([one])).expect(200);
  const dataDir = temporaryDirectory();
  for (const name of readdirSync(live)) {
    if (name.startsWith('dacapo.') && !name.endsWith('-shm'))
      copyFileSync(join(live, name), join(dataDir, name));
  }
  reader.exec('ROLLBACK');
  reader.close();
  await running.close();
  return { dataDir, apiKey, traceIds: spans.map(({ trace_id }) => trace_id) };
}

describe('acknowledged writes with a damaged log', () => {
  let killed: Killed;

  beforeAll(async () => {
    killed = await makeKilled();
  });

  const changed = (change: (log: string) => void): string => {
    const dataDir = temporaryDirectory();
    cpSync(killed.dataDir, dataDir, { recursive: true });
    change(join(dataDir, 'dacapo.db-wal'));
    return dataDir;
  };

  /** Starts a service, asks it, and closes it. */
  const ask = async (dataDir: string) => {
    messages.length = 0;
    const service = await startCollector({ port: 0, dataDir, logger });
    const tenant = createTenant(service.url, '', killed.apiKey);
    const ready = await tenant.get(API.service.ready.path);
    let stored = 0;
    for (const id of killed.traceIds) {
      const { status } = await tenant.get(routePath(API.traces.get, { id }));
      if (status === 200) stored++;
    }
    await tenant.ingest(spansToNdjson([span()])).expect(200);
    await service.close();
    return { apiKey: service.apiKey, ready, stored, log: messages.join('\n') };
  };

  it('are all there when it is as it was', async () => {
    const { ready, stored, log } = await ask(changed(() => undefined));
    expect([ready.status, stored]).toEqual([200, BATCHES]);
    expect(log).not.toContain('missing');
  });

  it.each<[string, (log: string) => void]>([
    [
      'missing',
      (log) => {
        rmSync(log);
      },
    ],
    [
      'cut short',
      (log) => {
        truncateSync(log, Math.floor(statSync(log).size * 0.6));
      },
    ],
    [
      'garbled',
      (log) => {
        writeSync(openSync(log, 'r+'), Buffer.alloc(100, 0x5a), 0, 100, Math.floor(statSync(log).size / 2));
      },
    ],
  ])('are reported with their number when it is %s, until somebody accepts that', async (_, change) => {
    const dataDir = changed(change);
    const found = await ask(dataDir);
    const lost = BATCHES - found.stored;
    expect(lost).toBeGreaterThan(0);
    expect(found.apiKey).toBeUndefined();
    expect(found.ready.status).toBe(503);
    const { detail } = found.ready.body as { detail: string };
    const writes = Number(/(\d+) acknowledged writes/.exec(detail)?.[1]);
    // The service also writes in the background and for a health check.
    expect(writes).toBeGreaterThanOrEqual(lost);
    expect(writes).toBeLessThan(2 * lost + 20);
    expect(found.log).toContain(`${writes} acknowledged writes`);
    expect((await ask(dataDir)).ready.body).toEqual({ detail, status_code: 503 });
    expect(await checkDatabase(dataDir)).toMatchObject({ lostWrites: writes, findings: [] });
    expect(await checkDatabase(dataDir, { acceptLoss: true })).toMatchObject({ lostWrites: 0 });
    expect((await ask(dataDir)).ready.status).toBe(200);
  });

  it('are found by a check before the service starts, and can be accepted by it', async () => {
    const dataDir = changed((log) => {
      rmSync(log);
    });
    const { lostWrites } = await checkDatabase(dataDir);
    expect(lostWrites).toBeGreaterThanOrEqual(BATCHES);
    await checkDatabase(dataDir, { acceptLoss: true });
    expect((await ask(dataDir)).ready.status).toBe(200);
  });

  it('are no new install: a database without tables or accounts does not start', async () => {
    const emptied = changed((log) => {
      rmSync(log);
      truncateSync(log.replace('-wal', ''), 0);
    });
    await expect(ask(emptied)).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_LOST' });
    const withoutAccounts = changed((log) => {
      rmSync(log);
      const database = new Database(log.replace('-wal', ''));
      database.exec('DELETE FROM accounts');
      database.close();
    });
    await expect(ask(withoutAccounts)).rejects.toMatchObject({ code: 'COLLECTOR_DATABASE_LOST' });
  });
});
