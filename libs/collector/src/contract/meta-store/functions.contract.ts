import type { Activation } from '../../storage/meta/functions.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, at, deleteAccount } from './meta-store-account.js';

export function describeFunctions(opened: () => MetaStore): void {
  describe('functions', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const add = (source: string, name = 'F', owner = account): Promise<number> =>
      store.functions.addVersion(owner, { name, source, entry: 'F', createdAt: at(1) });

    const activate = (
      version: number,
      more: Partial<Activation> & { name?: string; owner?: string } = {},
    ) => {
      const { name = 'F', owner = account, ...rest } = more;
      return store.functions.activate(owner, name, { version, activatedAt: at(2), ...rest });
    };

    it('notes when each version became active, once while it stays so, the newest first', async () => {
      for (const source of ['one', 'two', 'three']) await add(source);
      for (const [second, version] of [1, 3, 3, 1].entries())
        await activate(version, { activatedAt: at(10 + second) });
      const versions = await store.functions.listVersions(account, 'F');
      expect(versions.map(({ version, activated_at }) => [version, activated_at])).toEqual([
        [3, [at(11)]],
        [2, []],
        [1, [at(13), at(10)]],
      ]);
    });

    it('activates nothing if another version is active than the one to replace', async () => {
      for (const source of ['one', 'two', 'three']) await add(source);
      expect(await activate(1, { replaces: 2 })).toBe('replaced');
      await activate(2);
      expect(await activate(1, { replaces: 3 })).toBe('replaced');
      expect(await store.functions.findVersion(account, 'F', 'active')).toMatchObject({ version: 2 });
      expect(await activate(1, { replaces: 2 })).toBe('active');
    });

    it('numbers the versions of each function from 1, even if several are added at once', async () => {
      expect(await add('one')).toBe(1);
      expect((await Promise.all([add('two'), add('three'), add('four')])).sort()).toEqual([2, 3, 4]);
      expect(await add('other', 'G')).toBe(1);
    });

    it('has no active version until one is activated, and one at a time afterwards', async () => {
      await add('one');
      await add('two');
      expect(await store.functions.findVersion(account, 'F', 'active')).toBeUndefined();
      expect(await store.functions.list(account)).toEqual([]);
      expect(await activate(2)).toBe('active');
      expect(await activate(1)).toBe('active');
      expect(await activate(3)).toBe('unknown');
      expect(await store.functions.findVersion(account, 'F', 'active')).toMatchObject({
        version: 1,
        source: 'one',
      });
      expect((await store.functions.listVersions(account, 'F')).map(({ is_active }) => is_active)).toEqual([
        false,
        true,
      ]);
    });

    it('returns a version as it was added', async () => {
      await store.functions.addVersion(account, {
        name: 'F',
        source: '#"{{ x }}"#',
        entry: 'E',
        note: 'n',
        createdAt: at(5),
      });
      expect(await store.functions.findVersion(account, 'F', 1)).toEqual({
        name: 'F',
        version: 1,
        source: '#"{{ x }}"#',
        entry: 'E',
        note: 'n',
        created_at: at(5),
        is_active: false,
      });
      await add('newer');
      expect(await store.functions.findVersion(account, 'F', 'newest')).toMatchObject({
        version: 2,
        source: 'newer',
      });
      expect(await store.functions.findVersion(account, 'F', 3)).toBeUndefined();
    });

    it('lists functions by name', async () => {
      for (const name of ['b', 'a']) {
        await add('x', name);
        await activate(1, { name });
      }
      await add('y', 'b');
      expect(await store.functions.list(account)).toMatchObject([
        { name: 'a', active_version: 1, version_count: 1 },
        { name: 'b', active_version: 1, version_count: 2 },
      ]);
    });

    it('keeps accounts apart, and is deleted with its account', async () => {
      const other = await addAccount(store);
      await add('mine');
      await activate(1);
      expect(await store.functions.findVersion(other, 'F', 1)).toBeUndefined();
      expect(await add('theirs', 'F', other)).toBe(1);
      expect(await activate(2, { owner: other })).toBe('unknown');
      await deleteAccount(store, account);
      expect(await store.functions.findVersion(account, 'F', 1)).toBeUndefined();
      expect(await store.functions.findVersion(other, 'F', 1)).toMatchObject({ source: 'theirs' });
    });
  });
}
