import type { DeletionRecord } from '@dacapo/protocol';
import type { StoredDeletion } from '../../storage/meta/deletions.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import { addAccount, at, PAGE } from './meta-store-account.js';

const COUNTS = { traces: 0, spans: 0, scores: 0, dataset_items: 0, run_items: 0, accepted_outcomes: 0 };

export function describeDeletions(opened: () => MetaStore): void {
  describe('deletions', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    afterEach(() => store.deletions.remove(account));

    const deletion = (id: string, more: Partial<DeletionRecord> = {}): StoredDeletion => ({
      accountId: account,
      progress: {},
      record: {
        id,
        reason: 'request',
        scope: { session_id: 's' },
        state: 'waiting',
        counts: COUNTS,
        created_at: at(1),
        ...more,
      },
    });

    it('are stored as given, and replaced', async () => {
      const waiting = deletion('d');
      await store.deletions.put(waiting);
      expect(await store.deletions.find(account, 'd')).toEqual(waiting.record);
      const running = deletion('d', {
        state: 'running',
        counts: { ...COUNTS, traces: 3 },
        started_at: at(2),
      });
      const progress = { traceIds: ['t-1', 't-2'], after: [at(3), 't-3'] as const };
      await store.deletions.put({ ...running, progress });
      expect(await store.deletions.find(account, 'd')).toEqual(running.record);
      expect(await store.deletions.findNext()).toEqual({ ...running, progress, step: 1 });
      expect(await store.deletions.find(account, 'none')).toBeUndefined();
    });

    it('keep the step of the process that stored one first, of two that read the same', async () => {
      await store.deletions.put(deletion('d'));
      const [first, second] = [await store.deletions.findNext(), await store.deletions.findNext()];
      const toStep = (read: StoredDeletion | undefined, traceId: string): StoredDeletion => ({
        ...(read ?? deletion('d')),
        progress: { traceIds: [traceId] },
      });
      expect(await store.deletions.put(toStep(first, 't-1'))).toBe(true);
      expect(await store.deletions.put(toStep(second, 't-2'))).toBe(false);
      const next = await store.deletions.findNext();
      expect(next).toMatchObject({ progress: { traceIds: ['t-1'] }, step: 2 });
      await store.deletions.remove(account);
      expect(await store.deletions.put(toStep(next, 't-3'))).toBe(false);
      expect(await store.deletions.findNext()).toBeUndefined();
    });

    it('are listed by account, newest first, page by page', async () => {
      for (const second of [1, 3, 2]) {
        await store.deletions.put(deletion(`d-${second}`, { created_at: at(second), state: 'done' }));
      }
      const ids = async (range: Parameters<typeof store.deletions.list>[1]): Promise<string[]> =>
        (await store.deletions.list(account, range)).map(({ id }) => id);
      expect(await ids(PAGE)).toEqual(['d-3', 'd-2', 'd-1']);
      expect(await ids({ limit: 2 })).toEqual(['d-3', 'd-2']);
      expect(await ids({ limit: 2, after: [at(2), 'd-2'] })).toEqual(['d-1']);
      expect(await store.deletions.list(await addAccount(store), PAGE)).toEqual([]);
      expect(await store.deletions.find(await addAccount(store), 'd-1')).toBeUndefined();
    });

    it('continue in order, and those of retention rules come last', async () => {
      await store.deletions.put(deletion('rule', { reason: 'retention' }));
      await store.deletions.put(deletion('second'));
      await store.deletions.put(deletion('third'));
      const next = async (): Promise<string | undefined> => (await store.deletions.findNext())?.record.id;
      const order: (string | undefined)[] = [];
      for (let id = await next(); id !== undefined; id = await next()) {
        order.push(id);
        await store.deletions.put(deletion(id, { state: 'done' }));
      }
      expect(order).toEqual(['second', 'third', 'rule']);
    });

    it('are pruned once they are done, and deleted with their account', async () => {
      await store.deletions.put(deletion('old', { state: 'done' }));
      await store.deletions.put(deletion('open'));
      await store.deletions.put(deletion('new', { state: 'done', created_at: at(9) }));
      await store.deletions.prune(at(9));
      const ids = (await store.deletions.list(account, PAGE)).map(({ id }) => id);
      expect(ids).toEqual(['new', 'open']);
      await store.deletions.remove(account);
      expect(await store.deletions.list(account, PAGE)).toEqual([]);
      await store.scrub();
    });
  });
}
