import type { Storage } from '@dacapo/collector/storage';
import { describeMetaStore, describeSpanStore } from '@dacapo/collector/storage/contract';
import { openPostgresStorage } from '../src/storage/engines/postgres/open-postgres-storage.js';
import { expectListsToAgree } from './support/expect-lists-to-agree.js';
import { PostgresServer } from './support/postgres-server.js';

const opened: Storage[] = [];
let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});

afterAll(async () => {
  for (const storage of opened) await storage.close();
  await server.stop();
});

async function open(): Promise<Storage> {
  const storage = await openPostgresStorage(await server.createDatabase());
  opened.push(storage);
  return storage;
}

const settle = (): never => {
  throw new Error('this store reads its own writes');
};

describeSpanStore('PostgreSQL', async () => ({ ...(await open()), settle }));
describeMetaStore('PostgreSQL', async () => (await open()).meta);

it('lists on PostgreSQL show what a look at all records shows, in whatever order these came', async () => {
  await expectListsToAgree(await open(), 100);
}, 300_000);
