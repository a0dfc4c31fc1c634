import type { MetaStore } from '../../storage/meta/meta-store.js';
import type { SkippedSpan } from '../../storage/meta/skipped-spans.js';
import { addAccount, at, deleteAccount } from './meta-store-account.js';

export function describeSkippedSpans(opened: () => MetaStore): void {
  describe('skipped spans', () => {
    let store: MetaStore;
    let account: string;

    const root: SkippedSpan = { traceId: 't1', id: 'root' };
    const child: SkippedSpan = { traceId: 't1', id: 'child', parentId: 'root' };
    const other: SkippedSpan = { traceId: 't2', id: 'root' };

    async function list(...traceIds: string[]): Promise<SkippedSpan[]> {
      const spans = await store.skippedSpans.list(account, traceIds);
      return spans.sort((one, another) => (one.traceId + one.id < another.traceId + another.id ? -1 : 1));
    }

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    it('are listed by trace, with their parents', async () => {
      await store.skippedSpans.add(account, [root, child, other], at(1));
      expect(await list('t1')).toEqual([child, root]);
      expect(await list('t1', 't2', 'unknown')).toEqual([child, root, other]);
      expect(await list()).toEqual([]);
    });

    it('of several requests add up', async () => {
      await store.skippedSpans.add(account, [root], at(1));
      await store.skippedSpans.add(account, [child], at(2));
      await store.skippedSpans.add(account, [], at(3));
      expect(await list('t1')).toEqual([child, root]);
    });

    it('are separate for each account, and deleted with it', async () => {
      const another = await addAccount(store);
      await store.skippedSpans.add(account, [root], at(1));
      expect(await store.skippedSpans.list(another, ['t1'])).toEqual([]);
      await store.skippedSpans.add(another, [child], at(1));
      await deleteAccount(store, another);
      expect(await store.skippedSpans.list(another, ['t1'])).toEqual([]);
      expect(await list('t1')).toEqual([root]);
    });

    it('are forgotten after a time', async () => {
      await store.skippedSpans.add(account, [root], at(10));
      await store.skippedSpans.add(account, [child], at(20));
      await store.skippedSpans.forget(at(20));
      expect(await list('t1')).toEqual([child]);
    });

    it('are forgotten beyond a number of rows, the oldest first', async () => {
      for (const span of [root, child, other]) await store.skippedSpans.add(account, [span], at(30));
      await store.skippedSpans.forget(at(0), 2);
      expect(await list('t1', 't2')).toEqual([child, other]);
    });
  });
}
