import type { TestRunItemRecord } from '@dacapo/protocol';
import type { MetaStore } from '../../src/storage/meta-store.js';
import { PAGE, addAccount, at } from './meta-store-account.js';

export function describeTestRuns(opened: () => MetaStore): void {
  describe('test runs', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const item = (item_no: number, verdict: TestRunItemRecord['verdict']): TestRunItemRecord => ({
      item_no,
      source_trace_id: 't',
      source_span_id: 's',
      verdict,
      result: { text: 'x' },
      input: [1],
      original_output: null,
    });

    it('counts verdicts and keeps the time of the first finish', async () => {
      await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', name: 'n', createdAt: at(1) });
      await store.testRuns.putItems(account, 'r', [item(0, 'same'), item(1, 'error'), item(2, 'changed')]);
      await store.testRuns.putItems(account, 'r', [item(1, 'same')]);
      await store.testRuns.finish(account, 'r', at(2));
      await store.testRuns.finish(account, 'r', at(3));
      expect(await store.testRuns.find(account, 'r')).toEqual({
        id: 'r',
        trace_function_key: 'k',
        name: 'n',
        status: 'finished',
        created_at: at(1),
        finished_at: at(2),
        totals: { items: 3, same: 2, changed: 1, error: 0 },
      });
    });

    it('lists runs with the newest first, by key, page by page', async () => {
      for (const [id, key, second] of [
        ['a', 'k', 1],
        ['b', 'k', 2],
        ['c', 'other', 3],
      ] as const) {
        await store.testRuns.create(account, { id, traceFunctionKey: key, createdAt: at(second) });
      }
      const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
      expect(ids(await store.testRuns.list(account, {}, PAGE))).toEqual(['c', 'b', 'a']);
      const first = await store.testRuns.list(account, { traceFunctionKey: 'k' }, { limit: 1 });
      expect(ids(first)).toEqual(['b']);
      const cursor = first.next_cursor ?? '';
      const second = await store.testRuns.list(account, { traceFunctionKey: 'k' }, { limit: 1, cursor });
      expect(ids(second)).toEqual(['a']);
      expect(second.next_cursor).toBeUndefined();
    });

    it('gives items back as they were, by number, page by page', async () => {
      await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', createdAt: at(1) });
      const items = [item(0, 'same'), item(2, 'changed'), item(5, 'error')];
      await store.testRuns.putItems(account, 'r', items.toReversed());
      const first = await store.testRuns.listItems(account, 'r', { limit: 2 });
      expect(first.items).toEqual(items.slice(0, 2));
      const rest = await store.testRuns.listItems(account, 'r', {
        limit: 2,
        cursor: first.next_cursor ?? '',
      });
      expect(rest).toEqual({ items: items.slice(2) });
      expect(await store.testRuns.listItems('acc_other', 'r', PAGE)).toEqual({ items: [] });
    });
  });
}
