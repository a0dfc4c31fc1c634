import { type ClickHouseAddress, type Storage, SystemClock } from '@dacapo/collector';
import { describeSpanStore } from '@dacapo/collector/storage/contract';
import { ClickHouseConnection } from '../src/storage/engines/clickhouse/connection.js';
import { openClickHouseSpans } from '../src/storage/engines/clickhouse/open-clickhouse-spans.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { ClickHouseServer } from './support/clickhouse-server.js';
import { expectListsToAgree } from './support/expect-lists-to-agree.js';
import { expectMetricsToAgree } from './support/expect-metrics-to-agree.js';
import { span, startedAt } from './support/records.js';

const opened: Storage[] = [];
let server: ClickHouseServer;

beforeAll(async () => {
  server = await ClickHouseServer.start();
});

afterAll(async () => {
  for (const storage of opened) await storage.close();
  await server.stop();
});

async function open(address?: ClickHouseAddress): Promise<Storage> {
  const clock = new SystemClock();
  const storage = await openClickHouseSpans(
    address ?? (await server.createDatabase()),
    await openInMemoryStorage(clock),
    clock,
  );
  opened.push(storage);
  return storage;
}

const settle = (): never => {
  throw new Error('this store reads its own writes');
};

describeSpanStore('ClickHouse', async () => ({ ...(await open()), settle }));

it('lists on ClickHouse show what a look at all records shows, in whatever order these came', async () => {
  await expectListsToAgree(await open(), 20);
}, 1_800_000);

it('metrics on ClickHouse equal a new count of all records, in whatever order these came', async () => {
  const { spans } = await open();
  await expectMetricsToAgree(spans, 12);
}, 900_000);

it('metrics on ClickHouse include the spans of a database from before the sums of days', async () => {
  const address = await server.createDatabase();
  const query = { sinceUs: 0, untilUs: 3600e6 * 24 * 365 * 100, replays: 'exclude' } as const;
  const first = await open(address);
  const stored = { spans: [span()], traces: [], receivedAt: startedAt(0) };
  await first.spans.ingest('acc', stored);
  const counted = await first.spans.readMetrics('acc', query);
  expect(counted.rows).toHaveLength(1);
  const connection = await ClickHouseConnection.open(address);
  await connection.run('ALTER TABLE trace_versions DROP COLUMN days');
  await connection.run('DROP TABLE day_sums');
  await connection.close();
  const { spans } = await open(address);
  expect(await spans.readMetrics('acc', query)).toEqual(counted);
});
