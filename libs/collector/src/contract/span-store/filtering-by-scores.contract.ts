import { formatTimestamp, type ScoreRecord } from '@dacapo/protocol';
import type { ScoreFilter } from '../../storage/ports/score.js';
import { score, span } from '../records.js';
import { type OpenedSpanStore, PAGE, SpanStoreAccount } from './span-store-account.js';

export function describeFilteringByScores(opened: () => OpenedSpanStore): void {
  describe('filtering by scores', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
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
    ])('lists traces and sessions with such a score: %j by %j is %s', async (value, bounds, isListed) => {
      const [traced, inside] = [span(), span()];
      await own.put([traced, inside], [{ id: traced.trace_id, session_id: 's' }]);
      const filter = { name: 'helpful', ...bounds };
      await own.score(
        score({ value, trace_id: traced.trace_id }),
        score({ value, trace_id: inside.trace_id, span_id: inside.id }),
        score({ value, session_id: 's' }),
      );
      expect(await own.names({ score: filter })).toHaveLength(isListed ? 2 : 0);
      const { items } = await own.traces.listSessions(own.account, { score: filter }, PAGE);
      expect(items).toHaveLength(isListed ? 1 : 0);
      expect(await own.names({ score: { ...filter, name: 'other' } })).toEqual([]);
    });

    it('lists the same traces with few and with very many matching scores', async () => {
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

    it('uses only the latest score of each author', async () => {
      const stored = span();
      await own.put([stored]);
      const { trace_id } = stored;
      await own.score(score({ trace_id, value: 0, created_at: formatTimestamp(1) }));
      await own.score(score({ trace_id, value: 1, created_at: formatTimestamp(2) }));
      expect(await own.names({ score: { name: 'helpful', below: 1 } })).toEqual([]);
      expect(await own.names({ score: { name: 'helpful', above: 0 } })).toEqual(['answer']);
    });
  });
}
