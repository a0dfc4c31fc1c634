import { join } from 'node:path';
import { ROUTES, type SpanRecord } from '@dacapo/protocol';
import { SystemClock } from '../src/clock.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { kill, spawnCollector } from './support/spawn-collector.js';
import { span, spansToNdjson } from './support/records.js';
import { type Tenant, tenantOf } from './support/service.js';
import { temporaryDirectory } from './support/temporary-directory.js';

/** Sends batches until the collector is gone; gives those that it acknowledged. */
async function sendUntilGone(tenant: Tenant): Promise<SpanRecord[]> {
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

const statusesOf = (reader: Tenant, spans: readonly SpanRecord[]): Promise<number[]> =>
  Promise.all(
    spans.map(
      async ({ trace_id, id }) => (await reader.get(`${ROUTES.traces}/${trace_id}/spans/${id}`)).status,
    ),
  );

describe('SIGKILL while batches come in', () => {
  it('loses no batch that was acknowledged, stores none in part, and leaves the data usable', async () => {
    const dataDir = temporaryDirectory();
    const first = await spawnCollector(dataDir);
    const apiKey = first.apiKey ?? '';
    const senders = Array.from({ length: 4 }, () => sendUntilGone(tenantOf(first.url, '', apiKey)));
    await tenantOf(first.url, '', apiKey).store(...Array.from({ length: 100 }, () => span()));
    await kill(first.child);
    const acknowledged = (await Promise.all(senders)).flat();
    expect(acknowledged.length).toBeGreaterThan(0);

    const second = await spawnCollector(dataDir);
    const reader = tenantOf(second.url, '', apiKey);
    const statuses = await statusesOf(reader, acknowledged);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const { body } = await reader.get(ROUTES.traceFunctionKeys);
    expect(body.items[0].span_count % 10).toBe(0);
  });
});

describe('the end of all threads of the database while batches come in', () => {
  it('loses no batch that was acknowledged; the service goes on, says what happened, and keeps its data directory', async () => {
    const dataDir = temporaryDirectory();
    const options = ['--require', join(__dirname, 'support/end-threads.cjs')];
    const { child, url, apiKey = '' } = await spawnCollector(dataDir, options, 'pipe');
    let log = '';
    child.stderr?.on('data', (chunk: Buffer) => (log += String(chunk)));
    const tenant = tenantOf(url, '', apiKey);
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
    while ((await tenant.get(ROUTES.ready)).status !== 200);
    expect((await statusesOf(tenant, acknowledged)).filter((status) => status !== 200)).toEqual([]);
    expect(log).toContain('a thread of the database ended');
    expect(log).toContain('the thread of the database is open again');
    await expect(openSqliteStorage(dataDir, new SystemClock())).rejects.toMatchObject({
      code: 'COLLECTOR_DATA_DIR_IN_USE',
    });
    await kill(child);
  });
});
