import { ROUTES, type SpanRecord } from '@dacapo/protocol';
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
    const statuses = await Promise.all(
      acknowledged.map(
        async ({ trace_id, id }) => (await reader.get(`${ROUTES.traces}/${trace_id}/spans/${id}`)).status,
      ),
    );
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    const { body } = await reader.get(ROUTES.traceFunctionKeys);
    expect(body.items[0].span_count % 10).toBe(0);
  });
});
