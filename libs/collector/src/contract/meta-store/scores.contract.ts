import { formatTimestamp, newTraceId, type ScoreRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import type { Range } from '../../storage/ports/range.js';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import type { ScoreFilter, ScoreQuery } from '../../storage/ports/score.js';
import { score, span, startedAt } from '../records.js';
import { addAccount, deleteAccount, PAGE } from './meta-store-account.js';

const uuid = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const FOREVER = '2999-01-01T00:00:00.000000Z';

export function describeScores(opened: () => MetaStore): void {
  describe('scores', () => {
    let store: MetaStore;
    let account: string;

    beforeEach(async () => {
      store = opened();
      account = await addAccount(store);
    });

    const add = (...scores: ScoreRecord[]) => store.scores.add(account, scores);
    const list = async (query: ScoreQuery = {}, range: Range = PAGE) =>
      (await store.scores.list(account, query, range)).scores;
    const ids = async (query?: ScoreQuery) => (await list(query)).map(({ id }) => id);

    it('are returned as they were sent, also when they are sent twice', async () => {
      const stored = score({ label: 'good', explanation: 'why', metadata: { a: [1] }, span_id: span().id });
      await add(stored);
      await add(stored);
      expect(await list()).toEqual([stored]);
    });

    it('with a known id do not replace the first', async () => {
      const stored = score({ value: 1 });
      await add(stored, { ...stored, value: 2 });
      await add({ ...stored, value: 3, created_at: '2027-01-01T00:00:00.000000Z' });
      expect(await list()).toEqual([stored]);
    });

    it('count by time in any order of arrival, and by the greater id at equal times', async () => {
      const at = (second: number, id: string): ScoreRecord =>
        score({ id, trace_id: uuid(0), created_at: formatTimestamp(second * 1e6) });
      await add(at(2, uuid(1)));
      await add(at(1, uuid(9)));
      expect(await ids()).toEqual([uuid(1)]);
      await add(at(2, uuid(3)));
      await add(at(2, uuid(2)));
      expect(await ids()).toEqual([uuid(3)]);
      expect(await ids({ history: true })).toEqual([uuid(3), uuid(2), uuid(1), uuid(9)]);
    });

    it('are listed for spans, with those of their traces as a whole', async () => {
      const [one, other] = [newTraceId(), newTraceId()];
      const [rated, another] = [span().id, span().id];
      const old = score({ trace_id: one, span_id: rated, created_at: formatTimestamp(1e6) });
      const latest = { ...old, id: newTraceId(), created_at: formatTimestamp(2e6) };
      const ofTrace = score({ trace_id: one });
      await add(
        ...[old, latest, ofTrace, score({ trace_id: one, span_id: another })],
        ...[score({ trace_id: other, span_id: rated }), score({ session_id: one })],
      );
      const refs = [{ trace_id: one, span_id: rated }];
      const found = await store.scores.listOfSpans(account, refs);
      expect(found.map(({ id }) => id).sort()).toEqual([latest.id, ofTrace.id].sort());
      const stranger = await addAccount(store);
      expect(await store.scores.listOfSpans(stranger, refs)).toEqual([]);
    });

    it('are found on those of some traces or sessions that have such a score', async () => {
      const [one, other, third] = [newTraceId(), newTraceId(), newTraceId()];
      await add(
        score({ trace_id: one, value: 2 }),
        score({ trace_id: other, span_id: span().id, value: 'yes' }),
        score({ trace_id: third, value: 2 }),
        score({ session_id: one, value: 2 }),
      );
      const find = async (filter: Omit<ScoreFilter, 'name'>, target: 'trace' | 'session' = 'trace') =>
        (
          await store.scores.findScored(account, target, [one, other], { name: 'helpful', ...filter })
        ).toSorted();
      expect(await find({})).toEqual([one, other].toSorted());
      expect(await find({ above: 1 })).toEqual([one]);
      expect(await find({ is: ['yes', '2'] })).toEqual([other]);
      expect(await find({ below: 2 })).toEqual([]);
      expect(await find({}, 'session')).toEqual([one]);
    });

    it('of different authors, names, spans and repetitions count separately', async () => {
      const [trace_id, test_run_id] = [newTraceId(), newTraceId()];
      const item = (changes: object): ScoreRecord => score({ test_run_id, item_no: 1, ...changes });
      const stored = [
        score({ trace_id }),
        score({ trace_id, name: 'polite' }),
        score({ trace_id, author: { kind: 'program', name: 'ann' } }),
        score({ trace_id, author: { kind: 'person', name: 'bob' } }),
        score({ trace_id, span_id: span().id }),
        item({}),
        item({ repetition: 1 }),
        item({ item_no: 11 }),
      ];
      await add(...stored);
      const sorted = (scores: ScoreRecord[]) => scores.map(({ id }) => id).sort();
      expect((await ids()).sort()).toEqual(sorted(stored));
      expect((await ids({ traceId: trace_id })).sort()).toEqual(sorted(stored.slice(0, 5)));
      expect(await ids({ traceId: trace_id, spanId: stored[4]?.span_id ?? '' })).toEqual([stored[4]?.id]);
      expect(await ids({ name: 'polite' })).toEqual([stored[1]?.id]);
      expect(await ids({ author: 'bob' })).toEqual([stored[3]?.id]);
      expect((await ids({ testRunId: test_run_id, itemNo: 1 })).sort()).toEqual(sorted(stored.slice(5, 7)));
      expect(await ids({ sessionId: trace_id })).toEqual([]);
    });

    it('are listed with the newest first, page by page', async () => {
      const stored = [1, 2, 3].map((n) => score({ id: uuid(n), created_at: formatTimestamp(n * 1e6) }));
      await add(...stored);
      const first = await list({}, { limit: 2 });
      expect(first.map(({ id }) => id)).toEqual([uuid(3), uuid(2)]);
      const after = [first[1]?.created_at ?? '', uuid(2)] as const;
      const rest = await list({}, { limit: 2, after });
      expect(rest.map(({ id }) => id)).toEqual([uuid(1)]);
    });

    it('have names in alphabetical order for filters', async () => {
      const trace_id = newTraceId();
      await add(
        score({ trace_id, name: 'helpful' }),
        score({ trace_id, name: 'correct' }),
        score({ session_id: 's-1', name: 'polite' }),
        score({ trace_id, name: 'not meant', value: null }),
      );
      const names = (prefix: string, limit = 10) => store.scores.listNames(account, prefix, limit);
      expect(await names('')).toEqual({ items: ['correct', 'helpful'] });
      expect(await names('h')).toEqual({ items: ['helpful'] });
      expect(await names('', 1)).toEqual({ items: ['correct'], has_more: true });
    });

    it('end a page after a bounded number of scores that do not match', async () => {
      const stored = Array.from({ length: 2100 }, (_, n) =>
        score({ id: uuid(n), name: n === 0 ? 'rare' : 'helpful', created_at: formatTimestamp(n * 1e6) }),
      );
      await add(...stored);
      const found: string[] = [];
      let after: Range['after'];
      do {
        const { scores, lookedUntil } = await store.scores.list(
          account,
          { name: 'rare' },
          { limit: 2, ...(after && { after }) },
        );
        found.push(...scores.map(({ id }) => id));
        after = lookedUntil;
      } while (after !== undefined);
      expect(found).toEqual([uuid(0)]);
    });

    it('of deleted traces are deleted and counted, and late ones are dropped until the deletion is forgotten', async () => {
      const [deleted, kept] = [score(), score()];
      await add(deleted, kept);
      const traceIds = [deleted.trace_id ?? ''];
      const deletion = { deletionId: 'd', forgetAt: startedAt(30) };
      expect(await store.scores.deleteOfTraces(account, traceIds, deletion)).toBe(1);
      expect(await store.copies.counts(account, 'd')).toEqual({ scores: 1 });
      expect(await ids({ history: true })).toEqual([kept.id]);
      expect(await add(deleted, kept)).toBe(1);
      await store.forget(startedAt(29));
      expect(await add(deleted)).toBe(1);
      await store.forget(startedAt(30));
      expect(await add(deleted)).toBe(0);
    });

    it('of a deleted session are deleted, and late ones from before the deletion are dropped', async () => {
      const of = (session_id: string, second: number) => score({ session_id, created_at: startedAt(second) });
      const [deleted, later, other] = [of('gone', 1), of('gone', 31), of('other', 1)];
      await add(deleted, later, other);
      const deletion = { deletedAt: startedAt(30), forgetAt: FOREVER, deletionId: 'd' };
      expect(await store.scores.deleteOfSession(account, 'gone', deletion)).toBe(1);
      expect(await store.copies.counts(account, 'd')).toEqual({ scores: 1 });
      expect(await add(deleted, of('gone', 2), of('gone', 32))).toBe(2);
      expect((await list({ sessionId: 'gone', history: true })).map(({ created_at }) => created_at)).toEqual([
        startedAt(32),
        startedAt(31),
      ]);
      expect(await store.scores.deleteOfEndedSession(account, 'gone')).toBe(2);
      expect(await ids()).toEqual([other.id]);
      expect(await add(of('gone', 33))).toBe(0);
    });

    it('of an erased test run item are deleted, and late ones are dropped', async () => {
      const [id, flags] = [newTraceId(), { fixed: false, failing_as_before: false, new_error: false }];
      await store.testRuns.create(account, { id, traceFunctionKey: 'k', createdAt: startedAt(1) }, []);
      const item = (item_no: number) => ({
        record: { item_no, verdict: 'same' as const },
        summary: { item_no, verdict: 'same' as const },
        flags: { ...flags, accepted: false, diverged: false },
        isPending: false,
      });
      await store.testRuns.putItems(account, id, [item(0), item(1)]);
      const of = (item_no: number, repetition = 0) => score({ test_run_id: id, item_no, repetition });
      await add(of(0), of(0, 1), of(1));
      await store.copies.eraseRunItems(account, [{ testRunId: id, item: [0, 0] }], 'd');
      expect(await store.copies.counts(account, 'd')).toEqual({ run_items: 1, scores: 1 });
      const left = async () =>
        (await list({ testRunId: id })).map(({ item_no, repetition = 0 }) => [item_no, repetition]).sort();
      expect(await left()).toEqual([
        [0, 1],
        [1, 0],
      ]);
      expect(await add(of(0), of(1))).toBe(1);
    });

    it('belong to one account, and are deleted with it', async () => {
      const stranger = await addAccount(store);
      const stored = score();
      await add(stored);
      const traceIds = [stored.trace_id ?? ''];
      expect(await store.scores.list(stranger, { traceId: traceIds[0] ?? '' }, PAGE)).toEqual({ scores: [] });
      expect(await store.scores.listNames(stranger, '', 10)).toEqual({ items: [] });
      expect(await store.scores.deleteOfTraces(stranger, traceIds, { forgetAt: FOREVER })).toBe(0);
      await deleteAccount(store, stranger);
      expect(await ids()).toEqual([stored.id]);
      await deleteAccount(store, account);
      expect(await list({ history: true })).toEqual([]);
    });

    it('match a model in any order and any batches', async () => {
      const some = fc.record({
        id: fc.integer({ min: 0, max: 12 }).map(uuid),
        trace_id: fc.integer({ min: 0, max: 1 }).map(uuid),
        name: fc.constantFrom('a', 'b'),
        value: fc.constantFrom(0, 1, true, null, 'x'),
        author: fc.record({ kind: fc.constantFrom('person', 'program'), name: fc.constantFrom('x', 'y') }),
        created_at: fc.integer({ min: 0, max: 2 }).map(formatTimestamp),
      });
      const arrivals = fc.array(fc.array(some, { maxLength: 5 }), { maxLength: 5 });
      await fc.assert(
        fc.asyncProperty(arrivals, async (batches) => {
          account = await addAccount(store);
          const kept = new Map<string, ScoreRecord>();
          for (const batch of batches) {
            await add(...batch);
            for (const one of batch) if (!kept.has(one.id)) kept.set(one.id, one);
          }
          const ascending = [...kept.values()].sort((a, b) =>
            a.created_at + a.id < b.created_at + b.id ? -1 : 1,
          );
          const identity = ({ trace_id, name, author }: ScoreRecord) =>
            [trace_id, name, author.kind, author.name].join();
          const latest = new Map(ascending.map((one) => [identity(one), one.id]));
          expect((await ids()).sort()).toEqual([...latest.values()].sort());
          expect(await list({ history: true })).toEqual(ascending.toReversed());
        }),
        { numRuns: 20 },
      );
    });
  });
}
