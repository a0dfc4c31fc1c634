import { type Storage, SystemClock } from '@dacapo/collector';
import { describeMetaStore, describeSpanStore } from '@dacapo/collector/storage/contract';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { type OracleOptions } from './oracle/oracle-span-store.js';
import { openOracleStorage } from './oracle/oracle-storage.js';
import { ManualClock } from './support/manual-clock.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const opened: Storage[] = [];

async function track(storage: Promise<Storage>): Promise<Storage> {
  opened.push(await storage);
  return storage;
}

const openSqlite = () => track(openSqliteStorage(temporaryDirectory(), new SystemClock()));
const openInMemory = () => track(openInMemoryStorage(new SystemClock()));
const openOracle = (options?: OracleOptions) => track(openOracleStorage(options));

afterAll(async () => {
  for (const storage of opened) await storage.close();
});

const settle = (): never => {
  throw new Error('this store reads its own writes');
};

describeSpanStore('SQLite', async () => ({ ...(await openSqlite()), settle }));
describeMetaStore('SQLite', async () => (await openSqlite()).meta);

describeSpanStore('in-memory SQLite', async () => ({ ...(await openInMemory()), settle }));
describeMetaStore('in-memory SQLite', async () => (await openInMemory()).meta);

describeSpanStore('the oracle', async () => ({ ...(await openOracle()), settle }));

describeSpanStore('an oracle that shows records late and changes no row', async () => {
  const clock = new ManualClock();
  const options = { visibleAfterMs: 1000, payloadVisibleAfterMs: 2000, writeOnce: true, clock };
  return {
    ...(await openOracle(options)),
    settle: () => {
      clock.advance(2);
    },
  };
});
