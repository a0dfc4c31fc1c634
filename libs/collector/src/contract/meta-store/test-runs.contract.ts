import type { TestRunItemRecord } from '@dacapo/protocol';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import {
  type ItemFilter,
  type ListedItem,
  NO_TOTALS,
  type StoredItem,
} from '../../storage/ports/test-run.js';
import { score } from '../records.js';
import { addAccount, at, PAGE } from './meta-store-account.js';

export function describeTestRuns(opened: () => MetaStore): void {
  describe('test runs', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const item = (
      item_no: number,
      verdict: TestRunItemRecord['verdict'],
      { repetition = 0, ...rest }: Partial<TestRunItemRecord> = {},
      { isPending = false, ...flags }: Partial<StoredItem['flags'] & { isPending: boolean }> = {},
    ): StoredItem => {
      const { scores, original_scores } = rest;
      const summary = {
        item_no,
        verdict,
        ...(repetition > 0 && { repetition }),
        ...(scores && { scores }),
        ...(original_scores && { original_scores }),
      };
      return {
        record: { ...summary, result: { text: 'x' }, input: [1], original_output: null, ...rest },
        summary,
        flags: {
          fixed: false,
          failing_as_before: false,
          new_error: false,
          accepted: false,
          diverged: false,
          ...flags,
        },
        isPending,
      };
    };
    const create = (id: string, key = 'k', second = 1) =>
      store.testRuns.create(account, { id, traceFunctionKey: key, createdAt: at(second) }, []);
    const numbers = (rows: ListedItem[]) => rows.map(({ summary }) => summary.item_no);

    it('returns a run as it was created, with its selection', async () => {
      const run = {
        id: 'r',
        traceFunctionKey: 'k',
        name: 'n',
        createdAt: at(1),
        selection: { request: { limit: 2 }, items: 2, missing: 1, skipped: { not_first: 3 } },
        dataset: { name: 'd', version: 2, items: 2 },
        baseline: { test_run_id: 'before' },
        repeat: 3,
      };
      const selected = [
        { item_no: 0, trace_id: 't1', span_id: 's1' },
        { item_no: 1, trace_id: 't2', accepted_no: 4 },
        { item_no: 2, dataset_item_id: 'i' },
      ];
      await store.testRuns.create(account, run, selected);
      expect(await store.testRuns.find(account, 'r')).toEqual({
        ...run,
        heartbeatAt: at(1),
        isStopped: false,
        resumes: 0,
      });
      const list = (left: boolean, after = -1) =>
        store.testRuns.listSelected(account, 'r', { left }, { limit: 9, after });
      expect(await list(false)).toEqual(selected);
      expect(await list(false, 0)).toEqual(selected.slice(1));
      await store.testRuns.putItems(account, 'r', [item(0, 'same')]);
      expect(await list(true)).toEqual(selected.slice(1));
      expect(await store.testRuns.listSelected('acc_other', 'r', { left: false }, PAGE)).toEqual([]);
    });

    it('changes a run on request, and no finished run', async () => {
      await create('r');
      const changes = { heartbeatAt: at(2), isStopped: true, expectedItems: 4, skipped: { refused: 1 } };
      await store.testRuns.update(account, 'r', changes);
      const stored = { id: 'r', traceFunctionKey: 'k', createdAt: at(1), resumes: 0, ...changes };
      expect(await store.testRuns.find(account, 'r')).toEqual(stored);
      await store.testRuns.update(account, 'r', {});
      await store.testRuns.update('acc_other', 'r', { expectedItems: 9 });
      await store.testRuns.update(account, 'r', { isStopped: false, isResumed: true });
      const resumed = { ...stored, isStopped: false, resumes: 1 };
      expect(await store.testRuns.find(account, 'r')).toEqual(resumed);
      expect(await store.testRuns.update(account, 'r', { finishedAt: at(3), summary: { a: 1 } })).toBe(true);
      const finished = await store.testRuns.find(account, 'r');
      for (const late of [
        { heartbeatAt: at(9) },
        { finishedAt: at(9) },
        { isStopped: true },
        { isResumed: true as const },
        { expectedItems: 9 },
        { skipped: { refused: 9 } },
        { decision: 'passed' as const },
        { decision: null, summary: null },
      ])
        expect(await store.testRuns.update(account, 'r', late)).toBe(false);
      expect(await store.testRuns.find(account, 'r')).toEqual(finished);
    });

    it('settles a finished run once and no other run', async () => {
      await create('r');
      await store.testRuns.update(account, 'r', { decision: 'undecided' });
      const totals = { ...NO_TOTALS, items: 1 };
      await store.testRuns.settle(account, 'r', { totals, decision: 'passed' });
      expect(await store.testRuns.find(account, 'r')).not.toHaveProperty('totals');
      await store.testRuns.update(account, 'r', { finishedAt: at(3) });
      await store.testRuns.settle(account, 'r', { totals });
      const settled = await store.testRuns.find(account, 'r');
      expect(settled).toMatchObject({ totals });
      expect(settled).not.toHaveProperty('decision');
      await store.testRuns.settle(account, 'r', { totals: NO_TOTALS, decision: 'passed' });
      expect(await store.testRuns.find(account, 'r')).toEqual(settled);
    });

    it('returns the summary of a run, but not in lists', async () => {
      await create('r');
      for (const decision of ['passed', 'undecided', 'failed'] as const) {
        await store.testRuns.update(account, 'r', { decision, summary: { a: [1] } });
        expect(await store.testRuns.find(account, 'r')).toMatchObject({ decision, summary: { a: [1] } });
      }
      const [listed] = await store.testRuns.list(account, {}, PAGE);
      expect(listed).toMatchObject({ decision: 'failed' });
      expect(listed).not.toHaveProperty('summary');
      await store.testRuns.update(account, 'r', { decision: null, summary: null });
      const cleared = await store.testRuns.find(account, 'r');
      expect(cleared).not.toHaveProperty('summary');
      expect(cleared).not.toHaveProperty('decision');
    });

    it('finishes once and accepts no items afterwards', async () => {
      await create('r');
      const finish = (n: number) => store.testRuns.update(account, 'r', { finishedAt: at(n) });
      const report = (n: number) =>
        store.testRuns.putItems(account, 'r', [item(n, 'same')], { heardOfAt: at(7) });
      expect(await report(0)).toBe(true);
      expect(await store.testRuns.find(account, 'r')).toMatchObject({ heartbeatAt: at(7), isStopped: false });
      // Asked at once: one of them is the first.
      expect((await Promise.all([finish(2), finish(3), finish(4)])).filter(Boolean)).toEqual([true]);
      const { finishedAt } = (await store.testRuns.find(account, 'r')) ?? {};
      expect([await finish(5), await report(1)]).toEqual([false, false]);
      expect((await store.testRuns.find(account, 'r'))?.finishedAt).toBe(finishedAt);
      expect(await store.testRuns.count(account, 'r')).toMatchObject({ items: 1 });
      expect(await store.testRuns.putItems(account, 'r', [item(0, 'changed')])).toBe(false);
      expect(await store.testRuns.count(account, 'r')).toMatchObject({ items: 1, same: 1 });
    });

    it('finds the first repetition of each item by its source', async () => {
      const selected = [
        { item_no: 0, trace_id: 't', span_id: 's' },
        { item_no: 1, dataset_item_id: 'i' },
      ];
      const run = { id: 'r', traceFunctionKey: 'k', createdAt: at(1) };
      await store.testRuns.create(account, run, selected);
      const source = { source_trace_id: 't', source_span_id: 's' };
      await store.testRuns.putItems(account, 'r', [
        item(0, 'same', { ...source, repetition: 1, result: 'second' }),
        item(0, 'same', { ...source, result: 'first' }),
        item(1, 'same', { result: 'of the dataset' }),
        item(2, 'same', { source_trace_id: 't', source_span_id: 'other' }),
      ]);
      const read = async (owner: string) =>
        [...(await store.testRuns.readItemsBySource(owner, 'r', ['call/t/s', 'item/i', 'item/none']))].map(
          ([from, { result }]) => [from, result],
        );
      expect((await read(account)).sort()).toEqual([
        ['call/t/s', 'first'],
        ['item/i', 'of the dataset'],
      ]);
      expect(await read('acc_other')).toEqual([]);
    });

    it('counts verdicts and flags, and a replaced item once', async () => {
      await create('r');
      expect(await store.testRuns.count(account, 'r')).toEqual(NO_TOTALS);
      await store.testRuns.putItems(account, 'r', [
        item(0, 'same', {}, { failing_as_before: true, diverged: true }),
        item(1, 'error', {}, { new_error: true }),
        item(2, 'changed', {}, { fixed: true }),
        item(3, 'unknown', {}, { accepted: true }),
        item(5, 'error', {}, { new_error: true }),
        item(6, 'error'),
        item(4, 'same'),
        item(4, 'changed', { repetition: 1 }),
        item(4, 'changed', { repetition: 2 }),
      ]);
      await store.testRuns.putItems(account, 'r', [item(1, 'same')]);
      expect(await store.testRuns.count(account, 'r')).toEqual({
        items: 9,
        same: 3,
        changed: 3,
        unknown: 1,
        error: 2,
        fixed: 1,
        failing_as_before: 1,
        accepted: 1,
        diverged: 1,
        flaky: 1,
        new_errors: 1,
      });
    });

    it('lists the newest runs first, by key, page by page', async () => {
      await create('a', 'k', 1);
      await create('b', 'k', 2);
      await create('c', 'other', 3);
      const ids = (runs: { id: string }[]) => runs.map(({ id }) => id);
      expect(ids(await store.testRuns.list(account, {}, PAGE))).toEqual(['c', 'b', 'a']);
      const ofKey = { traceFunctionKey: 'k' };
      expect(ids(await store.testRuns.list(account, ofKey, { limit: 1 }))).toEqual(['b']);
      expect(ids(await store.testRuns.list(account, ofKey, { limit: 2, after: [at(2), 'b'] }))).toEqual([
        'a',
      ]);
    });

    it('lists items by number and repetition, as they were stored', async () => {
      await create('r');
      const items = [
        item(0, 'same'),
        item(2, 'changed'),
        item(2, 'same', { repetition: 1 }),
        item(5, 'error'),
      ];
      await store.testRuns.putItems(account, 'r', items.toReversed());
      const rows = await store.testRuns.listItems(account, 'r', {}, { limit: 3 });
      expect(rows.map(({ summary }) => summary)).toEqual(items.slice(0, 3).map(({ summary }) => summary));
      expect(rows[0]?.payload_bytes).toBe(Buffer.byteLength(JSON.stringify(items[0]?.record)));
      const rest = await store.testRuns.listItems(account, 'r', {}, { limit: 3, after: [2, 0] });
      expect(numbers(rest)).toEqual([2, 5]);
      const wanted = [[0, 0] as const, [1, 0] as const, [2, 1] as const];
      const read = await store.testRuns.readItems(account, 'r', wanted);
      expect(read.map(({ record }) => record)).toEqual([items[0]?.record, items[2]?.record]);
      expect(await store.testRuns.listItems('acc_other', 'r', {}, PAGE)).toEqual([]);
      expect(await store.testRuns.readItems('acc_other', 'r', wanted)).toEqual([]);
    });

    it.each<[string, ItemFilter, number[]]>([
      ['verdict', { verdict: 'changed' }, [1, 2]],
      ['flag', { flag: 'diverged' }, [2]],
      ['verdict and flag', { verdict: 'same', flag: 'diverged' }, []],
      ['new trace', { newTraceId: 't-new' }, [0]],
      ['what is pending', { isPending: true }, [3]],
    ])('filters items by %s', async (_, filter, found) => {
      await create('r');
      await store.testRuns.putItems(account, 'r', [
        item(0, 'same', { new_trace_id: 't-new' }),
        item(1, 'changed'),
        item(2, 'changed', {}, { diverged: true }),
        item(3, 'unknown', {}, { isPending: true }),
      ]);
      expect(numbers(await store.testRuns.listItems(account, 'r', filter, PAGE))).toEqual(found);
    });

    it.each<[string, Omit<NonNullable<ItemFilter['score']>, 'name'>, number[]]>([
      ['its name', {}, [0, 1, 2, 3, 4, 5]],
      ['a number', { is: [1] }, [2]],
      ['a boolean, which is no number', { is: [true] }, [1]],
      ['one of several values', { is: ['1', 0.5] }, [3, 4]],
      ['less than a bound: `false` is 0, and text is no number', { below: 0.6 }, [0, 3]],
      ['more than a bound', { above: 0.5 }, [1, 2, 5]],
      ['both bounds', { above: 0.4, below: 1 }, [3]],
    ])(
      'filters items by a score of their report, or given apart from it: by %s',
      async (_, filter, found) => {
        await create('reported');
        await create('given');
        const values = [false, true, 1, 0.5, '1', 2, null];
        const items = values.map((value, place) =>
          item(place, 'same', { scores: [{ name: 'polite', value }] }),
        );
        items.push(item(7, 'same', { scores: [{ name: 'other', value: 1 }] }), item(8, 'same'));
        await store.testRuns.putItems(account, 'reported', items);
        await store.testRuns.putItems(
          account,
          'given',
          items.map(({ summary: { item_no } }) => item(item_no, 'same')),
        );
        const added = { test_run_id: 'given', name: 'polite' };
        await store.scores.add(account, [
          ...values.map((value, item_no) => score({ ...added, item_no, value })),
          score({ ...added, name: 'other', item_no: 7 }),
          // Only the latest counts.
          score({ ...added, item_no: 8, created_at: at(1) }),
          score({ ...added, item_no: 8, created_at: at(2), value: null }),
        ]);
        const list = async (run: string) =>
          numbers(
            await store.testRuns.listItems(account, run, { score: { name: 'polite', ...filter } }, PAGE),
          );
        expect(await list('reported')).toEqual(found);
        expect(await list('given')).toEqual(found);
      },
    );

    it('filters by scores of each repetition, together with other conditions', async () => {
      await create('r');
      const polite = { scores: [{ name: 'polite', value: 1 }] };
      await store.testRuns.putItems(account, 'r', [
        item(0, 'same', polite),
        item(1, 'same'),
        item(1, 'same', { repetition: 1 }),
        item(2, 'changed', polite),
      ]);
      await store.scores.add(account, [
        score({ test_run_id: 'r', item_no: 1, repetition: 1, name: 'polite' }),
      ]);
      const filter: ItemFilter = { score: { name: 'polite' }, verdict: 'same' };
      const listed = await store.testRuns.listItems(account, 'r', filter, PAGE);
      const keys = listed.map(({ summary: { item_no, repetition = 0 } }) => [item_no, repetition]);
      expect(keys).toEqual([
        [0, 0],
        [1, 1],
      ]);
    });

    it('stores items with NUL and lone surrogates unchanged', async () => {
      await create('r');
      const scores = [{ name: 'kind', value: 1 }];
      const odd = item(0, 'changed', { input: ['\0', '\ud800', '\\u0000'], scores, original_scores: scores });
      const summary = { ...odd.summary, baseline_hash: 'h' };
      await store.testRuns.putItems(account, 'r', [{ ...odd, summary }]);
      const [read] = await store.testRuns.readItems(account, 'r', [[0, 0]]);
      expect(read?.record).toEqual(odd.record);
      expect(await store.testRuns.listBaselineScores(account, 'h')).toEqual(scores);
      await store.copies.eraseRunItems(account, [{ testRunId: 'r', item: [0, 0] }]);
      expect(await store.testRuns.listBaselineScores(account, 'h')).toEqual([]);
    });

    it('lists the worst items first, page by page', async () => {
      await create('r');
      const scored = (value: number | boolean | string | null, before: number | boolean | string) => ({
        scores: [{ name: 'polite', value }],
        original_scores: [{ name: 'polite', value: before }],
      });
      const items = [
        item(0, 'same', scored(true, false)),
        item(1, 'same', {}, { diverged: true }),
        item(2, 'unknown'),
        item(3, 'changed', { fixed: true }, { fixed: true }),
        item(4, 'same', scored(0.25, 0.5)),
        item(5, 'unknown', scored(false, true)),
        item(6, 'changed'),
        item(7, 'error'),
        item(8, 'error', { new_error: true }, { new_error: true }),
        item(9, 'changed', scored('a', 'b')),
        item(9, 'error', { new_error: true, repetition: 1 }, { new_error: true }),
        item(10, 'same', scored(null, 1)),
        item(11, 'same', scored('a', 'b')),
      ];
      await store.testRuns.putItems(account, 'r', items);
      const listed: [number, number][] = [];
      for (let pages = 0; pages < 9; pages += 1) {
        const after = listed.at(-1);
        const range = { limit: 2, ...(after && { after }) };
        const rows = await store.testRuns.listItems(account, 'r', { worstFirst: true }, range);
        listed.push(
          ...rows.map(({ summary: { item_no, repetition = 0 } }): [number, number] => [item_no, repetition]),
        );
      }
      expect(listed.map(([itemNo]) => itemNo)).toEqual([8, 9, 7, 6, 9, 4, 5, 2, 1, 3, 0, 10, 11]);
      const ofVerdict = await store.testRuns.listItems(
        account,
        'r',
        { worstFirst: true, verdict: 'error' },
        PAGE,
      );
      expect(numbers(ofVerdict)).toEqual([8, 9, 7]);
    });
  });
}
