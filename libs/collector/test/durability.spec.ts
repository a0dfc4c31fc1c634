import { join } from 'node:path';
import { type SpanRecord } from '@dacapo/protocol';
import { API } from '@dacapo/protocol/api';
import { SystemClock } from '../src/clock.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { kill, spawnCollector } from './support/spawn-collector.js';
import { span, spansToNdjson } from './support/records.js';
import { type Tenant, createTenant } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

/** Sends batches until the collector is gone; gives those that it acknowledged. */
async function sendUntilKilled(tenant: Tenant): Promise<SpanRecord[]> {
  const acknowledged: SpanRecord[] = [];
  for (;;) {
    const batch = Array.from({ length: 10 }, () => span({ span_data: { output: 'x'.repeat(4000) } }));
    try {
      const { status } = await tenant.ingest(spansToNdjson(batch));
      if (status === 200) acknowledged.push(...batch);
    } catch {
      return acknowledged;
    }
  }
}

const readStatuses = (reader: Tenant, spans: readonly SpanRecord[]): Promise<number[]> =>
  Promise.all(
    spans.map(
      async ({ trace_id, id }) =>
        (await reader.get(`${API.traces.list.path}/${trace_id}/spans/${id}`)).status,
    ),
  );

describe('SIGKILL during ingest', () => {
  it('loses no acknowledged batch, stores none partially, and leaves the data usable', async () => {
    const dataDir = temporaryDirectory();
    const first = await spawnCollector(dataDir);
    const apiKey = first.apiKey ?? '';
    const senders = Array.from({ length: 4 }, () => sendUntilKilled(createTenant(first.url, '', apiKey)));
    await createTenant(first.url, '', apiKey).store(...Array.from({ length: 100 }, () => span()));
    await kill(first.child);
    const acknowledged = (await Promise.all(senders)).flat();
    expect(acknowledged.length).toBeGreaterThan(0);

    const second = await spawnCollector(dataDir);
    const reader = createTenant(second.url, '', apiKey);
    const statuses = await readStatuses(reader, acknowledged);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const { body } = await reader.get(API.traces.listKeys.path);
    expect(body.items[0].span_count % 10).toBe(0);
  });
});

describe('the end of all database threads during ingest', () => {
  it('loses no acknowledged batch; the service continues, reports the failure, and keeps its data directory', async () => {
    const dataDir = temporaryDirectory();
    const options = ['--require', join(__dirname, 'support/end-threads.cjs')];
    const { child, url, apiKey = '' } = await spawnCollector(dataDir, options, 'pipe');
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => (log += String(chunk)));
    const tenant = createTenant(url, '', apiKey);
    const acknowledged: SpanRecord[] = [];
    const send = async (): Promise<number> => {
      const batch = Array.from({ length: 10 }, () => span());
      const { status } = await tenant.ingest(spansToNdjson(batch));
      if (status === 200) acknowledged.push(...batch);
      return status;
    };
    for (let round = 0; round < 3; round++) {
      const sending = Promise.all(Array.from({ length: 20 }, send));
      await send();
      child.kill('SIGUSR2');
      // Refused, or done: nothing else, and none without an answer.
      expect(new Set([200, 503, ...(await sending)])).toEqual(new Set([200, 503]));
      while ((await send()) !== 200);
    }
    while ((await tenant.get(API.service.ready.path)).status !== 200);
    expect((await readStatuses(tenant, acknowledged)).filter((status) => status !== 200)).toEqual([]);
    expect(log).toContain('a database thread ended');
    expect(log).toContain('the database thread was restarted');
    await expect(openSqliteStorage(dataDir, new SystemClock())).rejects.toMatchObject({
      code: 'COLLECTOR_DATA_DIR_IN_USE',
    });
    await kill(child);
  });
});
