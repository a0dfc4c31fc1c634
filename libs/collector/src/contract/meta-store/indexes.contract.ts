import type { MetaStore } from '../../storage/meta/meta-store.js';
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
    const contents = async (id: string, owner = account) => {
      const documents = await store.indexes.documents(owner, id);
      const documentNos = documents.map(({ document_no }) => document_no);
      return (await store.indexes.sections(owner, id, { documentNos })).map(({ content }) => content);
    };

    it('counts the documents of an index', async () => {
      const index_id = await addIndex();
      expect(await store.indexes.putDocument(account, index_id, document('a.md', 'one'))).toBe('added');
      expect(await store.indexes.find(account, index_id)).toMatchObject({ index_id, document_count: 1 });
      expect(await store.indexes.list(account)).toMatchObject([{ type: 'API', document_count: 1 }]);
    });

    it('keeps an unchanged document, and replaces a changed one under a new number', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a.md', 'old apples|more'));
      const [before] = await store.indexes.documents(account, id);
      expect(await store.indexes.putDocument(account, id, document('a.md', 'old apples|more'))).toBe(
        'unchanged',
      );
      expect(await store.indexes.documents(account, id)).toEqual([before]);
      expect(await store.indexes.putDocument(account, id, document('a.md', 'new pears'))).toBe('added');
      const [after] = await store.indexes.documents(account, id);
      expect(after?.document_no).toBeGreaterThan(before?.document_no ?? Infinity);
      expect(await contents(id)).toEqual(['new pears']);
      expect((await store.indexes.find(account, id))?.document_count).toBe(1);
    });

    it('returns whole sections in order, by document and by number', async () => {
      const id = await addIndex();
      const sections = [
        { title: 'A', content: 'one', anchor: 'a', line: 1 },
        { title: 'A › B', content: 'two' },
      ];
      await store.indexes.putDocument(account, id, { ...document('b.md', ''), sections });
      await store.indexes.putDocument(account, id, document('a.md', 'three'));
      const documents = await store.indexes.documents(account, id);
      expect(documents.map(({ source }) => source)).toEqual(['a.md', 'b.md']);
      const document_no = documents[1]?.document_no ?? 0;
      const stored = await store.indexes.sections(account, id, { documentNos: [document_no] });
      expect(stored).toEqual(
        sections.map((section) => ({
          ...section,
          source: 'b.md',
          document_no,
          section_no: expect.any(Number),
        })),
      );
      const sectionNos = stored.map(({ section_no }) => section_no).reverse();
      expect(await store.indexes.sections(account, id, { sectionNos })).toEqual(stored);
      expect(await store.indexes.sections(account, id, { sectionNos: [] })).toEqual([]);
    });

    it('changes its revision with each change and only then', async () => {
      const id = await addIndex();
      const seen = [await store.indexes.revision(account, id)];
      const look = async () => seen.push(await store.indexes.revision(account, id));
      await store.indexes.putDocument(account, id, document('a', 'one'));
      await look();
      await store.indexes.putDocument(account, id, document('a', 'two'));
      await look();
      expect(await store.indexes.deleteDocuments(account, id, ['a', 'none'])).toBe(1);
      await look();
      expect(new Set(seen).size).toBe(4);
      await store.indexes.deleteDocuments(account, id, ['a']);
      expect(await store.indexes.revision(account, id)).toBe(seen.at(-1));
      expect(await store.indexes.revision(account, 'scrape_0')).toBeUndefined();
    });

    it('never reuses the number of a deleted document', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a', 'one'));
      const [before] = await store.indexes.documents(account, id);
      await store.indexes.deleteDocuments(account, id, ['a']);
      await store.indexes.putDocument(account, id, document('b', 'two'));
      const [after] = await store.indexes.documents(account, id);
      expect(after?.document_no).toBeGreaterThan(before?.document_no ?? Infinity);
    });

    it('stays within one index of one account', async () => {
      const other = `${account}-other`;
      const mine = await addIndex();
      const sibling = await addIndex();
      await store.indexes.create(other, { index_id: mine, name: 'same id', type: 'SDK', createdAt: at(1) });
      await store.indexes.putDocument(account, mine, document('a', 'word mine'));
      await store.indexes.putDocument(account, sibling, document('a', 'word sibling'));
      await store.indexes.putDocument(other, mine, document('a', 'word theirs'));
      expect(await contents(mine)).toEqual(['word mine']);
      expect(await contents(mine, other)).toEqual(['word theirs']);
      const documentNos = (await store.indexes.documents(account, mine)).map(
        ({ document_no }) => document_no,
      );
      expect(await store.indexes.sections(other, mine, { documentNos })).toEqual([]);
      expect(await store.indexes.deleteDocuments(other, sibling, ['a'])).toBe(0);
      expect(await store.indexes.delete(other, sibling)).toBe(false);
      expect(await contents(sibling)).toEqual(['word sibling']);
    });

    it('keeps the vectors of a section by their maker until the section is deleted', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a', 'one|two'));
      await store.indexes.putDocument(account, id, document('b', 'three'));
      const [a, b] = await store.indexes.documents(account, id);
      const documentNos = [a?.document_no ?? 0, b?.document_no ?? 0];
      const sections = await store.indexes.sections(account, id, { documentNos });
      const made = sections.map(({ section_no, document_no }, at) => ({
        section_no,
        document_no,
        vector: Float32Array.of(at, 0.5, -1e-7),
      }));
      await store.indexes.putVectors(account, id, 'model 1', made);
      expect(await store.indexes.vectors(account, id, 'model 1', { documentNos })).toEqual(made);
      expect(
        await store.indexes.vectors(account, id, 'model 1', { documentNos: [documentNos[1] ?? 0] }),
      ).toEqual([made[2]]);
      const sectionNos = [made[0]?.section_no ?? 0];
      expect(await store.indexes.vectors(account, id, 'model 1', { sectionNos })).toEqual([made[0]]);
      expect(await store.indexes.vectors(`${account}-other`, id, 'model 1', { documentNos })).toEqual([]);

      const again = { ...made[0]!, vector: Float32Array.of(9) };
      await store.indexes.putVectors(account, id, 'model 2', [again]);
      expect(await store.indexes.vectors(account, id, 'model 2', { documentNos })).toEqual([again]);
      expect(await store.indexes.vectors(account, id, 'model 1', { documentNos })).toEqual(made.slice(1));

      await store.indexes.deleteDocuments(account, id, ['b']);
      await store.indexes.putDocument(account, id, document('c', 'four'));
      await store.indexes.putVectors(account, id, 'model 1', [made[2]!]);
      await store.indexes.putVectors(`${account}-other`, id, 'model 1', [made[1]!]);
      const now = (await store.indexes.documents(account, id)).map(({ document_no }) => document_no);
      expect(
        await store.indexes.vectors(account, id, 'model 1', { documentNos: [...documentNos, ...now] }),
      ).toEqual([made[1]]);
    });

    it('keeps the address of crawled pages and lists it', async () => {
      const id = await addIndex();
      const remote = {
        url: 'https://docs.example/sitemap.xml',
        kind: 'sitemap' as const,
        also: ['api.example'],
        under: '/v2/',
        max_pages: 10,
        refreshed_at: at(1),
        pages: [{ url: 'https://docs.example/a', source: 'https://docs.example/b', etag: '"1"' }],
      };
      expect(await store.indexes.remote(account, id)).toBeUndefined();
      await store.indexes.setRemote(`${account}-other`, id, remote);
      expect(await store.indexes.remote(account, id)).toBeUndefined();
      await store.indexes.setRemote(account, id, { ...remote, pages: [] });
      await store.indexes.setRemote(account, id, remote);
      expect(await store.indexes.remote(account, id)).toEqual(remote);
      const { url, refreshed_at } = remote;
      expect(await store.indexes.find(account, id)).toMatchObject({ remote: { url, refreshed_at } });
      expect(await store.indexes.remote(account, 'scrape_0')).toBeUndefined();
      await store.indexes.delete(account, id);
      expect(await store.indexes.remote(account, id)).toBeUndefined();
    });

    it('deletes an index with its documents', async () => {
      const id = await addIndex();
      await store.indexes.putDocument(account, id, document('a', 'word'));
      expect(await store.indexes.delete(account, id)).toBe(true);
      expect(await store.indexes.find(account, id)).toBeUndefined();
      expect(await contents(id)).toEqual([]);
      expect(await store.indexes.delete(account, id)).toBe(false);
    });
  });
}
