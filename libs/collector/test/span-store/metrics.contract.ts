import { newTraceId, parseTimestamp, type SpanRecord } from '@dacapo/protocol';
import type { MetricsQuery } from '../../src/storage/metrics/metrics-query.js';
import { span, unfinished } from '../support/records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

const us = (time: string): number => parseTimestamp(time) ?? NaN;

/** All days that the tests are about. */
const ALL: MetricsQuery = {
  sinceUs: us('2026-01-01T00:00:00Z'),
  untilUs: us('2026-03-01T00:00:00Z'),
  replays: 'exclude',
};

/** A call that ended after so many milliseconds. */
const call = (key: string, at: string, overrides: Partial<SpanRecord> = {}): SpanRecord =>
  span({ trace_function_key: key, type: 'function', started_at: at, duration_ms: 100, ...overrides });

const AT = '2026-01-31T12:30:00.000000Z';

export function describeMetrics(opened: () => OpenedSpanStore): void {
  describe('metrics', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    const read = async (query: Partial<MetricsQuery> = {}) => {
      const { rows, waitingBatches } = await own.store.readMetrics(own.account, { ...ALL, ...query });
      expect(waitingBatches).toBe(0);
      const sorted = rows.map(({ traceFunctionKey, startUs, tally }) => ({
        ...{
          key: traceFunctionKey,
          startUs,
          calls: tally.calls,
          errors: tally.errors,
          p95: tally.percentile(0.95),
        },
        ...{
          used: [
            tally.modelCalls,
            tally.unpricedCalls,
            tally.inputTokens,
            tally.outputTokens,
            tally.costNanoUsd,
          ],
        },
      }));
      return sorted.sort((a, b) => (a.startUs ?? 0) - (b.startUs ?? 0) || a.key.localeCompare(b.key));
    };

    it('count calls, failures and durations by key', async () => {
      await own.put([
        call('a', AT),
        call('a', AT, { status: 'error', duration_ms: 300 }),
        unfinished(call('a', AT)),
        call('b', AT, { status: 'cancelled', duration_ms: 0 }),
      ]);
      const near = (ms: number): unknown => expect.closeTo(ms, -Math.log10(ms / 50)) as unknown;
      expect(await read()).toMatchObject([
        { key: 'a', calls: 3, errors: 1, p95: near(300) },
        { key: 'b', calls: 1, errors: 0, p95: 0 },
      ]);
      expect(await read({ traceFunctionKey: 'b' })).toMatchObject([{ key: 'b', calls: 1 }]);
      expect(await read({ traceFunctionKey: '' })).toMatchObject([{ key: '', calls: 4, errors: 1 }]);
      expect(await own.stranger().store.readMetrics(own.stranger().account, ALL)).toMatchObject({ rows: [] });
    });

    it('charge what a model call used to each key above it once, when its outermost call began', async () => {
      const trace_id = newTraceId();
      const outer = call('agent', '2026-01-31T10:59:59.000000Z', { trace_id });
      const inner = call('agent', AT, { trace_id, parent_id: outer.id });
      const usage = { model: 'm', input_tokens: 10, output_tokens: 1 };
      const llm = { trace_id, type: 'llm', span_data: { usage } } as const;
      const around = call('model', AT, { ...llm, parent_id: inner.id });
      const request = call('model', AT, { ...llm, parent_id: around.id });
      const second = call('model', AT, { ...llm, parent_id: outer.id });
      const costs = new Map([[request, { usd: 0.25, priceVersion: 'x' }]]);
      await own.put([outer, inner, around, request, second], [], undefined, costs);
      const used = [2, 1, 20, 2, 250_000_000];
      const [ten, twelve] = [us('2026-01-31T10:00:00Z'), us('2026-01-31T12:00:00Z')];
      expect(await read({ hours: 1 })).toMatchObject([
        { key: 'agent', startUs: ten, calls: 1, used },
        { key: 'agent', startUs: twelve, calls: 1, used: [0, 0, 0, 0, 0] },
        { key: 'model', startUs: twelve, calls: 3, used },
      ]);
      expect(await read({ traceFunctionKey: '', hours: 24 })).toMatchObject([
        { key: '', startUs: us('2026-01-31T00:00:00Z'), calls: 1, used },
      ]);
    });

    it('are of the hours and days asked for', async () => {
      const times = ['30T23:59', '31T00:00', '31T00:59', '31T12:00', '31T23:59'].map(
        (at) => `2026-01-${at}:00.000000Z`,
      );
      await own.put([...times, '2026-02-01T00:00:00.000000Z'].map((at) => call('a', at)));
      const between = async (since: string, until: string) =>
        (await read({ sinceUs: us(`2026-${since}:00Z`), untilUs: us(`2026-${until}:00Z`) }))[0]?.calls;
      expect(await between('01-30T23:00', '02-01T01:00')).toBe(6);
      expect(await between('01-31T00:00', '02-01T00:00')).toBe(4);
      expect(await between('01-31T01:00', '02-01T00:00')).toBe(2);
      expect(await between('01-31T12:00', '01-31T13:00')).toBe(1);
      expect(await between('01-31T13:00', '01-31T14:00')).toBeUndefined();
    });

    it('have replays apart', async () => {
      await own.put([call('a', AT), call('a', AT, { test_run_id: 'run-1', status: 'error' })]);
      const counts = async (replays: MetricsQuery['replays']) =>
        (await read({ replays })).map(({ calls, errors }) => [calls, errors]);
      expect([await counts('exclude'), await counts('only'), await counts('include')]).toEqual([
        [[1, 0]],
        [[1, 1]],
        [[2, 1]],
      ]);
    });

    it('are those of what is stored, when it comes late, twice or in parts', async () => {
      const late = call('a', AT, { status: 'error' });
      const parent = call('root', AT, { trace_id: late.trace_id });
      await own.put([unfinished(late)], [], 'batch-1');
      expect(await read()).toMatchObject([{ key: 'a', calls: 1, errors: 0, p95: undefined }]);
      await own.put([late, late]);
      await own.put([{ ...late, status: 'ok' }]);
      await own.put([unfinished(late)], [], 'batch-1');
      await own.put([parent], [{ id: late.trace_id, session_id: 'later' }]);
      expect(await read()).toMatchObject([
        { key: 'a', calls: 1, errors: 1 },
        { key: 'root', calls: 1, errors: 0 },
      ]);
      expect(await read({ traceFunctionKey: '' })).toMatchObject([{ calls: 1 }]);
    });

    it('have nothing of a trace that was deleted', async () => {
      const [kept, gone] = [call('a', AT), call('a', AT, { status: 'error', duration_ms: 5000 })];
      await own.put([kept, gone, call('b', AT, { trace_id: gone.trace_id })]);
      expect(await read()).toHaveLength(2);
      const deletion = { forgetAt: '2100-01-01T00:00:00.000000Z', withCopies: true, mostSpans: 100 };
      let part = await own.store.deletions.deleteTraces(own.account, [gone.trace_id], deletion);
      while (!part.isDone) {
        part = await own.store.deletions.deleteTraces(own.account, [gone.trace_id], deletion);
      }
      expect(await read()).toMatchObject([{ key: 'a', calls: 1, errors: 0, p95: expect.closeTo(100, -0.5) }]);
      expect(await read({ traceFunctionKey: '' })).toMatchObject([{ calls: 1, errors: 0 }]);
    });

    it('go with their account', async () => {
      await own.put([call('a', AT)]);
      await read();
      await own.put([call('a', AT)]);
      await own.store.deleteAccount(own.account);
      expect(await read()).toEqual([]);
    });
  });
}
