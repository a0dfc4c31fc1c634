import type { DatasetItem } from '@dacapo/protocol';
import fc from 'fast-check';
import type { DatasetChange, NewDatasetItem } from '../../storage/ports/dataset-change.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, at, deleteAccount, PAGE } from './meta-store-account.js';

const ALL = { limit: 1000 };

export function describeDatasets(opened: () => MetaStore): void {
  describe('datasets', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      await store.datasets.create(account, { name: 'd', createdAt: at(1) });
    });

    const item = (id: string, expected: string = id): DatasetItem => ({ id, input: [id], expected });
    const change = async (
      items: (DatasetItem | NewDatasetItem)[],
      { chunk = 2, ...rest }: Partial<Omit<DatasetChange, 'add'>> & { chunk?: number } = {},
    ) => {
      async function* add(): AsyncGenerator<NewDatasetItem[]> {
        const all = items.map((one) => ('item' in one ? one : { item: one }));
        for (let i = 0; i < all.length; i += chunk) yield all.slice(i, i + chunk);
      }
      return store.datasets.change(account, 'd', { add: add(), remove: [], createdAt: at(2), ...rest });
    };
    const ids = async (version: number, options: { notIn?: number } = {}) =>
      (await store.datasets.listItems(account, 'd', version, options, ALL)).map(({ id }) => id);

    it('refuse a change that expects another latest version, and keep nothing of it', async () => {
      await change([item('a')], { ifLatest: 0 });
      const first = await store.datasets.find(account, 'd');
      expect(await change([item('a', 'edited')], { ifLatest: 0 })).toMatchObject({
        version: { version: 1 },
        isMade: false,
        isOutdated: true,
      });
      expect(await store.datasets.find(account, 'd')).toEqual(first);
      expect(await store.datasets.readItems(account, 'd', 1, ['a'])).toEqual([item('a')]);
      expect(await change([item('a', 'edited')], { ifLatest: 1 })).toMatchObject({ isMade: true });
      expect(await store.datasets.readItems(account, 'd', 2, ['a'])).toEqual([item('a', 'edited')]);
    });

    it('know an edited copy as a copy of the same call', async () => {
      const copy = { item: item('a'), copyOf: 'call/t/s' };
      await change([copy]);
      await change([item('a', 'edited')]);
      expect(await change([{ item: item('b'), copyOf: 'call/t/s' }])).toMatchObject({
        isMade: false,
        unchanged: 1,
      });
      expect(await ids(2)).toEqual(['a']);
    });

    it('have a unique name and start without a version', async () => {
      const created = { name: 'e', description: 'text', createdAt: at(3) };
      expect(await store.datasets.create(account, created)).toBe(true);
      expect(await store.datasets.create(account, created)).toBe(false);
      const summary = {
        name: 'e',
        description: 'text',
        created_at: at(3),
        updated_at: at(3),
        latest_version: 0,
        item_count: 0,
      };
      expect(await store.datasets.find(account, 'e')).toEqual(summary);
      const names = (range: { limit: number; after?: string }) =>
        store.datasets.list(account, range).then((found) => found.map(({ name }) => name));
      expect(await names(PAGE)).toEqual(['d', 'e']);
      expect(await names({ limit: 1 })).toEqual(['d']);
      expect(await names({ limit: 9, after: 'd' })).toEqual(['e']);
    });

    it('are listed by the bytes of their names', async () => {
      const sorted = ['D-1', 'd', 'd-1', 'd1', 'da', 'd\u00e4', 'e'];
      for (const name of sorted) await store.datasets.create(account, { name, createdAt: at(3) });
      const listed: string[] = [];
      for (let after = ''; listed.length < sorted.length; after = listed.at(-1) ?? '') {
        listed.push(...(await store.datasets.list(account, { limit: 1, after })).map(({ name }) => name));
      }
      expect(listed).toEqual(sorted);
    });

    it('keep each version unchanged', async () => {
      const first = { version: 1, base: 0, item_count: 2, added: 2, removed: 0, created_at: at(2) };
      expect(await change([item('a'), item('b')])).toEqual({ version: first, isMade: true, unchanged: 0 });
      const second = {
        version: 2,
        base: 1,
        item_count: 2,
        added: 1,
        removed: 1,
        note: 'n',
        created_at: at(4),
      };
      expect(await change([item('c')], { remove: ['a', 'none'], note: 'n', createdAt: at(4) })).toEqual({
        version: second,
        isMade: true,
        unchanged: 0,
      });
      expect(await ids(1)).toEqual(['a', 'b']);
      expect(await ids(2)).toEqual(['b', 'c']);
      expect(await ids(0)).toEqual([]);
      expect(await store.datasets.listVersions(account, 'd', PAGE)).toEqual([second, first]);
      expect(await store.datasets.listVersions(account, 'd', { limit: 9, after: 2 })).toEqual([first]);
      expect(await store.datasets.find(account, 'd')).toMatchObject({
        latest_version: 2,
        item_count: 2,
        updated_at: at(4),
      });
    });

    it('return items as they were added, page by page', async () => {
      const whole: DatasetItem = {
        id: 'a',
        input: [{ deep: [null] }],
        meta: { input: { types: { '/0': 'Date' } } },
        expected: null,
        metadata: { plan: 'pro' },
        source: { trace_id: 't', span_id: 's' },
      };
      await change([whole, item('b'), item('c')]);
      expect(await store.datasets.readItems(account, 'd', 1, ['a', 'none'])).toEqual([whole]);
      expect(await store.datasets.readItems(account, 'd', 0, ['a'])).toEqual([]);
      const [first, second] = await store.datasets.listItems(account, 'd', 1, {}, { limit: 2 });
      expect(first).toMatchObject({ id: 'a', trace_id: 't', span_id: 's' });
      expect(first?.payload_bytes).toBeGreaterThan(20);
      expect(second).not.toHaveProperty('trace_id');
      const rest = await store.datasets.listItems(
        account,
        'd',
        1,
        {},
        { limit: 9, after: second?.place ?? 0 },
      );
      expect(rest.map(({ id }) => id)).toEqual(['c']);
    });

    it('replace an item with a known id, and skip equal items and copies of the same call', async () => {
      const copy = (id: string, copyOf: string): NewDatasetItem => ({ item: item(id), copyOf });
      await change([item('a'), item('b'), copy('c', 'call/t/s')]);
      const added = [item('a'), item('b', 'other'), copy('x', 'call/t/s'), copy('y', 'call/t/other')];
      expect(await change(added)).toMatchObject({
        version: { version: 2, added: 2, removed: 1, item_count: 4 },
        unchanged: 2,
      });
      expect(await ids(2)).toEqual(['a', 'c', 'b', 'y']);
      expect(await store.datasets.readItems(account, 'd', 1, ['b'])).toEqual([item('b')]);
      expect(await store.datasets.readItems(account, 'd', 2, ['b'])).toEqual([item('b', 'other')]);
    });

    it('make no version when nothing changes', async () => {
      expect(await change([])).toMatchObject({
        version: { version: 0, item_count: 0, created_at: at(1) },
        isMade: false,
      });
      await change([item('a')]);
      expect(await change([item('a')], { remove: ['none'] })).toMatchObject({
        version: { version: 1, added: 1 },
        isMade: false,
        unchanged: 1,
      });
      expect(await store.datasets.listVersions(account, 'd', PAGE)).toHaveLength(1);
    });

    it('start from an older version or from none', async () => {
      await change([item('a'), item('b')]);
      await change([item('c')], { remove: ['a'] });
      expect(await change([item('x')], { base: 1, remove: ['b'] })).toMatchObject({
        version: { version: 3, base: 1, added: 1, removed: 1, item_count: 2 },
      });
      expect(await ids(3)).toEqual(['a', 'x']);
      expect(await change([item('y')], { base: 0 })).toMatchObject({
        version: { version: 4, base: 0, added: 1, removed: 0, item_count: 1 },
      });
      expect(await change([], { base: 2 })).toMatchObject({ version: { version: 5, base: 2, added: 0 } });
      expect(await ids(5)).toEqual(['b', 'c']);
    });

    it('compare two versions', async () => {
      await change([item('a'), item('b')]);
      await change([item('c')], { remove: ['a'] });
      expect(await ids(2, { notIn: 1 })).toEqual(['c']);
      expect(await ids(1, { notIn: 2 })).toEqual(['a']);
    });

    it('change completely or not at all when items fail', async () => {
      await change([item('a')]);
      async function* add(): AsyncGenerator<NewDatasetItem[]> {
        yield [{ item: item('b') }];
        await Promise.reject(new Error('gone'));
      }
      const failing = store.datasets.change(account, 'd', { add: add(), remove: [], createdAt: at(3) });
      await expect(failing).rejects.toThrow('gone');
      expect(await change([item('c')])).toMatchObject({ version: { version: 2, added: 1, item_count: 2 } });
      expect(await ids(2)).toEqual(['a', 'c']);
    });

    it('get one number for each of several concurrent changes', async () => {
      const changes = ['a', 'b', 'c', 'd'].map((id) => change([item(id)]));
      const versions = (await Promise.all(changes)).map((changed) => changed?.version.version);
      expect(versions.sort()).toEqual([1, 2, 3, 4]);
      expect((await ids(4)).sort()).toEqual(['a', 'b', 'c', 'd']);
    });

    it('belong to one account, and are deleted with their accepted outcomes, alone or with the account', async () => {
      const stranger = await addAccount(store);
      await change([item('a')]);
      const accept = (source: string) =>
        store.accepted.add(account, {
          traceFunctionKey: 'k',
          source,
          testRunId: 'r',
          item: [0, 0],
          acceptance: { author: { kind: 'person', name: 'ann' }, accepted_at: at(1) },
          outcome: { output: 1 },
        });
      await accept('item/a');
      await accept('call/t/s');
      expect(await store.datasets.find(stranger, 'd')).toBeUndefined();
      expect(await store.datasets.list(stranger, PAGE)).toEqual([]);
      expect(await store.datasets.listVersions(stranger, 'd', PAGE)).toEqual([]);
      expect(await store.datasets.listItems(stranger, 'd', 1, {}, ALL)).toEqual([]);
      expect(await store.datasets.readItems(stranger, 'd', 1, ['a'])).toEqual([]);
      const none = { add: (async function* () {})(), remove: ['a'], createdAt: at(3) };
      expect(await store.datasets.change(stranger, 'd', none)).toBeUndefined();
      expect(await store.datasets.delete(stranger, 'd')).toBe(false);
      expect(await ids(1)).toEqual(['a']);
      expect(await store.datasets.delete(account, 'd')).toBe(true);
      expect(await store.datasets.delete(account, 'd')).toBe(false);
      expect(await ids(1)).toEqual([]);
      const left = await store.accepted.findInForce(account, 'k', ['item/a', 'call/t/s']);
      expect([...left.keys()]).toEqual(['call/t/s']);
      await store.datasets.create(account, { name: 'd', createdAt: at(5) });
      expect(await ids(1)).toEqual([]);
      await change([item('a')]);
      await deleteAccount(store, account);
      expect(await ids(1)).toEqual([]);
    });

    it('match a model for any additions, replacements and removals from any version', async () => {
      const some = fc.constantFrom<string>('a', 'b', 'c', 'd');
      const step = fc.record({
        add: fc.uniqueArray(fc.tuple(some, fc.constantFrom('1', '2')), {
          selector: ([id]) => id,
          maxLength: 3,
        }),
        remove: fc.uniqueArray(some, { maxLength: 2 }),
        back: fc.option(fc.nat(3), { nil: undefined }),
      });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
          account = `acc_model_${String(++runs)}_${await addAccount(store)}`;
          await store.datasets.create(account, { name: 'd', createdAt: at(1) });
          const versions: Map<string, string>[] = [new Map()];
          for (const { add, remove, back } of steps) {
            const base = back === undefined ? versions.length - 1 : Math.min(back, versions.length - 1);
            const before = versions[base] ?? new Map<string, string>();
            const after = new Map([...before].filter(([id]) => !remove.includes(id)));
            for (const [id, expected] of add) after.set(id, expected);
            const result = await change(
              add.map(([id, expected]) => item(id, expected)),
              { remove, ...(back !== undefined && { base }) },
            );
            if (result?.version.version === versions.length) versions.push(after);
            expect(result?.version.item_count).toBe(versions.at(-1)?.size);
            expect([...(versions.at(-1) ?? [])].sort()).toEqual([...after].sort());
          }
          for (const [version, expected] of versions.entries()) {
            const read = await store.datasets.readItems(account, 'd', version, ['a', 'b', 'c', 'd']);
            expect(read.map(({ id, expected: value }) => [id, value]).sort()).toEqual([...expected].sort());
            expect((await ids(version)).sort()).toEqual([...expected.keys()].sort());
          }
        }),
        { numRuns: 20 },
      );
    });
  });
}
