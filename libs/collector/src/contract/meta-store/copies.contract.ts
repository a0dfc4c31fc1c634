import { newSpanId, newTraceId, type TestRunItemRecord } from '@dacapo/protocol';
import type { RunItemsOf } from '../../storage/ports/copies.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import type { NewTestRun, SelectedRef, StoredItem } from '../../storage/ports/test-run.js';
import { addAccount, at, PAGE } from './meta-store-account.js';

const FORGET_AT = '2999-01-01T00:00:00.000000Z';
const FLAGS = {
  fixed: true,
  failing_as_before: false,
  new_error: false,
  accepted: false,
  diverged: true,
  flaky: false,
};

export function describeCopies(opened: () => MetaStore): void {
  describe('copies of traces', () => {
    let store: MetaStore;
    let account: string;
    let stranger: string;
    let [deleted, kept] = ['', ''];

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      stranger = await addAccount(store);
      [deleted, kept] = [newTraceId(), newTraceId()];
    });

    const addRun = (
      id: string,
      selected: SelectedRef[],
      more: Partial<NewTestRun> = {},
      owner = account,
    ): Promise<void> =>
      store.testRuns.create(owner, { id, traceFunctionKey: 'k', createdAt: at(1), ...more }, selected);
    const item = (item_no: number, more: Partial<TestRunItemRecord> = {}): StoredItem => {
      const verdict = 'changed';
      const itemFields = { item_no, verdict, ...more } as const;
      return {
        record: { ...itemFields, input: ['said'], result: 'said', duration_ms: 5 },
        summary: { ...itemFields, scores: [{ name: 'kind', value: 'said' }], divergence_count: 2 },
        flags: FLAGS,
        isPending: true,
      };
    };
    const itemFields = (trace: string) => ({ source_trace_id: trace, source_span_id: newSpanId() });
    const put = (runId: string, ...items: StoredItem[]): Promise<boolean> =>
      store.testRuns.putItems(account, runId, items);
    const read = async (runId: string): Promise<TestRunItemRecord[]> => {
      const keys = (await store.testRuns.listItems(account, runId, {}, PAGE)).map(
        ({ summary: { item_no, repetition = 0 } }) => [item_no, repetition] as const,
      );
      const items = await store.testRuns.readItems(account, runId, keys);
      return items.map(({ record }) => record).sort((left, right) => left.item_no - right.item_no);
    };
    /** Numbers of the items that are listed, in their order. */
    const listed = async (of: RunItemsOf, owner = account, most = 50): Promise<string[]> =>
      (await store.copies.listRunItems(owner, of, most))
        .map(({ testRunId, item: key }) => `${testRunId}/${key.join('/')}`)
        .sort();
    const addItems = async (name: string, ...sources: Record<string, unknown>[]): Promise<void> => {
      await store.datasets.create(account, { name, createdAt: at(1) });
      const items = sources.map((source, place) => ({
        item: { id: `${name}-${place}`, input: ['said'], expected: 'said', source },
      }));
      const add = (async function* () {
        yield await Promise.resolve(items);
      })();
      await store.datasets.change(account, name, { add, remove: [], createdAt: at(2) });
    };
    const listIds = async (name: string): Promise<string[]> =>
      (await store.datasets.listItems(account, name, 1, {}, PAGE)).map(({ id }) => id);
    const readItems = async (name: string) => store.datasets.readItems(account, name, 1, await listIds(name));
    const eraseAll = async (owner = account): Promise<{ datasetItems: number; acceptedOutcomes: number }> => {
      const sum = { datasetItems: 0, acceptedOutcomes: 0 };
      for (let isDone = false; !isDone;) {
        const part = await store.copies.eraseCopies(owner, [deleted], { forgetAt: FORGET_AT, most: 1 });
        sum.datasetItems += part.datasetItems;
        sum.acceptedOutcomes += part.acceptedOutcomes;
        isDone = part.isDone;
      }
      return sum;
    };
    const accept = (source: string, testRunId: string, key: readonly [number, number]): Promise<void> =>
      store.accepted.add(account, {
        traceFunctionKey: 'k',
        source,
        testRunId,
        item: key,
        outcome: { output: 'said' },
        acceptance: { author: { kind: 'person', name: 'ann' }, accepted_at: at(1) },
      });
    const inForce = async (...sources: string[]): Promise<string[]> =>
      [...(await store.accepted.findInForce(account, 'k', sources)).keys()].sort();

    it('in datasets lose their content and keep their place, in any number of steps', async () => {
      const run = { test_run_id: 'made', item_no: 3 };
      await addRun('made', []);
      await put('made', item(3, { new_trace_id: deleted }));
      await addItems(
        'd',
        { trace_id: deleted },
        { trace_id: kept },
        { trace_id: deleted, span_id: 's' },
        run,
      );
      const [, untouched] = await readItems('d');
      expect(await eraseAll(stranger)).toEqual({ datasetItems: 0, acceptedOutcomes: 0 });
      expect(await eraseAll()).toEqual({ datasetItems: 3, acceptedOutcomes: 0 });
      const erased = (id: string) => ({ id, input: [], erased: true });
      expect(await readItems('d')).toEqual([erased('d-0'), untouched, erased('d-2'), erased('d-3')]);
      const [first] = await store.datasets.listItems(account, 'd', 1, {}, PAGE);
      expect(first).not.toHaveProperty('trace_id');
      expect(await store.datasets.find(account, 'd')).toMatchObject({ latest_version: 1, item_count: 4 });
      expect(await eraseAll()).toEqual({ datasetItems: 0, acceptedOutcomes: 0 });
    });

    it('are erased with the outcomes accepted from the calls, from their copies, and from items that made the traces', async () => {
      await addItems('d', { trace_id: deleted }, { trace_id: kept });
      await addRun('r', []);
      await put('r', item(0, { new_trace_id: deleted }), item(1, { new_trace_id: kept }));
      const [calls, others] = [`call/${deleted}/s`, `call/${kept}/s`];
      await accept(calls, 'x', [0, 0]);
      await accept(others, 'x', [1, 0]);
      await accept('item/d-0', 'x', [2, 0]);
      await accept('item/d-1', 'x', [3, 0]);
      await accept('call/made/s', 'r', [0, 0]);
      await accept('call/other/s', 'r', [1, 0]);
      expect(await eraseAll(stranger)).toMatchObject({ acceptedOutcomes: 0 });
      expect(await eraseAll()).toEqual({ datasetItems: 1, acceptedOutcomes: 3 });
      const all = [calls, others, 'item/d-0', 'item/d-1', 'call/made/s', 'call/other/s'];
      expect(await inForce(...all)).toEqual(['call/other/s', others, 'item/d-1'].sort());
    });

    it('are not made again after they were erased', async () => {
      await eraseAll();
      await addItems('late', { trace_id: deleted }, { trace_id: kept });
      expect(await listIds('late')).toEqual(['late-1']);
      await addRun('r', []);
      await put(
        'r',
        item(0, itemFields(deleted)),
        item(1, { new_trace_id: deleted }),
        item(2, itemFields(kept)),
      );
      expect((await read('r')).map(({ erased }) => erased)).toEqual([true, true, undefined]);
    });

    it('include items of runs that replayed the traces or dataset items that hold them', async () => {
      await addRun('r', [{ item_no: 1, dataset_item_id: 'i', trace_id: deleted }]);
      const made = Array.from({ length: 3 }, () => newTraceId());
      await put(
        'r',
        item(0, { ...itemFields(deleted), ...(made[0] && { new_trace_id: made[0] }) }),
        item(1, { ...(made[1] && { new_trace_id: made[1] }) }),
        item(2, { ...itemFields(kept), ...(made[2] && { new_trace_id: made[2] }) }),
        item(3, itemFields(deleted)),
      );
      expect((await store.copies.listReplays(account, [deleted])).sort()).toEqual(made.slice(0, 2).sort());
      expect(await store.copies.listReplays(account, [newTraceId()])).toEqual([]);
      expect(await store.copies.listReplays(stranger, [deleted])).toEqual([]);
    });

    it('include items of runs that replayed or made the traces, and replayed datasets on request', async () => {
      await addRun('r', [
        { item_no: 1, dataset_item_id: 'i', trace_id: deleted },
        { item_no: 5, dataset_item_id: 'j', trace_id: deleted },
      ]);
      await put(
        'r',
        item(0, itemFields(deleted)),
        item(0, { ...itemFields(deleted), repetition: 1 }),
        item(1),
        item(2, { new_trace_id: deleted }),
        item(3, itemFields(kept)),
        item(4),
        item(5, itemFields(deleted)),
      );
      const traceIds = [deleted];
      const alone = { traceIds, withDatasets: false };
      expect(await listed(alone)).toEqual(['r/0/0', 'r/0/1', 'r/2/0']);
      const all = { traceIds, withDatasets: true };
      expect(await listed(all)).toEqual(['r/0/0', 'r/0/1', 'r/1/0', 'r/2/0', 'r/5/0']);
      expect(await listed(all, account, 2)).toHaveLength(2);
      expect(await listed(all, stranger)).toEqual([]);
    });

    it('are selected by the age of a run, its key, or all keys but some', async () => {
      const runs = [
        ['a', 'k', 1],
        ['b', 'k', 2],
        ['c', 'other', 1],
      ] as const;
      for (const [id, traceFunctionKey, second] of runs) {
        await addRun(id, [], { traceFunctionKey, createdAt: at(second) });
        await put(id, item(0));
      }
      const before = at(2);
      expect(await listed({ runs: { before } })).toEqual(['a/0/0', 'c/0/0']);
      expect(await listed({ runs: { before, traceFunctionKey: 'k' } })).toEqual(['a/0/0']);
      expect(await listed({ runs: { before, exceptKeys: ['k'] } })).toEqual(['c/0/0']);
      expect(await listed({ runs: { before: at(1) } })).toEqual([]);
      expect(await listed({ runs: { before } }, stranger)).toEqual([]);
    });

    it('keep number, verdict, flags and durations as run items, and are erased once', async () => {
      await addRun('r', []);
      await put(
        'r',
        item(0, { ...itemFields(deleted), repetition: 2, new_trace_id: kept }),
        item(1, itemFields(deleted)),
      );
      const ref = { testRunId: 'r', item: [0, 2] } as const;
      expect(await store.copies.eraseRunItems(stranger, [ref])).toBe(0);
      expect(await store.copies.eraseRunItems(account, [ref, { ...ref, item: [9, 0] }])).toBe(1);
      expect(await store.copies.eraseRunItems(account, [ref])).toBe(0);
      const [erased, other] = await read('r');
      const left = { item_no: 0, repetition: 2, verdict: 'changed', fixed: true, duration_ms: 5 };
      expect(erased).toEqual({ ...left, divergence_count: 2, erased: true });
      expect(other).toMatchObject({ item_no: 1, input: ['said'] });
      const [row] = await store.testRuns.listItems(account, 'r', {}, PAGE);
      expect(row?.summary).toEqual(erased);
      expect(await listed({ traceIds: [deleted, kept], withDatasets: true })).toEqual(['r/1/0']);
      expect(await store.testRuns.count(account, 'r')).toMatchObject({ items: 2, changed: 2, fixed: 2 });
      const pending = await store.testRuns.listItems(account, 'r', { isPending: true }, PAGE);
      expect(pending.map(({ summary }) => summary.item_no)).toEqual([1]);
    });

    it('exclude calls that a run will still replay, and include dataset items only on request', async () => {
      const of = (trace_id: string) => ({ trace_id, span_id: 's', accepted_no: 1 });
      await addRun('r', [
        { item_no: 0, ...of(deleted) },
        { item_no: 1, ...of(kept) },
        { item_no: 2, dataset_item_id: 'i', trace_id: deleted, span_id: 's' },
        { item_no: 3, ...of(deleted) },
      ]);
      const selected = () => store.testRuns.listSelected(account, 'r', { left: false }, { limit: 9 });
      const erase = async (withDatasets: boolean, owner = account): Promise<void> => {
        while (!(await store.copies.eraseSelected(owner, [deleted], { withDatasets, most: 1 })));
      };
      const before = await selected();
      await erase(true, stranger);
      expect(await selected()).toEqual(before);
      await erase(false);
      const [, second, third] = before;
      expect(await selected()).toEqual([{ item_no: 0 }, second, third, { item_no: 3 }]);
      await erase(true);
      const emptied = { item_no: 2, dataset_item_id: 'i' };
      expect(await selected()).toEqual([{ item_no: 0 }, second, emptied, { item_no: 3 }]);
    });

    it('leave no personal data in the options of runs', async () => {
      const request = { limit: 2, session_id: 'ann', metadata: { user: 'ann' }, text: 'ann' };
      const selection = { request, items: 0, missing: 0, skipped: {} };
      await addRun('old', [], { selection });
      await addRun('young', [], { selection, createdAt: at(5) });
      const readSelection = async (id: string) => (await store.testRuns.find(account, id))?.selection;
      await store.copies.eraseGroup(stranger, { by: 'session_id', id: 'ann' });
      await store.copies.eraseGroup(account, { by: 'session_id', id: 'bob' });
      await store.copies.closeRuns(stranger, { before: at(9) });
      expect([await readSelection('old'), await readSelection('young')]).toEqual([selection, selection]);
      await store.copies.closeRuns(account, { before: at(5) });
      const forgot = { ...selection, request: { limit: 2 } };
      expect([await readSelection('old'), await readSelection('young')]).toEqual([forgot, selection]);
      await store.copies.eraseGroup(account, { by: 'session_id', id: 'ann' });
      const withoutSession = { ...selection, request: { limit: 2, metadata: { user: 'ann' }, text: 'ann' } };
      expect(await readSelection('young')).toEqual(withoutSession);
    });

    it('of closed runs are not searched again', async () => {
      await addRun('old', []);
      await put('old', item(0));
      const runs = { before: at(9) };
      await store.copies.closeRuns(account, { ...runs, exceptKeys: ['k'] });
      expect(await listed({ runs })).toEqual(['old/0/0']);
      await store.copies.closeRuns(account, runs);
      expect(await listed({ runs })).toEqual([]);
    });
  });
}
