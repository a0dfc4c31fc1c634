import { type Storage, SystemClock } from '@dacapo/collector';
import { openSqliteStorage } from '../src/storage/engines/sqlite/open-sqlite-storage.js';
import { expectListsToAgree } from './support/expect-lists-to-agree.js';
import { temporaryDirectory } from './support/temporary-directory.js';

describe('lists counted while batches arrive', () => {
  const opened: Storage[] = [];

  afterAll(async () => {
    for (const storage of opened) await storage.close();
  });

  it.each([
    ['what few traces fulfil is looked up', {}],
    [
      'traces are looked through, one for each page',
      { listBounds: { few: -1, hits: -1, lookedThrough: 1, lookedThroughByAmount: 1 } },
    ],
    [
      'a text is looked for along the list',
      { listBounds: { few: 500, hits: -1, lookedThrough: 1000, lookedThroughByAmount: 1000 } },
    ],
  ])('show what a look at all records shows, in whatever order these came: %s', async (_, options) => {
    const sqlite = await openSqliteStorage(temporaryDirectory(), new SystemClock(), options);
    opened.push(sqlite);
    await expectListsToAgree(sqlite, 20);
  });
});
