import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, addKey, addSession, at, hash } from './meta-store-account.js';

export function describeSignIns(opened: () => MetaStore): void {
  describe('sign-ins', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    it('exchanges a token once, until it expires', async () => {
      await store.signIns.addToken(hash('t-1'), account, at(10));
      expect(await store.signIns.takeToken(hash('t-1'), at(9))).toBe(account);
      expect(await store.signIns.takeToken(hash('t-1'), at(9))).toBeUndefined();
      await store.signIns.addToken(hash('t-2'), account, at(10));
      expect(await store.signIns.takeToken(hash('t-2'), at(10))).toBeUndefined();
    });

    it('exchanges a token once when two use it at the same time', async () => {
      await store.signIns.addToken(hash('t-3'), account, at(10));
      const taken = await Promise.all([1, 2].map(() => store.signIns.takeToken(hash('t-3'), at(1))));
      expect(taken.filter((owner) => owner !== undefined)).toEqual([account]);
    });

    it('accepts a session until it expires or ends', async () => {
      await addSession(store, 's-1', account);
      await addSession(store, 's-2', account);
      expect(await store.signIns.findSession(hash('s-1'), at(9))).toEqual({ id: 's-1', accountId: account });
      expect(await store.signIns.findSession(hash('s-1'), at(10))).toBeUndefined();
      expect(await store.signIns.deleteSession('acc_other', 's-2', at(9))).toBe(false);
      expect(await store.signIns.deleteSession(account, 's-2', at(9))).toBe(true);
      expect(await store.signIns.deleteSession(account, 's-2', at(9))).toBe(false);
      expect(await store.signIns.findSession(hash('s-2'), at(9))).toBeUndefined();
      await store.signIns.deleteExpired(at(10));
      expect(await store.signIns.findSession(hash('s-1'), at(9))).toBeUndefined();
    });

    it('gives a session the scopes of its key until the key is revoked', async () => {
      await addKey(store, 'k-opens', account);
      await addSession(store, 's-3', account, { keyId: 'k-opens' });
      expect(await store.signIns.findSession(hash('s-3'), at(9))).toEqual({
        id: 's-3',
        accountId: account,
        key: { id: 'k-opens', scopes: ['ingest', 'read'] },
      });
      await store.apiKeys.revoke(account, 'k-opens', at(5));
      expect(await store.signIns.findSession(hash('s-3'), at(9))).toBeUndefined();
      expect(await store.signIns.listSessions(account, at(9))).toEqual([]);
      expect(await store.signIns.deleteSession(account, 's-3', at(9))).toBe(false);
    });

    it('rejects the sessions of an expired key', async () => {
      await addKey(store, 'k-ends', account, { expiresAt: at(5), requestsPerMinute: 7 });
      await addSession(store, 's-11', account, { keyId: 'k-ends' });
      expect(await store.signIns.findSession(hash('s-11'), at(4))).toMatchObject({
        key: { id: 'k-ends', requestsPerMinute: 7 },
      });
      expect(await store.signIns.findSession(hash('s-11'), at(5))).toBeUndefined();
      expect(await store.signIns.listSessions(account, at(4))).toHaveLength(1);
      expect(await store.signIns.listSessions(account, at(5))).toEqual([]);
    });

    it('rejects the sessions of an unknown key', async () => {
      await addSession(store, 's-4', account, { keyId: 'k-never' });
      expect(await store.signIns.findSession(hash('s-4'), at(9))).toBeUndefined();
    });

    it('lists the active sessions of an account, newest first', async () => {
      const other = await addAccount(store);
      await addKey(store, 'k-lists', account);
      await addSession(store, 's-5', account, { keyId: 'k-lists', browser: 'Firefox on Linux' });
      await store.signIns.addSession(hash('s-6'), {
        id: 's-6',
        accountId: account,
        createdAt: at(2),
        expiresAt: at(8),
      });
      await addSession(store, 's-7', other);
      await store.signIns.markSessionUsed('s-5', at(4));
      const first = {
        id: 's-5',
        api_key: { id: 'k-lists', name: 'n', hint: 'h' },
        browser: 'Firefox on Linux',
        created_at: at(1),
        last_used_at: at(4),
        expires_at: at(10),
      };
      expect(await store.signIns.listSessions(account, at(7))).toEqual([
        { id: 's-6', created_at: at(2), expires_at: at(8) },
        first,
      ]);
      expect(await store.signIns.listSessions(account, at(8))).toEqual([first]);
    });

    it('ends all sessions of an account and no others', async () => {
      const other = await addAccount(store);
      for (const id of ['s-8', 's-9']) await addSession(store, id, account);
      await addSession(store, 's-10', other);
      expect(await store.signIns.deleteSessions(account, at(9))).toBe(2);
      expect(await store.signIns.deleteSessions(account, at(9))).toBe(0);
      expect(await store.signIns.listSessions(account, at(9))).toEqual([]);
      expect(await store.signIns.findSession(hash('s-10'), at(9))).toMatchObject({ accountId: other });
    });
  });
}
