import { type Storage, SystemClock } from '@dacapo/collector';
import { describeSpanStore } from '@dacapo/collector/storage/contract';
import { openClickHouseSpans } from '../src/storage/engines/clickhouse/open-clickhouse-spans.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { ClickHouseServer } from './support/clickhouse-server.js';
import { expectListsToAgree } from './support/expect-lists-to-agree.js';

const opened: Storage[] = [];
let server: ClickHouseServer;

beforeAll(async () => {
  server = await ClickHouseServer.start();
});

afterAll(async () => {
  for (const storage of opened) await storage.close();
  await server.stop();
});

async function open(): Promise<Storage> {
  const clock = new SystemClock();
  const storage = await openClickHouseSpans(
    await server.createDatabase(),
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
