import { type Storage, SystemClock } from '@dacapo/collector';
import { openInMemoryStorage } from '../src/storage/drivers/sqlite/open-in-memory-storage.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { describeMetaStore } from './meta-store.contract.js';
import { OracleSpanStore } from './oracle/oracle-span-store.js';
import { describeSpanStore } from './span-store.contract.js';
import { ManualClock } from './support/manual-clock.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const opened: Storage[] = [];

async function openSqlite(): Promise<Storage> {
  const storage = await openSqliteStorage(temporaryDirectory(), new SystemClock());
  opened.push(storage);
  return storage;
}

async function openInMemory(): Promise<Storage> {
  const storage = await openInMemoryStorage(new SystemClock());
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

describeSpanStore('in-memory SQLite', async () => ({
  store: (await openInMemory()).spans,
  settle: neverSettles,
}));
describeMetaStore('in-memory SQLite', async () => (await openInMemory()).meta);

describeSpanStore('the oracle', async () => ({ store: new OracleSpanStore(), settle: neverSettles }));

describeSpanStore('an oracle that shows records late and changes no row', async () => {
  const clock = new ManualClock();
  const options = { visibleAfterMs: 1000, payloadVisibleAfterMs: 2000, writeOnce: true, clock };
  return {
    store: new OracleSpanStore(options),
    settle: () => {
      clock.advance(2);
    },
  };
});
