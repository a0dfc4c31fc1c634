import type { NewShareLink } from '../../storage/meta/share-links.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, at, deleteAccount, hash } from './meta-store-account.js';

export function describeShareLinks(opened: () => MetaStore): void {
  describe('share links', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const secretOf = (id: string): Uint8Array => hash(`link ${id} of ${account}`);
    const create = (id: string, more: Partial<NewShareLink> = {}, most = 9): Promise<string> =>
      store.shareLinks.create(
        secretOf(id),
        {
          id: `${id} of ${account}`,
          accountId: account,
          of: { traceId: `trace ${id}` },
          payloads: false,
          createdAt: at(1),
          expiresAt: at(10),
          ...more,
        },
        most,
      );
    const find = (id: string, second = 2) => store.shareLinks.find(secretOf(id), at(second));
    const ids = async (second = 2): Promise<string[]> =>
      (await store.shareLinks.list(account, at(second))).map(({ id }) => id.split(' ')[0] ?? '');

    it('are found by their secrets until they expire', async () => {
      expect(await create('a', { payloads: true })).toBe('created');
      expect(await create('b', { of: { testRunId: 'run' }, createdBy: 'Ann', createdAt: at(2) })).toBe(
        'created',
      );
      expect(await find('a')).toEqual({
        id: `a of ${account}`,
        accountId: account,
        of: { traceId: 'trace a' },
        payloads: true,
        expiresAt: at(10),
      });
      expect(await find('b', 9)).toMatchObject({ of: { testRunId: 'run' }, payloads: false });
      expect(await find('a', 10)).toBeUndefined();
      expect(await find('c')).toBeUndefined();
      expect(await store.shareLinks.list(account, at(2))).toEqual([
        {
          id: `b of ${account}`,
          test_run_id: 'run',
          payloads: false,
          created_by: 'Ann',
          created_at: at(2),
          expires_at: at(10),
        },
        { id: `a of ${account}`, trace_id: 'trace a', payloads: true, created_at: at(1), expires_at: at(10) },
      ]);
      expect(await ids(10)).toEqual([]);
    });

    it('stay within the maximum number, without expired ones', async () => {
      expect(await create('a', { expiresAt: at(3) }, 1)).toBe('created');
      expect(await create('b', { createdAt: at(2) }, 1)).toBe('too_many');
      expect(await create('b', { createdAt: at(3) }, 1)).toBe('created');
    });

    it('are noted as opened once in a while', async () => {
      await create('a');
      const open = (second: number, notSince: number) =>
        store.shareLinks.markOpened(`a of ${account}`, at(second), at(notSince));
      expect(await open(3, 0)).toBe(true);
      expect(await open(4, 2)).toBe(false);
      expect(await open(5, 3)).toBe(true);
      expect(await store.shareLinks.list(account, at(5))).toMatchObject([{ last_opened_at: at(5) }]);
      expect(await store.shareLinks.markOpened('none', at(5), at(3))).toBe(false);
    });

    it('are noted as opened once when several open them at the same time', async () => {
      await create('a');
      const opened = await Promise.all(
        [3, 3, 3].map((second) => store.shareLinks.markOpened(`a of ${account}`, at(second), at(2))),
      );
      expect(opened.filter(Boolean)).toHaveLength(1);
    });

    it('are deleted by their account alone', async () => {
      await create('a');
      expect(await store.shareLinks.delete('acc_other', `a of ${account}`)).toBe(false);
      expect(await store.shareLinks.delete(account, `a of ${account}`)).toBe(true);
      expect(await store.shareLinks.delete(account, `a of ${account}`)).toBe(false);
      expect(await find('a')).toBeUndefined();
    });

    it('end with their traces, and none is created for a deleted trace', async () => {
      await create('a');
      await create('b');
      await store.scores.deleteOfTraces(account, ['trace a'], { forgetAt: at(100) });
      expect(await ids()).toEqual(['b']);
      expect(await find('a')).toBeUndefined();
      expect(await create('c', { of: { traceId: 'trace a' } })).toBe('deleted');
      expect(await ids()).toEqual(['b']);
    });

    it('end with their account, and no others do', async () => {
      await create('a');
      const left = account;
      account = await addAccount(store);
      await create('a');
      await deleteAccount(store, left);
      expect(await store.shareLinks.list(left, at(2))).toEqual([]);
      expect(await store.shareLinks.find(hash(`link a of ${left}`), at(2))).toBeUndefined();
      expect(await ids()).toEqual(['a']);
    });
  });
}
