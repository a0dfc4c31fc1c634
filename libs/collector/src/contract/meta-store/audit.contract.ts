import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, addKey, at, deleteAccount } from './meta-store-account.js';

export function describeAudit(opened: () => MetaStore): void {
  describe('the audit log', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const noted = async (owner = account): Promise<(string | undefined)[]> =>
      (await store.audit.list(owner, { limit: 9 })).map(({ entry }) => entry.object);
    const note = (object: string, second: number, owner = account): Promise<void> =>
      store.audit.add(owner, { at: at(second), action: 'dataset.create', object });

    it('lists who did what, newest first, page by page', async () => {
      await addKey(store, 'k-audit', account);
      await store.audit.add(account, { at: at(1), action: 'browser.sign_in', sessionId: 's' });
      await store.audit.add(account, {
        at: at(2),
        action: 'api_key.revoke',
        object: 'x',
        keyId: 'k-audit',
        sessionId: 's',
      });
      await store.audit.add(account, { at: at(2), action: 'api_key.create', keyId: 'k-gone' });
      await store.audit.add(account, {
        at: at(3),
        action: 'dataset.create',
        sessionId: 's',
        member: { id: 'gone', name: 'Ann' },
      });
      const listed = await store.audit.list(account, { limit: 3 });
      expect(listed.map(({ entry }) => entry)).toEqual([
        {
          at: at(3),
          action: 'dataset.create',
          browser_session_id: 's',
          member: { id: 'gone', name: 'Ann' },
        },
        { at: at(2), action: 'api_key.create', api_key: { id: 'k-gone', name: '', hint: '' } },
        {
          at: at(2),
          action: 'api_key.revoke',
          object: 'x',
          browser_session_id: 's',
          api_key: { id: 'k-audit', name: 'n', hint: 'h' },
        },
      ]);
      const rest = await store.audit.list(account, { limit: 2, after: [listed[2]!.no] });
      expect(rest.map(({ entry }) => entry)).toEqual([
        { at: at(1), action: 'browser.sign_in', browser_session_id: 's' },
      ]);
    });

    it('keeps accounts apart, and is deleted with its account', async () => {
      const other = await addAccount(store);
      await note('mine', 1);
      await note('yours', 1, other);
      expect([await noted(), await noted(other)]).toEqual([['mine'], ['yours']]);
      await deleteAccount(store, account);
      expect([await noted(), await noted(other)]).toEqual([[], ['yours']]);
    });

    it('deletes expired entries, and keeps only the newest entries of each account', async () => {
      const other = await addAccount(store);
      for (const second of [1, 5, 6, 7]) await note(`at ${second}`, second);
      await note('at 5', 5, other);
      await store.audit.prune(at(5), 9);
      expect([await noted(), await noted(other)]).toEqual([['at 7', 'at 6', 'at 5'], ['at 5']]);
      await store.audit.prune(at(0), 2);
      expect([await noted(), await noted(other)]).toEqual([['at 7', 'at 6'], ['at 5']]);
    });
  });
}
