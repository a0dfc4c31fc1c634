import { createHash } from 'node:crypto';
import { formatTimestamp, type TestRunItemRecord } from '@dacapo/protocol';
import type { MetaStore } from '../src/storage/meta-store.js';

const PAGE = { limit: 50 };
const at = (second: number): string => formatTimestamp(second * 1e6);
const hash = (text: string): Uint8Array => createHash('sha256').update(text).digest();

/** What every driver of the port must do. `open` gives an empty store. */
export function describeMetaStore(driver: string, open: () => Promise<MetaStore>): void {
  describe(`MetaStore on ${driver}`, () => {
    let store: MetaStore;
    let accounts = 0;
    let account: string;

    beforeAll(async () => {
      store = await open();
    });

    beforeEach(async () => {
      account = `acc_${String(++accounts).padStart(4, '0')}`;
      await store.accounts.create({ id: account, name: 'n', created_at: at(accounts) });
    });

    it('declares what it promises, and answers', async () => {
      expect(['bm25', 'term-frequency']).toContain(store.capabilities.ranking);
      await store.ping();
    });

    describe('accounts', () => {
      it('finds an account, and the one that was made first', async () => {
        expect(await store.accounts.find(account)).toEqual({
          id: account,
          name: 'n',
          created_at: at(accounts),
        });
        expect((await store.accounts.findFirst())?.id).toBe('acc_0001');
        expect(await store.accounts.find('acc_none')).toBeUndefined();
      });

      it('deletes an account with all it owns, and keeps its keys', async () => {
        await addKey('k-kept', account);
        await store.signIns.addSession(hash('session'), account, 10);
        await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', createdAt: at(1) });
        await store.indexes.create(account, {
          index_id: 'scrape_1',
          name: 'i',
          type: 'SDK',
          createdAt: at(1),
        });
        expect(await store.accounts.delete(account)).toBe(true);
        expect(await store.accounts.find(account)).toBeUndefined();
        expect(await store.signIns.findSession(hash('session'), 1)).toBeUndefined();
        expect(await store.testRuns.find(account, 'r')).toBeUndefined();
        expect(await store.indexes.list(account)).toEqual([]);
        expect(await store.apiKeys.findByHash(hash('k-kept'))).toMatchObject({ accountId: account });
        expect(await store.accounts.delete(account)).toBe(false);
      });
    });

    const addKey = (id: string, owner: string) =>
      store.apiKeys.create({ id, accountId: owner, name: 'n', hint: 'h', hash: hash(id), createdAt: at(1) });

    describe('API keys', () => {
      it('finds a key by its hash alone', async () => {
        await addKey('k-found', account);
        const found = await store.apiKeys.findByHash(hash('k-found'));
        expect(found).toMatchObject({ id: 'k-found', accountId: account, isRevoked: false });
        expect(Buffer.from(found?.hash ?? []).equals(hash('k-found'))).toBe(true);
        expect(await store.apiKeys.findByHash(hash('k-unknown'))).toBeUndefined();
        expect(await store.apiKeys.hasAny()).toBe(true);
      });

      it('lists keys in use with their last use', async () => {
        await addKey('k-1', account);
        await store.apiKeys.markUsed('k-1', at(9));
        expect(await store.apiKeys.list(account)).toEqual([
          { id: 'k-1', name: 'n', hint: 'h', created_at: at(1), last_used_at: at(9) },
        ]);
      });

      it('revokes a key of its account once, and remembers it', async () => {
        await addKey('k-2', account);
        expect(await store.apiKeys.revoke('acc_other', 'k-2', at(2))).toBe(false);
        expect(await store.apiKeys.revoke(account, 'k-2', at(2))).toBe(true);
        expect(await store.apiKeys.revoke(account, 'k-2', at(3))).toBe(false);
        expect(await store.apiKeys.list(account)).toEqual([]);
        expect(await store.apiKeys.findByHash(hash('k-2'))).toMatchObject({ isRevoked: true });
      });
    });

    describe('sign-ins', () => {
      it('gives a token away once, until it expires', async () => {
        await store.signIns.addToken(hash('t-1'), account, 10);
        expect(await store.signIns.takeToken(hash('t-1'), 9)).toBe(account);
        expect(await store.signIns.takeToken(hash('t-1'), 9)).toBeUndefined();
        await store.signIns.addToken(hash('t-2'), account, 10);
        expect(await store.signIns.takeToken(hash('t-2'), 10)).toBeUndefined();
      });

      it('gives a token that two ask for at once to one of them', async () => {
        await store.signIns.addToken(hash('t-3'), account, 10);
        const taken = await Promise.all([1, 2].map(() => store.signIns.takeToken(hash('t-3'), 1)));
        expect(taken.filter((owner) => owner !== undefined)).toEqual([account]);
      });

      it('knows a session until it expires or ends', async () => {
        await store.signIns.addSession(hash('s-1'), account, 10);
        await store.signIns.addSession(hash('s-2'), account, 10);
        expect(await store.signIns.findSession(hash('s-1'), 9)).toBe(account);
        expect(await store.signIns.findSession(hash('s-1'), 10)).toBeUndefined();
        await store.signIns.deleteSession(hash('s-2'));
        expect(await store.signIns.findSession(hash('s-2'), 9)).toBeUndefined();
        await store.signIns.deleteExpired(10);
        expect(await store.signIns.findSession(hash('s-1'), 9)).toBeUndefined();
      });
    });

    describe('test runs', () => {
      const item = (item_no: number, verdict: TestRunItemRecord['verdict']): TestRunItemRecord => ({
        item_no,
        source_trace_id: 't',
        source_span_id: 's',
        verdict,
        result: { text: 'x' },
        input: [1],
        original_output: null,
      });

      it('counts verdicts and keeps the time of the first finish', async () => {
        await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', name: 'n', createdAt: at(1) });
        await store.testRuns.putItems(account, 'r', [item(0, 'same'), item(1, 'error'), item(2, 'changed')]);
        await store.testRuns.putItems(account, 'r', [item(1, 'same')]);
        await store.testRuns.finish(account, 'r', at(2));
        await store.testRuns.finish(account, 'r', at(3));
        expect(await store.testRuns.find(account, 'r')).toEqual({
          id: 'r',
          trace_function_key: 'k',
          name: 'n',
          status: 'finished',
          created_at: at(1),
          finished_at: at(2),
          totals: { items: 3, same: 2, changed: 1, error: 0 },
        });
      });

      it('lists runs with the newest first, by key, page by page', async () => {
        for (const [id, key, second] of [
          ['a', 'k', 1],
          ['b', 'k', 2],
          ['c', 'other', 3],
        ] as const) {
          await store.testRuns.create(account, { id, traceFunctionKey: key, createdAt: at(second) });
        }
        const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
        expect(ids(await store.testRuns.list(account, {}, PAGE))).toEqual(['c', 'b', 'a']);
        const first = await store.testRuns.list(account, { traceFunctionKey: 'k' }, { limit: 1 });
        expect(ids(first)).toEqual(['b']);
        const cursor = first.next_cursor ?? '';
        const second = await store.testRuns.list(account, { traceFunctionKey: 'k' }, { limit: 1, cursor });
        expect(ids(second)).toEqual(['a']);
        expect(second.next_cursor).toBeUndefined();
      });

      it('gives items back as they were, by number, page by page', async () => {
        await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', createdAt: at(1) });
        const items = [item(0, 'same'), item(2, 'changed'), item(5, 'error')];
        await store.testRuns.putItems(account, 'r', items.toReversed());
        const first = await store.testRuns.listItems(account, 'r', { limit: 2 });
        expect(first.items).toEqual(items.slice(0, 2));
        const rest = await store.testRuns.listItems(account, 'r', {
          limit: 2,
          cursor: first.next_cursor ?? '',
        });
        expect(rest).toEqual({ items: items.slice(2) });
        expect(await store.testRuns.listItems('acc_other', 'r', PAGE)).toEqual({ items: [] });
      });
    });

    describe('indexes', () => {
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
  });
}
