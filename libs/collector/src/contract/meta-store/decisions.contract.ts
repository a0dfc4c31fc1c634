import type { DecisionRecord, Judgement } from '@dacapo/protocol';
import type { NewDecision } from '../../storage/meta/decisions.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { type ItemKey, NO_TOTALS, type StoredItem } from '../../storage/ports/test-run.js';
import { addAccount, at, deleteAccount } from './meta-store-account.js';

export function describeDecisions(opened: () => MetaStore): void {
  describe('decisions', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const flags = {
      fixed: false,
      failing_as_before: false,
      new_error: false,
      accepted: false,
      diverged: false,
    };
    const item = (item_no: number, repetition = 0, durationMs?: number): StoredItem => {
      const summary = {
        item_no,
        verdict: 'error' as const,
        ...(repetition > 0 && { repetition }),
        ...(durationMs !== undefined && { duration_ms: durationMs }),
      };
      return { record: summary, summary, flags: { ...flags, diverged: item_no === 1 }, isPending: false };
    };
    const finish = async (id = 'r', owner = account): Promise<void> => {
      await store.testRuns.create(owner, { id, traceFunctionKey: 'k', createdAt: at(1) }, []);
      await store.testRuns.putItems(owner, id, [item(0, 0, 5), item(1), item(1, 1), item(2)]);
      await store.testRuns.update(owner, id, { finishedAt: at(2) });
      await store.testRuns.settle(owner, id, { totals: NO_TOTALS });
    };
    const record = (no: number, rest: Partial<DecisionRecord> = {}): DecisionRecord => ({
      no,
      passed: true,
      author: { kind: 'person', name: 'ann' },
      decided_at: at(3),
      totals: NO_TOTALS,
      checks: [],
      ignore: [],
      change: { accepted: 0, better: 0, worse: 0, cleared: 0, ignored: [], compared: [] },
      ...rest,
    });
    const add = (no: number, rest: Partial<NewDecision> = {}, owner = account) =>
      store.decisions.add(owner, 'r', {
        traceFunctionKey: 'k',
        record: record(no),
        judgements: [],
        ...rest,
      });
    const judge = (judgement: Judgement | null, ...keys: ItemKey[]) =>
      keys.map((key) => ({ item: key, judgement }));
    const judgements = async () =>
      (await store.testRuns.listItems(account, 'r', {}, { limit: 9 })).map(({ summary }) => [
        summary.judgement,
        summary.ignored,
      ]);

    it('are numbered without gaps, and only one of two with the same number is stored', async () => {
      await finish();
      expect(await add(2)).toBe(false);
      expect((await Promise.all([add(1), add(1), add(1)])).sort()).toEqual([false, false, true]);
      expect(await add(2, { record: record(2, { passed: false }) })).toBe(true);
      expect((await store.decisions.list(account, 'r', { limit: 9 })).map(({ no }) => no)).toEqual([2, 1]);
      expect(await store.decisions.list(account, 'r', { limit: 1, after: 2 })).toEqual([record(1)]);
      const decided = { no: 2, passed: false, author: { kind: 'person', name: 'ann' }, decided_at: at(3) };
      expect((await store.testRuns.find(account, 'r'))?.decided).toEqual(decided);
      expect((await store.testRuns.list(account, {}, { limit: 1 }))[0]?.decided).toEqual(decided);
    });

    it('are refused for a run that is not finished, not counted or not there', async () => {
      expect(await add(1)).toBe(false);
      await store.testRuns.create(account, { id: 'r', traceFunctionKey: 'k', createdAt: at(1) }, []);
      expect(await add(1)).toBe(false);
      await store.testRuns.update(account, 'r', { finishedAt: at(2) });
      expect(await add(1)).toBe(false);
      await store.testRuns.settle(account, 'r', { totals: NO_TOTALS });
      expect(await add(1)).toBe(true);
    });

    it('judge items by their keys, and a refused one judges none', async () => {
      await finish();
      await add(1, { judgements: [...judge('accepted', [0, 0], [1, 1]), ...judge('worse', [2, 0])] });
      await add(1, { judgements: judge('better', [1, 0]), ignoredItems: [[1, 0]] });
      expect(await judgements()).toEqual([
        ['accepted', undefined],
        [undefined, undefined],
        ['accepted', undefined],
        ['worse', undefined],
      ]);
      await add(2, { judgements: [...judge(null, [0, 0]), ...judge('better', [2, 0])] });
      const [read] = await store.testRuns.readItems(account, 'r', [[2, 0]]);
      expect(read?.record).toEqual({ item_no: 2, verdict: 'error', judgement: 'better' });
      const state = { verdict: 'error', flags, isErased: false, isIgnored: false };
      const judged = await store.decisions.listJudged(account, 'r');
      expect(judged.sort((left, right) => left.item[0] - right.item[0])).toEqual([
        { ...state, item: [1, 1], flags: { ...flags, diverged: true }, judgement: 'accepted' },
        { ...state, item: [2, 0], judgement: 'better' },
      ]);
      const numbers = async (isJudged: boolean) =>
        (await store.testRuns.listItems(account, 'r', { judged: isJudged }, { limit: 9 })).map(
          ({ summary: { item_no, repetition = 0 } }) => [item_no, repetition],
        );
      expect(await numbers(true)).toEqual([
        [1, 1],
        [2, 0],
      ]);
      expect(await numbers(false)).toEqual([
        [0, 0],
        [1, 0],
      ]);
      expect(
        await store.decisions.readStates(account, 'r', [
          [0, 0],
          [9, 0],
        ]),
      ).toEqual([{ ...state, item: [0, 0] }]);
    });

    it('replace the items that are ignored, unless the paths stay', async () => {
      await finish();
      await add(1, {
        ignoredItems: [
          [0, 0],
          [1, 1],
        ],
      });
      await add(2);
      expect((await judgements()).map(([, ignored]) => ignored)).toEqual([true, undefined, true, undefined]);
      await add(3, { ignoredItems: [[2, 0]] });
      expect((await judgements()).map(([, ignored]) => ignored)).toEqual([
        undefined,
        undefined,
        undefined,
        true,
      ]);
      await add(4, { ignoredItems: [] });
      expect(await store.decisions.listJudged(account, 'r')).toEqual([]);
    });

    it('add and remove the ignored paths of a key', async () => {
      await finish();
      const change = (ignored: string[], compared: string[]) => ({ ...record(0).change, ignored, compared });
      await add(1, { record: record(1, { change: change(['$.b', '$.a'], []) }) });
      await add(2, { record: record(2, { change: change(['$.a', '$.c'], ['$.b', '$.none']) }) });
      await add(2, { record: record(2, { change: change(['$.refused'], []) }) });
      expect(await store.decisions.listIgnoredPaths(account, 'k')).toEqual(['$.a', '$.c']);
      expect(await store.decisions.listIgnoredPaths(account, 'other')).toEqual([]);
      await store.testRuns.create(
        account,
        { id: 'later', traceFunctionKey: 'k', createdAt: at(4), ignore: ['$.a'] },
        [],
      );
      expect((await store.testRuns.find(account, 'later'))?.ignore).toEqual(['$.a']);
    });

    it('count calls that were not made by their missing durations', async () => {
      await finish();
      expect(await store.decisions.countUncalled(account, 'r')).toBe(3);
      expect(await store.decisions.countUncalled(account, 'none')).toBe(0);
    });

    it('belong to one account, and are deleted with it', async () => {
      const stranger = await addAccount(store);
      await finish();
      await finish('r', stranger);
      const ignored = record(1, { change: { ...record(1).change, ignored: ['$.a'] } });
      await add(1, { record: ignored, judgements: judge('worse', [0, 0]), ignoredItems: [[1, 0]] });
      expect(await store.decisions.list(stranger, 'r', { limit: 9 })).toEqual([]);
      expect(await store.decisions.listJudged(stranger, 'r')).toEqual([]);
      expect(await store.decisions.listIgnoredPaths(stranger, 'k')).toEqual([]);
      await deleteAccount(store, account);
      expect(await store.decisions.list(account, 'r', { limit: 9 })).toEqual([]);
      expect(await store.decisions.listIgnoredPaths(account, 'k')).toEqual([]);
      expect(await add(1, {}, stranger)).toBe(true);
    });
  });
}
