import type { SpanRecord } from '@dacapo/protocol';
import { span, startedAt } from '../records.js';
import type { DeletableFilter } from '../../storage/ports/trace-deletion.js';
import { PAGE, type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

const FOREVER = '2999-01-01T00:00:00.000000Z';
const DELETION = { forgetAt: FOREVER, mostSpans: 100 };
/** Later than all that `span` makes. */
const NOW = '2026-06-01T00:00:00.000000Z';

export function describeDeleting(opened: () => OpenedSpanStore): void {
  describe('deleting', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    const remove = async (traceIds: string[], mostSpans = 100): Promise<number[]> => {
      const spans: number[] = [];
      for (let isDone = false; !isDone;) {
        const part = await own.store.deletions.deleteTraces(own.account, traceIds, {
          ...DELETION,
          mostSpans,
        });
        spans.push(part.spans);
        isDone = part.isDone;
      }
      return spans;
    };
    const listTraceIds = async (filter: DeletableFilter): Promise<string[]> =>
      (await own.store.deletions.list(own.account, filter, PAGE)).traceIds;
    const inSession = (session_id: string, more: Partial<SpanRecord> = {}): SpanRecord =>
      span({ session_id, ...more });

    it('removes a trace from every list and leaves other traces alone', async () => {
      const [deleted, kept] = [inSession('s-1'), span({ trace_function_key: 'other' })];
      await own.put([deleted, kept], [{ id: deleted.trace_id, metadata: { a: 1 } }]);
      expect(await remove([deleted.trace_id])).toEqual([1]);
      const { store, account } = own;
      expect(await store.findTrace(account, deleted.trace_id)).toBeUndefined();
      expect(await own.findSpan(deleted.trace_id, deleted.id)).toBeUndefined();
      expect(await store.readTraces(account, [deleted.trace_id])).toEqual([]);
      expect(await store.listNodes(account, [deleted.trace_id])).toEqual([]);
      expect(await store.listSessions(account, {}, PAGE)).toEqual({ sessions: [] });
      expect(await own.listCalls()).toEqual([]);
      expect((await own.traces.list(account, {}, PAGE)).items.map(({ id }) => id)).toEqual([kept.trace_id]);
      const keys = await store.listTraceFunctionKeys(account);
      expect(keys).toEqual([expect.objectContaining({ trace_function_key: 'other', span_count: 1 })]);
    });

    it('deletes a large trace in parts whose counts add up', async () => {
      const root = span();
      const inside = Array.from({ length: 6 }, (_, index) =>
        span({ trace_id: root.trace_id, parent_id: root.id, started_at: startedAt(index + 1) }),
      );
      await own.put([root, ...inside]);
      const parts = await remove([root.trace_id], 3);
      expect(parts.reduce((sum, spans) => sum + spans, 0)).toBe(7);
      expect(await own.store.listNodes(own.account, [root.trace_id])).toEqual([]);
      expect(await own.store.listTraceFunctionKeys(own.account)).toEqual([]);
    });

    it('lowers the counts of its key and its session', async () => {
      const [first, second] = [startedAt(1), startedAt(2)].map((started_at) =>
        inSession('s', { started_at }),
      );
      await own.put([first!, second!]);
      await remove([second!.trace_id]);
      const [key] = await own.store.listTraceFunctionKeys(own.account);
      expect(key).toMatchObject({ span_count: 1, last_started_at: startedAt(1) });
      const {
        sessions: [session],
      } = await own.store.listSessions(own.account, {}, PAGE);
      expect(session).toMatchObject({ trace_count: 1, last_started_at: startedAt(1) });
    });

    it('drops and counts late records of a deleted trace, and stores the rest of the batch', async () => {
      const [deleted, kept] = [span(), span()];
      await own.put([deleted]);
      await remove([deleted.trace_id]);
      const late = span({ trace_id: deleted.trace_id, trace_function_key: 'late' });
      const outcome = await own.put(
        [deleted, late, kept],
        [{ id: deleted.trace_id, session_id: 's' }],
        'b-1',
      );
      expect(outcome).toEqual({ duplicate: false, dropped: 3 });
      expect(await own.put([deleted, late, kept], [], 'b-1')).toEqual({ duplicate: true, dropped: 0 });
      expect(await own.store.findTrace(own.account, deleted.trace_id)).toBeUndefined();
      expect(await own.findSpan(deleted.trace_id, late.id)).toBeUndefined();
      expect(await own.store.listSessions(own.account, {}, PAGE)).toEqual({ sessions: [] });
      expect((await own.traces.list(own.account, {}, PAGE)).items.map(({ id }) => id)).toEqual([
        kept.trace_id,
      ]);
    });

    it('drops records of a trace that was deleted before its first record arrived', async () => {
      const late = span();
      await remove([late.trace_id]);
      expect(await own.put([late])).toEqual({ duplicate: false, dropped: 1 });
      expect(await own.store.findTrace(own.account, late.trace_id)).toBeUndefined();
    });

    it('distinguishes a deleted trace from an unknown one, within its account, until the deletion is forgotten', async () => {
      const [deleted, kept] = [span(), span()];
      await own.put([deleted, kept]);
      const { store, account } = own;
      const isDeleted = (...of: [string, string][]) =>
        Promise.all(of.map((one) => store.deletions.isDeleted(...one)));
      await store.deletions.deleteTraces(account, [deleted.trace_id], {
        ...DELETION,
        forgetAt: startedAt(30),
      });
      await expect(
        isDeleted(
          [account, deleted.trace_id],
          [account, kept.trace_id],
          [account, span().trace_id],
          [own.stranger().account, deleted.trace_id],
        ),
      ).resolves.toEqual([true, false, false, false]);
      await store.deletions.forget(startedAt(30));
      await expect(isDeleted([account, deleted.trace_id])).resolves.toEqual([false]);
    });

    it('stores a deleted trace again after the deletion is forgotten', async () => {
      const again = span();
      await own.put([again]);
      const deletion = { ...DELETION, forgetAt: startedAt(30) };
      await own.store.deletions.deleteTraces(own.account, [again.trace_id], deletion);
      await own.store.deletions.forget(startedAt(29));
      expect(await own.put([again])).toMatchObject({ dropped: 1 });
      await own.store.deletions.forget(startedAt(30));
      expect(await own.put([again])).toMatchObject({ dropped: 0 });
      expect(await own.findSpan(again.trace_id, again.id)).toEqual(again);
    });

    it('drops traces of a session that were recorded before the session was deleted', async () => {
      const late = inSession('gone', { started_at: startedAt(1), ended_at: startedAt(2) });
      const inside = span({ trace_id: late.trace_id, parent_id: late.id });
      const other = inSession('other');
      // The span inside came first, and did not know its session yet.
      await own.put([inside]);
      const deletion = { deletedAt: startedAt(30), forgetAt: FOREVER };
      await own.store.deletions.deleteGroup(own.account, { by: 'session_id', id: 'gone' }, deletion);
      expect(await own.put([late, other])).toEqual({ duplicate: false, dropped: 1 });
      expect(await own.put([inside])).toEqual({ duplicate: false, dropped: 1 });
      // A user may have the id of a session.
      await own.store.deletions.deleteGroup(own.account, { by: 'user_id', id: 'ann' }, deletion);
      const ofUser = span({ user_id: 'ann', started_at: startedAt(1), ended_at: startedAt(2) });
      const ofSession = { ...span({ started_at: startedAt(1), ended_at: startedAt(2) }), session_id: 'ann' };
      expect(await own.put([ofUser])).toEqual({ duplicate: false, dropped: 1 });
      expect(await own.put([ofSession])).toEqual({ duplicate: false, dropped: 0 });
      await own.store.deletions.deleteTraces(own.account, [ofSession.trace_id], {
        forgetAt: FOREVER,
        mostSpans: 100,
      });
      expect((await own.traces.list(own.account, {}, PAGE)).items.map(({ id }) => id)).toEqual([
        other.trace_id,
      ]);
      // The session lives on: what is recorded later is stored.
      const later = inSession('gone', { started_at: startedAt(40), ended_at: startedAt(41) });
      expect(await own.put([later])).toEqual({ duplicate: false, dropped: 0 });
      expect(await listTraceIds({ sessionId: 'gone' })).toEqual([later.trace_id]);
    });

    it('finds traces by id, session, key, age and combined conditions', async () => {
      const [a, b, c] = [
        inSession('s-1', { started_at: startedAt(1) }),
        inSession('s-1', { started_at: startedAt(2), trace_function_key: 'other' }),
        span({ started_at: startedAt(3) }),
      ];
      await own.put([
        a,
        b,
        c,
        span({ trace_id: c.trace_id, trace_function_key: 'inner', started_at: startedAt(4) }),
      ]);
      const [idA, idB, idC] = [a.trace_id, b.trace_id, c.trace_id];
      const cases: [DeletableFilter, string[]][] = [
        [{}, [idC, idB, idA]],
        [{ traceIds: [idA, idC, span().trace_id] }, [idC, idA]],
        [{ sessionId: 's-1' }, [idB, idA]],
        [{ sessionId: 's-1', traceFunctionKey: 'other' }, [idB]],
        [{ traceFunctionKey: 'inner' }, [idC]],
        [{ traceFunctionKey: 'inner', before: startedAt(4) }, []],
        [{ before: startedAt(3) }, [idB, idA]],
        [{ before: startedAt(2), sessionId: 's-1' }, [idA]],
        [{ before: startedAt(9), exceptKeys: ['inner', 'none'] }, [idB, idA]],
        [{ traceIds: [idA, idB], traceFunctionKey: 'answer', before: startedAt(2) }, [idA]],
      ];
      for (const [filter, expected] of cases) {
        expect({ filter, traceIds: await listTraceIds(filter) }).toEqual({ filter, traceIds: expected });
        const { traces } = await own.store.deletions.count(own.account, filter);
        expect({ filter, traces }).toEqual({ filter, traces: expected.length });
      }
      expect(await own.store.deletions.count(own.account, {})).toEqual({ traces: 3, spans: 4 });
    });

    it('returns traces page by page', async () => {
      const stored = [1, 2, 3, 4, 5].map((second) => span({ started_at: startedAt(second) }));
      await own.put(stored);
      const first = await own.store.deletions.list(own.account, {}, { limit: 3 });
      const after = first.next;
      expect(after).toBeDefined();
      const second = await own.store.deletions.list(own.account, {}, { limit: 3, after: after! });
      expect(second.next).toBeUndefined();
      expect([...first.traceIds, ...second.traceIds]).toEqual(
        stored.map(({ trace_id }) => trace_id).reverse(),
      );
    });

    it('deletes and remembers nothing in another account', async () => {
      const stranger = own.stranger();
      const mine = inSession('s');
      await own.put([mine]);
      await stranger.put([mine]);
      await remove([mine.trace_id]);
      await own.store.deletions.deleteGroup(
        own.account,
        { by: 'session_id', id: 's' },
        { deletedAt: NOW, forgetAt: FOREVER },
      );
      expect(await stranger.findSpan(mine.trace_id, mine.id)).toMatchObject({ id: mine.id });
      expect(await stranger.put([inSession('s')])).toMatchObject({ dropped: 0 });
    });
  });
}
