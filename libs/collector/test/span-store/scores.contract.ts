import { formatTimestamp, newTraceId, type ScoreRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import type { ScoreFilter, ScoreQuery } from '../../src/storage/score-log.js';
import type { Range } from '../../src/storage/span-store.js';
import { score, span } from '../support/records.js';
import { type OpenedSpanStore, PAGE, SpanStoreAccount } from './span-store-account.js';

const uuid = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

export function describeScores(opened: () => OpenedSpanStore): void {
  describe('scores', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    const list = async (query: ScoreQuery = {}, range: Range = PAGE) =>
      (await own.store.listScores(own.account, query, range)).scores;
    const ids = async (query?: ScoreQuery) => (await list(query)).map(({ id }) => id);

    it('are given back as they came, sent twice as well', async () => {
      const given = score({ label: 'good', explanation: 'why', metadata: { a: [1] }, span_id: span().id });
      await own.score(given);
      await own.score(given);
      expect(await list()).toEqual([given]);
    });

    it('of one id: the first stays', async () => {
      const given = score({ value: 1 });
      await own.score(given, { ...given, value: 2 });
      await own.score({ ...given, value: 3, created_at: '2027-01-01T00:00:00.000000Z' });
      expect(await list()).toEqual([given]);
    });

    it('count by time, whichever comes first, and by the greater id at one time', async () => {
      const at = (second: number, id: string): ScoreRecord =>
        score({ id, trace_id: uuid(0), created_at: formatTimestamp(second * 1e6) });
      await own.score(at(2, uuid(1)));
      await own.score(at(1, uuid(9)));
      expect(await ids()).toEqual([uuid(1)]);
      await own.score(at(2, uuid(3)));
      await own.score(at(2, uuid(2)));
      expect(await ids()).toEqual([uuid(3)]);
      expect(await ids({ history: true })).toEqual([uuid(3), uuid(2), uuid(1), uuid(9)]);
    });

    it('of different authors, names, spans and repetitions count side by side', async () => {
      const [trace_id, test_run_id] = [newTraceId(), newTraceId()];
      const item = (changes: object): ScoreRecord => score({ test_run_id, item_no: 1, ...changes });
      const given = [
        score({ trace_id }),
        score({ trace_id, name: 'polite' }),
        score({ trace_id, author: { kind: 'program', name: 'ann' } }),
        score({ trace_id, author: { kind: 'person', name: 'bob' } }),
        score({ trace_id, span_id: span().id }),
        item({}),
        item({ repetition: 1 }),
        item({ item_no: 11 }),
      ];
      await own.score(...given);
      const sorted = (scores: ScoreRecord[]) => scores.map(({ id }) => id).sort();
      expect((await ids()).sort()).toEqual(sorted(given));
      expect((await ids({ traceId: trace_id })).sort()).toEqual(sorted(given.slice(0, 5)));
      expect(await ids({ traceId: trace_id, spanId: given[4]?.span_id ?? '' })).toEqual([given[4]?.id]);
      expect(await ids({ name: 'polite' })).toEqual([given[1]?.id]);
      expect(await ids({ author: 'bob' })).toEqual([given[3]?.id]);
      expect((await ids({ testRunId: test_run_id, itemNo: 1 })).sort()).toEqual(sorted(given.slice(5, 7)));
      expect(await ids({ sessionId: trace_id })).toEqual([]);
    });

    it('are listed with the newest first, page by page', async () => {
      const given = [1, 2, 3].map((n) => score({ id: uuid(n), created_at: formatTimestamp(n * 1e6) }));
      await own.score(...given);
      const first = await list({}, { limit: 2 });
      expect(first.map(({ id }) => id)).toEqual([uuid(3), uuid(2)]);
      const after = [first[1]?.created_at ?? '', uuid(2)] as const;
      const rest = await list({}, { limit: 2, after });
      expect(rest.map(({ id }) => id)).toEqual([uuid(1)]);
    });

    it.each<[ScoreRecord['value'], Omit<ScoreFilter, 'name'>, boolean]>([
      [0.5, {}, true],
      [0.5, { below: 0.6 }, true],
      [0.5, { below: 0.5 }, false],
      [0.5, { above: 0.4, below: 0.6 }, true],
      [0.5, { above: 0.5 }, false],
      [false, { below: 1 }, true],
      [true, { below: 1 }, false],
      [true, { above: 0 }, true],
      ['toxic', {}, true],
      ['toxic', { above: 0 }, false],
      [null, {}, false],
      [null, { below: 1 }, false],
      ['toxic', { is: ['toxic'] }, true],
      ['toxic', { is: ['tox', 5] }, false],
      [5, { is: ['5', 5] }, true],
      [5, { is: ['5'] }, false],
      [true, { is: [1] }, false],
      [true, { is: ['true', true], above: 0 }, true],
      ['t'.repeat(200), { is: ['t'.repeat(200)] }, true],
      ['t'.repeat(200), { is: ['t'.repeat(201)] }, false],
    ])('filter traces, sessions and items: %j by %j is %s', async (value, bounds, isListed) => {
      const [traced, inside] = [span(), span()];
      await own.put([traced, inside], [{ id: traced.trace_id, session_id: 's' }]);
      const [test_run_id, filter] = [newTraceId(), { name: 'helpful', ...bounds }];
      await own.score(
        score({ value, trace_id: traced.trace_id }),
        score({ value, trace_id: inside.trace_id, span_id: inside.id }),
        score({ value, session_id: 's' }),
        score({ value, test_run_id, item_no: 3, repetition: 1 }),
      );
      expect(await own.names({ score: filter })).toHaveLength(isListed ? 2 : 0);
      const { items } = await own.traces.listSessions(own.account, { score: filter }, PAGE);
      expect(items).toHaveLength(isListed ? 1 : 0);
      const scored = await own.store.listScoredItems(own.account, test_run_id, filter);
      expect(scored).toEqual(isListed ? [[3, 1]] : []);
      expect(await own.names({ score: { ...filter, name: 'other' } })).toEqual([]);
    });

    it('filter traces when very many have such a score, as when few have', async () => {
      const spans = Array.from({ length: 1300 }, (_, n) =>
        span({ name: String(n), started_at: formatTimestamp(n * 1e6) }),
      );
      await own.put(spans);
      await own.score(...spans.map(({ trace_id }, n) => score({ trace_id, value: n % 10 })));
      await own.score(...spans.map(({ trace_id }) => score({ trace_id, name: 'other', value: 10 })));
      const newest = (...digits: number[]) =>
        spans
          .map(({ name }) => name)
          .filter((name) => digits.includes(Number(name.at(-1))))
          .toReversed()
          .slice(0, 50);
      const few = { name: 'helpful', above: 8 };
      const many = { name: 'helpful', above: 0 };
      expect(await own.names({ score: few })).toEqual(newest(9));
      expect(await own.names({ score: many })).toEqual(newest(1, 2, 3, 4, 5, 6, 7, 8, 9));
      expect(await own.names({ score: many, traceFunctionKey: 'answer' })).toEqual(
        newest(1, 2, 3, 4, 5, 6, 7, 8, 9),
      );
    });

    it('filter by what counts alone', async () => {
      const stored = span();
      await own.put([stored]);
      const { trace_id } = stored;
      await own.score(score({ trace_id, value: 0, created_at: formatTimestamp(1) }));
      await own.score(score({ trace_id, value: 1, created_at: formatTimestamp(2) }));
      expect(await own.names({ score: { name: 'helpful', below: 1 } })).toEqual([]);
      expect(await own.names({ score: { name: 'helpful', above: 0 } })).toEqual(['answer']);
    });

    it('belong to one account, and go with it', async () => {
      const stranger = own.stranger();
      const stored = span();
      await own.put([stored]);
      await stranger.put([stored]);
      await own.score(score({ trace_id: stored.trace_id }));
      const query = { traceId: stored.trace_id };
      expect(await stranger.store.listScores(stranger.account, query, PAGE)).toEqual({ scores: [] });
      expect(await stranger.names({ score: { name: 'helpful' } })).toEqual([]);
      await own.store.deleteAccount(stranger.account);
      expect(await list(query)).toHaveLength(1);
      await own.store.deleteAccount(own.account);
      expect(await list({ history: true })).toEqual([]);
    });

    it('count as a model says, in whatever order and batches they arrive', async () => {
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
          own = new SpanStoreAccount(opened());
          const kept = new Map<string, ScoreRecord>();
          for (const batch of batches) {
            await own.score(...batch);
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
        { numRuns: 40 },
      );
    });
  });
}
