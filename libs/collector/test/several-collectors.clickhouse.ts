import { type ClickHouseAddress, SystemClock } from '@dacapo/collector';
import type { MetaStore, SpanStore, Storage } from '@dacapo/collector/storage';
import type { SpanRecord } from '@dacapo/protocol';
import { ClickHouseSpanStore } from '../src/storage/engines/clickhouse/clickhouse-span-store.js';
import { ClickHouseConnection } from '../src/storage/engines/clickhouse/connection.js';
import { createSchema } from '../src/storage/engines/clickhouse/schema.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { ClickHouseServer } from './support/clickhouse-server.js';
import { span, startedAt, unfinished } from './support/records.js';

const ACCOUNT = 'acc_1';
const FOREVER = '2999-01-01T00:00:00.000000Z';
const clock = new SystemClock();

let server: ClickHouseServer;
let address: ClickHouseAddress;
let meta: Storage;
const connections: ClickHouseConnection[] = [];

beforeAll(async () => {
  server = await ClickHouseServer.start();
});

beforeEach(async () => {
  address = await server.createDatabase();
  meta = await openInMemoryStorage(clock);
});

afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close();
  await meta.close();
});

afterAll(() => server.stop());

/** The store of one more collector on the database. */
async function openStore(own: MetaStore = meta.meta): Promise<SpanStore> {
  const connection = await ClickHouseConnection.open(address);
  connections.push(connection);
  await createSchema(connection);
  return new ClickHouseSpanStore(connection, own, clock);
}

const put = (store: SpanStore, spans: SpanRecord[], batchId?: string) =>
  store.ingest(ACCOUNT, {
    spans,
    traces: [],
    receivedAt: startedAt(50),
    ...(batchId !== undefined && { batchId }),
  });

const countRows = async (): Promise<number> => {
  const rows = await connections[0]!.all<{ n: number }>('SELECT count() AS n FROM span_records');
  return rows[0]!.n;
};

describe('collectors on one ClickHouse', () => {
  it('start at the same time on an empty database', async () => {
    const stores = await Promise.all([openStore(), openStore(), openStore()]);
    await put(stores[0], [span()]);
    expect((await stores[2].listTraces(ACCOUNT, {}, { limit: 9 })).traces).toHaveLength(1);
  });

  it('list a trace once and whole after they added spans to it at the same time', async () => {
    const stores = await Promise.all([openStore(), openStore()]);
    for (let round = 0; round < 5; round++) {
      const root = span({ started_at: startedAt(1) });
      const { trace_id } = root;
      const inside = [2, 3, 4, 5].map((second) =>
        span({ trace_id, parent_id: root.id, started_at: startedAt(second) }),
      );
      await Promise.all([root, ...inside].map((one, place) => put(stores[place % 2]!, [one])));
      const { traces } = await stores[0].listTraces(ACCOUNT, { traceIds: [trace_id] }, { limit: 9 });
      expect(traces.map(({ trace, rootSpanId }) => [trace.span_count, rootSpanId])).toEqual([[5, root.id]]);
    }
    expect(await stores[1].listTraceFunctionKeys(ACCOUNT)).toMatchObject([{ span_count: 25 }]);
  });

  it('join the parts of a span that they received at the same time', async () => {
    const stores = await Promise.all([openStore(), openStore()]);
    const whole = span({ span_data: { input: ['question'], output: 'answer' } });
    const rest = { ...whole, span_data: { output: 'answer', meta: { continues: true as const } } };
    await Promise.all([put(stores[0], [unfinished(whole)]), put(stores[1], [rest])]);
    const refs = [{ trace_id: whole.trace_id, span_id: whole.id }];
    expect(await stores[0].readSpans(ACCOUNT, refs)).toMatchObject([{ span_data: whole.span_data }]);
    expect(await stores[0].listNodes(ACCOUNT, [whole.trace_id])).toHaveLength(1);
  });

  it('store a batch once that came again before its id was noted', async () => {
    // A MetaStore that does not know the batch is what a collector leaves that died after its insert.
    const fresh = await openInMemoryStorage(clock);
    const [first, second] = [await openStore(), await openStore(fresh.meta)];
    const batch = [span(), span()];
    await put(first, batch, 'b');
    expect(await put(second, batch, 'b')).toEqual({ duplicate: false, dropped: 0 });
    expect(await countRows()).toBe(2);
    expect(await put(first, batch, 'b')).toEqual({ duplicate: true, dropped: 0 });
    await fresh.close();
  });

  it('keep nothing of a trace that one deletes while the other stores records of it', async () => {
    const [first, second] = await Promise.all([openStore(), openStore()]);
    for (let round = 0; round < 5; round++) {
      const root = span();
      const deletion = { forgetAt: FOREVER, mostSpans: 100 };
      await put(first, [root]);
      await Promise.all([
        put(first, [span({ trace_id: root.trace_id })]),
        second.deletions.deleteTraces(ACCOUNT, [root.trace_id], deletion),
        put(second, [span({ trace_id: root.trace_id })]),
      ]);
      expect(await first.findTrace(ACCOUNT, root.trace_id)).toBeUndefined();
    }
    expect(await countRows()).toBe(0);
  });

  it('write no value but ids and days of traces into the statements that delete', async () => {
    const store = await openStore();
    const named = span({ session_id: 'ann@example.com', user_id: 'ann@example.com' });
    await put(store, [named]);
    await store.deletions.deleteTraces(ACCOUNT, [named.trace_id], { forgetAt: FOREVER, mostSpans: 100 });
    const kept = await connections[0]!.all<{ command: string }>(
      'SELECT command FROM system.mutations WHERE database = currentDatabase()',
    );
    expect(kept).toHaveLength(3);
    expect(JSON.stringify(kept)).toContain(named.trace_id);
    expect(JSON.stringify(kept)).not.toContain('ann@');
  });
});
