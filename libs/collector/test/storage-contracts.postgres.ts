import type { Storage } from '@dacapo/collector/storage';
import { describeMetaStore, describeSpanStore } from '@dacapo/collector/storage/contract';
import {
  openPostgresStorage,
  type PostgresOptions,
} from '../src/storage/engines/postgres/open-postgres-storage.js';
import { expectListsToAgree } from './support/expect-lists-to-agree.js';
import { expectMetricsToAgree } from './support/expect-metrics-to-agree.js';
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

async function open(options?: PostgresOptions): Promise<Storage> {
  const storage = await openPostgresStorage(await server.createDatabase(), options);
  opened.push(storage);
  return storage;
}

const settle = (): never => {
  throw new Error('this store reads its own writes');
};

describeSpanStore('PostgreSQL', async () => ({ ...(await open()), settle }));
describeMetaStore('PostgreSQL', async () => (await open()).meta);

it.each([
  ['what few traces have is looked up', {}],
  ['traces are looked through, one for each page', { bounds: { list: { few: -1, lookedThrough: 1 } } }],
])(
  'lists on PostgreSQL show what a look at all records shows, in whatever order these came: %s',
  async (_, options) => {
    await expectListsToAgree(await open(options), 100);
  },
  900_000,
);

it('metrics on PostgreSQL equal a new count of all records, in whatever order these came', async () => {
  const { spans } = await open();
  await expectMetricsToAgree(spans, 20);
}, 900_000);
