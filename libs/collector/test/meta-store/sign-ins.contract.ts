import type { MetaStore } from '../../src/storage/meta-store.js';
import { addAccount, at, hash } from './meta-store-account.js';

export function describeSignIns(opened: () => MetaStore): void {
  describe('sign-ins', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    it('gives a token away once, until it expires', async () => {
      await store.signIns.addToken(hash('t-1'), account, at(10));
      expect(await store.signIns.takeToken(hash('t-1'), at(9))).toBe(account);
      expect(await store.signIns.takeToken(hash('t-1'), at(9))).toBeUndefined();
      await store.signIns.addToken(hash('t-2'), account, at(10));
      expect(await store.signIns.takeToken(hash('t-2'), at(10))).toBeUndefined();
    });

    it('gives a token that two ask for at once to one of them', async () => {
      await store.signIns.addToken(hash('t-3'), account, at(10));
      const taken = await Promise.all([1, 2].map(() => store.signIns.takeToken(hash('t-3'), at(1))));
      expect(taken.filter((owner) => owner !== undefined)).toEqual([account]);
    });

    it('knows a session until it expires or ends', async () => {
      await store.signIns.addSession(hash('s-1'), account, at(10));
      await store.signIns.addSession(hash('s-2'), account, at(10));
      expect(await store.signIns.findSession(hash('s-1'), at(9))).toBe(account);
      expect(await store.signIns.findSession(hash('s-1'), at(10))).toBeUndefined();
      await store.signIns.deleteSession(hash('s-2'));
      expect(await store.signIns.findSession(hash('s-2'), at(9))).toBeUndefined();
      await store.signIns.deleteExpired(at(10));
      expect(await store.signIns.findSession(hash('s-1'), at(9))).toBeUndefined();
    });
  });
}
