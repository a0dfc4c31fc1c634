import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, addKey, at, hash, newKey } from './meta-store-account.js';

export function describeApiKeys(opened: () => MetaStore): void {
  describe('API keys', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    it('finds a key by its hash', async () => {
      await addKey(store, 'k-found', account);
      const found = await store.apiKeys.findByHash(hash('k-found'));
      expect(found).toMatchObject({ id: 'k-found', accountId: account, isRevoked: false, hasAccount: true });
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
          id: 'k-1',
          name: 'n',
          hint: 'h',
          scopes: ['ingest', 'read'],
          created_at: at(1),
          last_used_at: at(9),
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

    it('keeps when a key expires, and how often it may ask', async () => {
      await addKey(store, 'k-3', account, { expiresAt: at(5), requestsPerMinute: 60 });
      expect(await store.apiKeys.findByHash(hash('k-3'))).toMatchObject({
        expiresAt: at(5),
        requestsPerMinute: 60,
        isRevoked: false,
      });
      expect(await store.apiKeys.list(account)).toMatchObject([
        { id: 'k-3', expires_at: at(5), requests_per_minute: 60 },
      ]);
    });

    it('replaces a key in use once, which then ends with the overlap or before it', async () => {
      await addKey(store, 'k-4', account);
      await addKey(store, 'k-5', account, { expiresAt: at(6) });
      const successor = (id: string) => newKey(id, account, { createdAt: at(3) });
      expect(await store.apiKeys.replace('k-4', successor('k-6'), at(8))).toBe(true);
      expect(await store.apiKeys.replace('k-5', successor('k-7'), at(8))).toBe(true);
      const listed = await store.apiKeys.list(account);
      expect(listed.map(({ id, expires_at, replaced_by }) => [id, expires_at, replaced_by])).toEqual([
        ['k-4', at(8), 'k-6'],
        ['k-5', at(6), 'k-7'],
        ['k-6', undefined, undefined],
        ['k-7', undefined, undefined],
      ]);
    });

    it('replaces no key of another account, that is over, or that was replaced', async () => {
      await addKey(store, 'k-8', account, { expiresAt: at(2) });
      for (const id of ['k-9', 'k-10', 'k-11']) await addKey(store, id, account);
      await store.apiKeys.revoke(account, 'k-9', at(2));
      const replace = (id: string, by: string, owner = account) =>
        store.apiKeys.replace(id, newKey(by, owner, { createdAt: at(3) }), at(8));
      expect(await replace('k-8', 'k-12')).toBe(false);
      expect(await replace('k-9', 'k-12')).toBe(false);
      expect(await replace('k-none', 'k-12')).toBe(false);
      expect(await replace('k-10', 'k-12', await addAccount(store))).toBe(false);
      const both = await Promise.all([replace('k-11', 'k-13'), replace('k-11', 'k-14')]);
      expect(both.filter(Boolean)).toHaveLength(1);
      expect(await store.apiKeys.findByHash(hash('k-12'))).toBeUndefined();
      expect((await store.apiKeys.list(account)).map(({ id }) => id)).toHaveLength(4);
    });
  });
}
