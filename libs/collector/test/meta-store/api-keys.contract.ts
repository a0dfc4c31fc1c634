import type { MetaStore } from '../../src/storage/meta-store.js';
import { addAccount, addKey, at, hash } from './meta-store-account.js';

export function describeApiKeys(opened: () => MetaStore): void {
  describe('API keys', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    it('finds a key by its hash alone', async () => {
      await addKey(store, 'k-found', account);
      const found = await store.apiKeys.findByHash(hash('k-found'));
      expect(found).toMatchObject({ id: 'k-found', accountId: account, isRevoked: false });
      expect(found?.scopes).toEqual(['ingest', 'read']);
      expect(Buffer.from(found?.hash ?? []).equals(hash('k-found'))).toBe(true);
      expect(await store.apiKeys.findByHash(hash('k-unknown'))).toBeUndefined();
      expect(await store.apiKeys.hasAny()).toBe(true);
    });

    it('lists keys in use with their last use', async () => {
      await addKey(store, 'k-1', account);
      await store.apiKeys.markUsed('k-1', at(9));
      expect(await store.apiKeys.list(account)).toEqual([
        {
          ...{ id: 'k-1', name: 'n', hint: 'h', scopes: ['ingest', 'read'] },
          ...{ created_at: at(1), last_used_at: at(9) },
        },
      ]);
    });

    it('revokes a key of its account once, and remembers it', async () => {
      await addKey(store, 'k-2', account);
      expect(await store.apiKeys.revoke('acc_other', 'k-2', at(2))).toBe(false);
      expect(await store.apiKeys.revoke(account, 'k-2', at(2))).toBe(true);
      expect(await store.apiKeys.revoke(account, 'k-2', at(3))).toBe(false);
      expect(await store.apiKeys.list(account)).toEqual([]);
      expect(await store.apiKeys.findByHash(hash('k-2'))).toMatchObject({ isRevoked: true });
    });
  });
}
