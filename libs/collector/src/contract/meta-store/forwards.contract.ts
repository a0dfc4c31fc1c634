import type { WaitingForward } from '../../storage/meta/forwards.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import type { SpanRef } from '../../storage/ports/span-store.js';
import { addAccount, at, deleteAccount } from './meta-store-account.js';

export function describeForwards(opened: () => MetaStore): void {
  describe('spans that wait to be forwarded', () => {
    let store: MetaStore;
    let account: string;

    const refs = (...ids: string[]): SpanRef[] => ids.map((id) => ({ trace_id: `trace ${id}`, span_id: id }));
    /** Other suites of the store queue none. */
    const listed = async (after = 0): Promise<WaitingForward[]> => store.forwards.list(after, 10);

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      await store.forwards.remove((await store.forwards.list(0, 1000)).map(({ no }) => no));
    });

    it('are listed oldest first, in pages, with when they were queued', async () => {
      await store.forwards.add(account, refs('a', 'b'), at(2));
      await store.forwards.add(account, refs('c'), at(1));
      const [first, second] = await listed();
      expect(first).toEqual({
        no: first?.no,
        accountId: account,
        queuedAt: at(2),
        spans: refs('a', 'b'),
      });
      expect(second?.spans).toEqual(refs('c'));
      expect(await listed(first?.no)).toEqual([second]);
      expect(await store.forwards.list(0, 1)).toEqual([first]);
    });

    it('are counted with the time of the oldest, and removed by number, once or twice', async () => {
      expect(await store.forwards.measure()).toEqual({ spans: 0 });
      await store.forwards.add(account, refs('a', 'b'), at(2));
      await store.forwards.add(account, refs('c'), at(1));
      expect(await store.forwards.measure()).toEqual({ spans: 3, since: at(1) });
      const [first, second] = await listed();
      await store.forwards.remove([second?.no ?? NaN]);
      await store.forwards.remove([second?.no ?? NaN]);
      expect(await listed()).toEqual([first]);
      expect(await store.forwards.measure()).toEqual({ spans: 2, since: at(2) });
    });

    it('never get a number again', async () => {
      await store.forwards.add(account, refs('a'), at(1));
      const [first] = await listed();
      await store.forwards.remove([first?.no ?? NaN]);
      await store.forwards.add(account, refs('b'), at(1));
      const [second] = await listed();
      expect(second?.no).toBeGreaterThan(first?.no ?? NaN);
    });

    it('are deleted with their account', async () => {
      const other = await addAccount(store);
      await store.forwards.add(account, refs('a'), at(1));
      await store.forwards.add(other, refs('b'), at(1));
      await deleteAccount(store, account);
      expect((await listed()).map(({ accountId }) => accountId)).toEqual([other]);
    });
  });
}
