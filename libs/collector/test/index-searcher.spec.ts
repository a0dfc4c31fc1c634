import { createHash } from 'node:crypto';
import { startedAt } from './support/records.js';
import { IndexSearcher } from '../src/indexes/search/index-searcher.js';
import { SystemClock } from '../src/clock.js';
import { openInMemoryStorage } from '../src/storage/engines/sqlite/open-in-memory-storage.js';
import type { MetaStore } from '../src/storage/meta/meta-store.js';
import type { Storage } from '../src/storage/storage.js';

const ACCOUNT = 'acc';
const INDEX = 'scrape_1';

describe('IndexSearcher', () => {
  let storage: Storage;
  let meta: MetaStore;
  let searcher: IndexSearcher;

  beforeEach(async () => {
    storage = await openInMemoryStorage(new SystemClock());
    meta = storage.meta;
    searcher = new IndexSearcher(meta);
    await meta.indexes.create(ACCOUNT, { index_id: INDEX, name: 'i', type: 'SDK', createdAt: startedAt(0) });
  });
  afterEach(async () => {
    await searcher.onApplicationShutdown();
    await storage.close();
  });

  const put = (source: string, ...contents: string[]) =>
    meta.indexes.putDocument(ACCOUNT, INDEX, {
      source,
      title: source,
      hash: createHash('sha256').update(contents.join('|')).digest(),
      sections: contents.map((content) => ({ title: source, content })),
    });
  const sources = async (query: string, owner = ACCOUNT): Promise<string[]> => {
    const { ranked = [] } = (await searcher.search(owner, INDEX, query, 10)) ?? {};
    const sectionNos = ranked.map(({ section_no }) => section_no);
    return (await meta.indexes.sections(ACCOUNT, INDEX, { sectionNos })).map(({ source }) => source);
  };

  it('finds current documents: added, replaced, deleted', async () => {
    expect(await sources('apples')).toEqual([]);
    await put('a', 'apples');
    expect(await sources('apples')).toEqual(['a']);
    await put('a', 'pears');
    await put('b', 'apples');
    expect(await sources('apples')).toEqual(['b']);
    await meta.indexes.deleteDocuments(ACCOUNT, INDEX, ['b']);
    expect(await sources('apples')).toEqual([]);
    expect(await sources('pears')).toEqual(['a']);
    await meta.indexes.delete(ACCOUNT, INDEX);
    expect(await sources('pears')).toEqual([]);
  });

  it('ranks after many replacements as an index that was made at once', async () => {
    for (let round = 0; round < 20; round++) {
      await put('a', `apples of round ${round}`, 'more');
      await put('b', `pears and apples ${round}`);
      await sources('apples');
    }
    const after = await searcher.search(ACCOUNT, INDEX, 'apples round', 10);
    const fresh = new IndexSearcher(meta);
    expect(await fresh.search(ACCOUNT, INDEX, 'apples round', 10)).toEqual(after);
    await fresh.onApplicationShutdown();
  });

  it('answers concurrent queries while documents arrive', async () => {
    const all = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        await put(`page-${at}`, `apples ${at}`);
        return sources('apples');
      }),
    );
    expect(all.every((found) => found.length > 0)).toBe(true);
    expect(new Set(await sources('apples')).size).toBe(10);
  });

  it('reads stored documents once, before the first query', async () => {
    const { indexes } = meta;
    const readSections = indexes.sections.bind(indexes);
    let reads = 0;
    const read = new Promise<void>((resolve) => {
      indexes.sections = (...query) => {
        reads++;
        resolve();
        return readSections(...query);
      };
    });
    await put('a', 'apples');
    searcher.prepare(ACCOUNT, INDEX);
    searcher.prepare(ACCOUNT, INDEX);
    await read;
    expect(await searcher.search(ACCOUNT, INDEX, 'apples', 10)).toMatchObject({ ranked: [{}] });
    expect(reads).toBe(1);
  });

  it('prepares nothing for an index that is not there, and nothing once it is closed', async () => {
    searcher.prepare(ACCOUNT, 'scrape_0');
    await put('a', 'apples');
    await searcher.onApplicationShutdown();
    meta.indexes.revision = () => Promise.reject(new Error('the store is closed'));
    searcher.prepare(ACCOUNT, INDEX);
    await expect(searcher.search(ACCOUNT, INDEX, 'apples', 10)).rejects.toThrow('the store is closed');
  });

  it('starts again after its thread was closed', async () => {
    await put('a', 'apples');
    expect(await sources('apples')).toEqual(['a']);
    await searcher.onApplicationShutdown();
    expect(await sources('apples')).toEqual(['a']);
  });

  it('finds nothing of an account that does not have the index', async () => {
    await put('a', 'apples');
    expect(await sources('apples', 'other')).toEqual([]);
  });
});
