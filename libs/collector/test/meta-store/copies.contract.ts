import { newSpanId, newTraceId, type TestRunItemRecord } from '@dacapo/protocol';
import type { RunItemsOf } from '../../src/storage/copy-store.js';
import type { MetaStore } from '../../src/storage/meta-store.js';
import type { NewTestRun, SelectedRef, StoredItem } from '../../src/storage/test-run-store.js';
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
    let [gone, kept] = ['', ''];

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
      stranger = await addAccount(store);
      [gone, kept] = [newTraceId(), newTraceId()];
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
      const played = { item_no, verdict, ...more } as const;
      return {
        record: { ...played, input: ['said'], result: 'said', duration_ms: 5 },
        summary: { ...played, scores: [{ name: 'kind', value: 'said' }], divergence_count: 2 },
        flags: FLAGS,
        isPending: true,
      };
    };
    const played = (trace: string) => ({ source_trace_id: trace, source_span_id: newSpanId() });
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
    const idsOf = async (name: string): Promise<string[]> =>
      (await store.datasets.listItems(account, name, 1, {}, PAGE)).map(({ id }) => id);
    const itemsOf = async (name: string) => store.datasets.readItems(account, name, 1, await idsOf(name));
    const eraseAll = async (owner = account): Promise<{ datasetItems: number; acceptedOutcomes: number }> => {
      const sum = { datasetItems: 0, acceptedOutcomes: 0 };
      for (let isDone = false; !isDone;) {
        const part = await store.copies.eraseCopies(owner, [gone], { forgetAt: FORGET_AT, most: 1 });
        sum.datasetItems += part.datasetItems;
        sum.acceptedOutcomes += part.acceptedOutcomes;
        isDone = part.isDone;
      }
      return sum;
    };
    const accept = (source: string, testRunId: string, key: readonly [number, number]): Promise<void> =>
      store.accepted.add(account, {
        ...{ traceFunctionKey: 'k', source, testRunId, item: key, outcome: { output: 'said' } },
        acceptance: { author: { kind: 'person', name: 'ann' }, accepted_at: at(1) },
      });
    const inForce = async (...sources: string[]): Promise<string[]> =>
      [...(await store.accepted.findInForce(account, 'k', sources)).keys()].sort();

    it('in datasets lose what they hold and keep their place, however many parts it takes', async () => {
      const run = { test_run_id: 'made', item_no: 3 };
      await addRun('made', []);
      await put('made', item(3, { new_trace_id: gone }));
      await addItems('d', { trace_id: gone }, { trace_id: kept }, { trace_id: gone, span_id: 's' }, run);
      const [, untouched] = await itemsOf('d');
      expect(await eraseAll(stranger)).toEqual({ datasetItems: 0, acceptedOutcomes: 0 });
      expect(await eraseAll()).toEqual({ datasetItems: 3, acceptedOutcomes: 0 });
      const erased = (id: string) => ({ id, input: [], erased: true });
      expect(await itemsOf('d')).toEqual([erased('d-0'), untouched, erased('d-2'), erased('d-3')]);
      const [first] = await store.datasets.listItems(account, 'd', 1, {}, PAGE);
      expect(first).not.toHaveProperty('trace_id');
      expect(await store.datasets.find(account, 'd')).toMatchObject({ latest_version: 1, item_count: 4 });
      expect(await eraseAll()).toEqual({ datasetItems: 0, acceptedOutcomes: 0 });
    });

    it('take with them what was accepted: of the calls, of copies of them, and of items that made the traces', async () => {
      await addItems('d', { trace_id: gone }, { trace_id: kept });
      await addRun('r', []);
      await put('r', item(0, { new_trace_id: gone }), item(1, { new_trace_id: kept }));
      const [calls, others] = [`call/${gone}/s`, `call/${kept}/s`];
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

    it('are not made again once they were erased', async () => {
      await eraseAll();
      await addItems('late', { trace_id: gone }, { trace_id: kept });
      expect(await idsOf('late')).toEqual(['late-1']);
      await addRun('r', []);
      await put('r', item(0, played(gone)), item(1, { new_trace_id: gone }), item(2, played(kept)));
      expect((await read('r')).map(({ erased }) => erased)).toEqual([true, true, undefined]);
    });

    it('were made by the runs that played the traces, or the items of datasets that hold them', async () => {
      await addRun('r', [{ item_no: 1, dataset_item_id: 'i', trace_id: gone }]);
      const made = Array.from({ length: 3 }, () => newTraceId());
      await put(
        'r',
        item(0, { ...played(gone), ...(made[0] && { new_trace_id: made[0] }) }),
        item(1, { ...(made[1] && { new_trace_id: made[1] }) }),
        item(2, { ...played(kept), ...(made[2] && { new_trace_id: made[2] }) }),
        item(3, played(gone)),
      );
      expect((await store.copies.listReplays(account, [gone])).sort()).toEqual(made.slice(0, 2).sort());
      expect(await store.copies.listReplays(account, [newTraceId()])).toEqual([]);
      expect(await store.copies.listReplays(stranger, [gone])).toEqual([]);
    });

    it('are items of runs that played or made the traces; those that played a dataset on request', async () => {
      await addRun('r', [
        { item_no: 1, dataset_item_id: 'i', trace_id: gone },
        { item_no: 5, dataset_item_id: 'j', trace_id: gone },
      ]);
      await put(
        'r',
        item(0, played(gone)),
        item(0, { ...played(gone), repetition: 1 }),
        item(1),
        item(2, { new_trace_id: gone }),
        item(3, played(kept)),
        item(4),
        item(5, played(gone)),
      );
      const traceIds = [gone];
      const alone = { traceIds, withDatasets: false };
      expect(await listed(alone)).toEqual(['r/0/0', 'r/0/1', 'r/2/0']);
      const all = { traceIds, withDatasets: true };
      expect(await listed(all)).toEqual(['r/0/0', 'r/0/1', 'r/1/0', 'r/2/0', 'r/5/0']);
      expect(await listed(all, account, 2)).toHaveLength(2);
      expect(await listed(all, stranger)).toEqual([]);
    });

    it('are items of runs that are old enough, of a key, or of all but some', async () => {
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

    it('keep number, verdict, flags and durations as items of runs, and are erased once', async () => {
      await addRun('r', []);
      await put('r', item(0, { ...played(gone), repetition: 2, new_trace_id: kept }), item(1, played(gone)));
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
      expect(await listed({ traceIds: [gone, kept], withDatasets: true })).toEqual(['r/1/0']);
      expect(await store.testRuns.count(account, 'r')).toMatchObject({ items: 2, changed: 2, fixed: 2 });
      const pending = await store.testRuns.listItems(account, 'r', { isPending: true }, PAGE);
      expect(pending.map(({ summary }) => summary.item_no)).toEqual([1]);
    });

    it('are no calls that a run is still to play, and items of datasets only on request', async () => {
      const of = (trace_id: string) => ({ trace_id, span_id: 's', accepted_no: 1 });
      await addRun('r', [
        { item_no: 0, ...of(gone) },
        { item_no: 1, ...of(kept) },
        { item_no: 2, dataset_item_id: 'i', trace_id: gone, span_id: 's' },
        { item_no: 3, ...of(gone) },
      ]);
      const selected = () => store.testRuns.listSelected(account, 'r', { left: false }, { limit: 9 });
      const erase = async (withDatasets: boolean, owner = account): Promise<void> => {
        while (!(await store.copies.eraseSelected(owner, [gone], { withDatasets, most: 1 })));
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

    it('leave no trace of a person in what runs were asked for', async () => {
      const request = { limit: 2, session_id: 'ann', metadata: { user: 'ann' }, text: 'ann' };
      const selection = { request, items: 0, missing: 0, skipped: {} };
      await addRun('old', [], { selection });
      await addRun('young', [], { selection, createdAt: at(5) });
      const asked = async (id: string) => (await store.testRuns.find(account, id))?.selection;
      await store.copies.eraseGroup(stranger, { by: 'session_id', id: 'ann' });
      await store.copies.eraseGroup(account, { by: 'session_id', id: 'bob' });
      await store.copies.closeRuns(stranger, { before: at(9) });
      expect([await asked('old'), await asked('young')]).toEqual([selection, selection]);
      await store.copies.closeRuns(account, { before: at(5) });
      const forgot = { ...selection, request: { limit: 2 } };
      expect([await asked('old'), await asked('young')]).toEqual([forgot, selection]);
      await store.copies.eraseGroup(account, { by: 'session_id', id: 'ann' });
      const withoutSession = { ...selection, request: { limit: 2, metadata: { user: 'ann' }, text: 'ann' } };
      expect(await asked('young')).toEqual(withoutSession);
    });

    it('of runs that were closed are not looked at again', async () => {
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
