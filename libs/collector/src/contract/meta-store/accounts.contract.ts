import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, addKey, addSession, at, hash } from './meta-store-account.js';

export function describeAccounts(opened: () => MetaStore): void {
  describe('accounts', () => {
    let store: MetaStore;
    let account: string;
    let first: string | undefined;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      first ??= account;
    });

    it('finds an account, and the first account', async () => {
      expect(await store.accounts.find(account)).toEqual({
        id: account,
        name: 'n',
        created_at: expect.any(String),
      });
      expect((await store.accounts.findFirst())?.id).toBe(first);
      expect(await store.accounts.find('acc_none')).toBeUndefined();
    });

    it('deletes an account with all its data, and keeps its keys without their names', async () => {
      await addKey(store, 'k-kept', account);
      await addSession(store, 'session', account);
      await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', createdAt: at(1) }, []);
      await store.indexes.create(account, {
        index_id: 'scrape_1',
        name: 'i',
        type: 'SDK',
        createdAt: at(1),
      });
      expect(await store.accounts.delete(account)).toBe(true);
      expect(await store.accounts.find(account)).toBeUndefined();
      expect(await store.signIns.findSession(hash('session'), at(1))).toBeUndefined();
      while (!(await store.accounts.deleteOwned(account, 1)));
      expect(await store.testRuns.find(account, 'r')).toBeUndefined();
      expect(await store.indexes.list(account)).toEqual([]);
      const key = { accountId: account, isRevoked: false, hasAccount: false };
      expect(await store.apiKeys.findByHash(hash('k-kept'))).toMatchObject(key);
      expect(await store.accounts.delete(account)).toBe(false);
      expect((await store.apiKeys.list(account)).map(({ name }) => name)).toEqual(['']);
    });
  });
}
