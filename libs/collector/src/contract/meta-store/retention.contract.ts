import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, deleteAccount } from './meta-store-account.js';

export function describeRetention(opened: () => MetaStore): void {
  describe('retention rules', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    it('start empty; each replaces the rule with the same key, and keys are sorted', async () => {
      expect(await store.retention.get(account)).toEqual({ keys: [] });
      await store.retention.set(account, 'b', 7);
      await store.retention.set(account, undefined, 30);
      await store.retention.set(account, 'é', 9);
      await store.retention.set(account, 'B', 8);
      await store.retention.set(account, 'b', 1);
      await store.retention.set(account, undefined, 36_500);
      expect(await store.retention.get(account)).toEqual({
        days: 36_500,
        keys: [
          { trace_function_key: 'B', days: 8 },
          { trace_function_key: 'b', days: 1 },
          { trace_function_key: 'é', days: 9 },
        ],
      });
    });

    it('are removed one by one, also when there is none', async () => {
      await store.retention.set(account, undefined, 30);
      await store.retention.set(account, 'k', 7);
      await store.retention.set(account, undefined, null);
      const keys = [{ trace_function_key: 'k', days: 7 }];
      expect(await store.retention.get(account)).toEqual({ keys });
      await store.retention.set(account, undefined, null);
      await store.retention.set(account, 'other', null);
      expect(await store.retention.get(account)).toEqual({ keys });
      await store.retention.set(account, 'k', null);
      expect(await store.retention.get(account)).toEqual({ keys: [] });
    });

    it('list the accounts that have one, each once, and are deleted with them', async () => {
      const [other, none] = [await addAccount(store), await addAccount(store)];
      await store.retention.set(account, undefined, 30);
      await store.retention.set(account, 'k', 7);
      await store.retention.set(other, 'k', 7);
      await store.retention.set(none, 'k', 7);
      await store.retention.set(none, 'k', null);
      const listed = async (): Promise<string[]> => {
        const accounts = new Set([account, other, none]);
        return (await store.retention.listAccounts()).filter((id) => accounts.has(id)).sort();
      };
      expect(await listed()).toEqual([account, other]);
      await deleteAccount(store, account);
      expect(await listed()).toEqual([other]);
      expect(await store.retention.get(account)).toEqual({ keys: [] });
      expect(await store.retention.get(other)).toMatchObject({ keys: [{ trace_function_key: 'k' }] });
    });
  });
}
