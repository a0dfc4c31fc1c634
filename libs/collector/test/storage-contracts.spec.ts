import { InMemoryStorage, type Storage, SystemClock } from '@dacapo/collector';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { describeMetaStore } from './meta-store.contract.js';
import { describeSpanStore } from './span-store.contract.js';
import { ManualClock } from './support/manual-clock.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const opened: Storage[] = [];

async function openSqlite(): Promise<Storage> {
  const storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
  opened.push(storage);
  return storage;
}

afterAll(async () => {
  for (const storage of opened) await storage.close();
});

const neverSettles = (): never => {
  throw new Error('this store reads its own writes');
};

describeSpanStore('SQLite', async () => ({ store: (await openSqlite()).spans, settle: neverSettles }));
describeMetaStore('SQLite', async () => (await openSqlite()).meta);

describeSpanStore('memory', async () => ({ store: new InMemoryStorage().spans, settle: neverSettles }));
describeMetaStore('memory', async () => new InMemoryStorage().meta);

describeSpanStore('memory that shows late what it took in and changes no row', async () => {
  const clock = new ManualClock();
  const options = { visibleAfterMs: 1000, payloadVisibleAfterMs: 2000, writeOnce: true, clock };
  return {
    store: new InMemoryStorage(options).spans,
    settle: () => {
      clock.advance(2);
    },
  };
});
