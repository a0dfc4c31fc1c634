import { SystemClock } from '@dacapo/collector';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import type { Storage } from '../src/storage/storage.js';
import { describeMetaStore } from './meta-store.contract.js';
import { describeSpanStore } from './span-store.contract.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const opened: Storage[] = [];

async function open(): Promise<Storage> {
  const storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
  opened.push(storage);
  return storage;
}

afterAll(async () => {
  for (const storage of opened) await storage.close();
});

describeSpanStore('SQLite', async () => (await open()).spans);
describeMetaStore('SQLite', async () => (await open()).meta);
