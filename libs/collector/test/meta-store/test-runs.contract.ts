import type { TestRunItemRecord } from '@dacapo/protocol';
import type { MetaStore } from '../../src/storage/meta-store.js';
import { NO_TOTALS } from '../../src/storage/test-run-store.js';
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
        heartbeat_at: at(1),
        totals: { ...NO_TOTALS, items: 3, same: 2, changed: 1 },
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
      const ids = (runs: { id: string }[]) => runs.map(({ id }) => id);
      expect(ids(await store.testRuns.list(account, {}, PAGE))).toEqual(['c', 'b', 'a']);
      const ofKey = { traceFunctionKey: 'k' };
      expect(ids(await store.testRuns.list(account, ofKey, { limit: 1 }))).toEqual(['b']);
      expect(ids(await store.testRuns.list(account, ofKey, { limit: 2, after: [at(2), 'b'] }))).toEqual([
        'a',
      ]);
    });

    it('gives items back as they were, by number, page by page', async () => {
      await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', createdAt: at(1) });
      const items = [item(0, 'same'), item(2, 'changed'), item(5, 'error')];
      await store.testRuns.putItems(account, 'r', items.toReversed());
      const rows = await store.testRuns.listItems(account, 'r', { limit: 2 });
      expect(rows.map(({ item_no }) => item_no)).toEqual([0, 2]);
      expect(rows[0]?.payload_bytes).toBe(Buffer.byteLength(JSON.stringify(items[0])));
      expect(await store.testRuns.listItems(account, 'r', { limit: 2, after: 2 })).toMatchObject([
        { item_no: 5 },
      ]);
      expect(await store.testRuns.readItems(account, 'r', [0, 1, 5])).toEqual([items[0], items[2]]);
      expect(await store.testRuns.listItems('acc_other', 'r', PAGE)).toEqual([]);
      expect(await store.testRuns.readItems('acc_other', 'r', [0])).toEqual([]);
    });
  });
}
