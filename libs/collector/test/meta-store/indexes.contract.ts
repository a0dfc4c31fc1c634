import type { MetaStore } from '../../src/storage/meta-store.js';
import { addAccount, at, hash } from './meta-store-account.js';

export function describeIndexes(opened: () => MetaStore): void {
  describe('indexes', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const document = (source: string, content: string, title = 'Guide') => ({
      source,
      title,
      hash: hash(content),
      sections: content.split('|').map((text) => ({ title, content: text })),
    });
    let next = 0;
    const addIndex = async (owner = account): Promise<string> => {
      const index_id = `scrape_${++next}`;
      await store.indexes.create(owner, { index_id, name: `i${next}`, type: 'API', createdAt: at(next) });
      return index_id;
    };
    const found = async (id: string, query: string) =>
      (await store.indexes.search(account, id, query, 10)).map(({ content }) => content);

    it('counts the documents of an index', async () => {
      const index_id = await addIndex();
      expect(await store.indexes.putDocument(account, index_id, document('a.md', 'one'))).toBe('added');
      expect(await store.indexes.find(account, index_id)).toMatchObject({ index_id, document_count: 1 });
      expect(await store.indexes.list(account)).toMatchObject([{ type: 'API', document_count: 1 }]);
    });

    it('knows a document that has not changed, and replaces one that has', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a.md', 'old apples|more'));
      expect(await store.indexes.putDocument(account, id, document('a.md', 'old apples|more'))).toBe(
        'unchanged',
      );
      expect(await store.indexes.putDocument(account, id, document('a.md', 'new pears'))).toBe('added');
      expect(await found(id, 'apples')).toEqual([]);
      expect(await found(id, 'pears')).toEqual(['new pears']);
      expect((await store.indexes.find(account, id))?.document_count).toBe(1);
    });

    it('ranks sections by their words, in any form; a heading weighs more', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(
        account,
        id,
        document('a', 'it installs itself with npm install', 'Setup'),
      );
      await store.indexes.putDocument(account, id, document('b', 'nothing of it', 'Installing'));
      await store.indexes.putDocument(account, id, document('c', 'unrelated', 'Other'));
      const results = await store.indexes.search(account, id, 'how to install?', 10);
      expect(results.map(({ source }) => source)).toEqual(['b', 'a']);
      expect(results[0]).toEqual({
        title: 'Installing',
        source: 'b',
        content: 'nothing of it',
        score: expect.any(Number),
      });
      expect(results[0]?.score).toBeGreaterThan(results[1]?.score ?? Infinity);
      expect(await store.indexes.search(account, id, 'install', 1)).toHaveLength(1);
    });

    it.each([
      ['"'],
      ['a" OR b'],
      ['NEAR(x y)'],
      ['scope : index1'],
      ['*'],
      ['^x'],
      ['-x'],
      ['(('],
      ['{title} :'],
      ["it's"],
      ['a AND'],
      ['NOT'],
      ['\u0000'],
      [''],
      ['  '],
      ['日本語'],
      [';DROP TABLE sections'],
    ])('takes %j for words, never for syntax', async (query) => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a', 'content'));
      expect(await found(id, query)).toEqual([]);
    });

    it('finds a name with inner punctuation as a whole', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a', 'set TRACER_API_KEY first'));
      await store.indexes.putDocument(account, id, document('b', 'the key of an API'));
      expect(await found(id, 'TRACER_API_KEY')).toEqual(['set TRACER_API_KEY first']);
    });

    it('stays within one index of one account', async () => {
      const other = `${account}-other`;
      const mine = await addIndex();
      const sibling = await addIndex();
      await store.indexes.create(other, { index_id: mine, name: 'same id', type: 'SDK', createdAt: at(1) });
      await store.indexes.putDocument(account, mine, document('a', 'word mine'));
      await store.indexes.putDocument(account, sibling, document('a', 'word sibling'));
      await store.indexes.putDocument(other, mine, document('a', 'word theirs'));
      expect(await found(mine, 'word')).toEqual(['word mine']);
      expect(await store.indexes.search(other, sibling, 'word', 10)).toEqual([]);
      expect(await store.indexes.delete(other, sibling)).toBe(false);
    });

    it('deletes an index with its documents', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a', 'word'));
      expect(await store.indexes.delete(account, id)).toBe(true);
      expect(await store.indexes.find(account, id)).toBeUndefined();
      expect(await found(id, 'word')).toEqual([]);
      expect(await store.indexes.delete(account, id)).toBe(false);
    });
  });
}
