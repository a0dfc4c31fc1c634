import { newTraceId, parseTimestamp, type SpanRecord } from '@dacapo/protocol';
import type { MetricsFilter, MetricsQuery } from '../../storage/ports/metrics-query.js';
import { span, unfinished } from '../records.js';
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
        key: traceFunctionKey,
        startUs,
        calls: tally.calls,
        errors: tally.errors,
        p95: tally.percentile(0.95),
        used: [
          tally.modelCalls,
          tally.unpricedCalls,
          tally.inputTokens,
          tally.outputTokens,
          tally.costNanoUsd,
        ],
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
      expect(await read({ traceFunctionKeys: ['b', 'unknown'] })).toMatchObject([{ key: 'b', calls: 1 }]);
      expect(await read({ traceFunctionKeys: ['a', 'b'] })).toEqual(await read());
      expect(await read({ traceFunctionKeys: [] })).toEqual([]);
      expect(await own.stranger().store.readMetrics(own.stranger().account, ALL)).toMatchObject({ rows: [] });
    });

    it('count the cost of each model call once, with its own key, so that own costs add up to those of traces', async () => {
      const trace_id = '00000000-0000-4000-8000-000000000144';
      const usage = { model: 'm', provider: 'p', input_tokens: 10, output_tokens: 1 };
      const root = call('agent', AT, { trace_id, type: 'agent' });
      const step = call('step', AT, { trace_id, parent_id: root.id });
      const asked = [root, step, step].map(({ id: parent_id }) =>
        call('model', AT, { trace_id, parent_id, type: 'llm', span_data: { usage } }),
      );
      const outer = call('wrapped', AT, { trace_id, type: 'llm', parent_id: root.id });
      const inner = call('agent', AT, { trace_id, type: 'llm', parent_id: outer.id, span_data: { usage } });
      const costs = new Map([...asked, inner].map((one) => [one, { usd: 0.5, priceVersion: 'x' }] as const));
      await own.put([root, step, ...asked, outer, inner], [], undefined, costs);
      const { rows } = await own.store.readMetrics(own.account, ALL);
      const counted = rows.map(({ traceFunctionKey: key, tally }) => [
        key,
        tally.costNanoUsd,
        tally.ownCostNanoUsd,
        tally.ownModelCalls,
      ]);
      expect(counted.sort()).toEqual([
        ['agent', 2e9, 0.5e9, 1],
        ['model', 1.5e9, 1.5e9, 3],
        ['step', 1e9, 0, 0],
        ['wrapped', 0.5e9, 0, 0],
      ]);
      const {
        rows: [whole],
      } = await own.store.readMetrics(own.account, { ...ALL, traceFunctionKey: '' });
      expect(whole?.tally.costNanoUsd).toBe(2e9);
    });

    it('group traces by their facts, and spans by level and kind', async () => {
      const grouped = async (query: Partial<MetricsQuery>) => {
        const { rows } = await own.store.readMetrics(own.account, { ...ALL, ...query });
        const figures = rows.map(({ group, startUs, tally }) => [
          group,
          ...(startUs === undefined ? [] : [startUs]),
          tally.calls,
          tally.errors,
          tally.inputTokens,
        ]);
        return figures.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      };
      const trace_id = newTraceId();
      const usage = { model: 'm', input_tokens: 10, output_tokens: 1 };
      const first = call('desk', AT, {
        trace_id,
        user_id: 'ann',
        environment: 'production',
        release: '2',
        tags: ['a', 'b'],
        level: 'warn',
      });
      const model = { parent_id: first.id, type: 'llm', level: 'debug', span_data: { usage } } as const;
      const search = { parent_id: first.id, kind: 'retrieval', level: 'warn', status: 'error' } as const;
      await own.put([
        first,
        call('model', AT, { trace_id, ...model }),
        call('search', AT, { trace_id, ...search }),
        call('desk', '2026-01-31T14:00:00.000000Z', { environment: 'staging', status: 'error', tags: ['b'] }),
        call('desk', AT, { environment: 'production', user_id: 'bob', test_run_id: 'run' }),
        call('desk', '2026-04-01T00:00:00.000000Z', { environment: 'later' }),
      ]);
      expect(await grouped({ groupBy: 'environment' })).toEqual([
        ['production', 1, 0, 10],
        ['staging', 1, 1, 0],
      ]);
      expect(await grouped({ groupBy: 'environment', replays: 'include' })).toEqual([
        ['production', 2, 0, 10],
        ['staging', 1, 1, 0],
      ]);
      expect(await grouped({ groupBy: 'user_id' })).toEqual([
        ['ann', 1, 0, 10],
        [null, 1, 1, 0],
      ]);
      expect(await grouped({ groupBy: 'tags' })).toEqual([
        ['a', 1, 0, 10],
        ['b', 2, 1, 10],
      ]);
      expect(await grouped({ groupBy: 'release', traceFunctionKey: 'search' })).toEqual([['2', 1, 1, 0]]);
      expect(await grouped({ groupBy: 'level' })).toEqual([
        ['debug', 1, 0, 10],
        ['warn', 2, 1, 0],
        [null, 1, 1, 0],
      ]);
      expect(await grouped({ groupBy: 'kind' })).toEqual([
        ['retrieval', 1, 1, 0],
        [null, 3, 1, 10],
      ]);
      expect(await grouped({ groupBy: 'kind', traceFunctionKey: 'model' })).toEqual([[null, 1, 0, 10]]);
      expect(await grouped({ groupBy: 'environment', hours: 1 })).toEqual([
        ['production', us('2026-01-31T12:00:00Z'), 1, 0, 10],
        ['staging', us('2026-01-31T14:00:00Z'), 1, 1, 0],
      ]);
    });

    it('count only traces that match, by key or by group', async () => {
      const trace_id = newTraceId();
      const desk = call('desk', AT, { trace_id, user_id: 'ann', environment: 'ci', tags: ['a', 'b'] });
      const tool = { trace_id, parent_id: desk.id, kind: 'tool', level: 'warn' } as const;
      await own.put([
        desk,
        call('search', AT, { ...tool, status: 'error' }),
        call('desk', AT, { user_id: 'ann', release: '2', tags: ['b'] }),
        call('desk', AT, { environment: 'ci', kind: 'tool' }),
        call('desk', '2026-04-01T00:00:00.000000Z', { user_id: 'ann' }),
        call('desk', AT, { user_id: 'ann', test_run_id: 'run' }),
      ]);
      const counts = async (where: MetricsFilter, query: Partial<MetricsQuery> = {}) =>
        (await read({ where, ...query })).map(({ key, calls, errors }) => [key, calls, errors]);
      const both = [
        ['desk', 2, 0],
        ['search', 1, 1],
      ];
      expect(await counts({ user_id: 'ann' })).toEqual(both);
      expect(await counts({ user_id: 'ann' }, { replays: 'only' })).toEqual([['desk', 1, 0]]);
      expect(await counts({ user_id: 'ann' }, { traceFunctionKey: '' })).toEqual([['', 2, 0]]);
      expect(await counts({ user_id: 'ann' }, { traceFunctionKey: 'search' })).toEqual([['search', 1, 1]]);
      expect(await counts({ user_id: 'bob' })).toEqual([]);
      expect(await counts({ tags: ['b'] })).toEqual(both);
      expect(await counts({ tags: ['a', 'b'], user_id: 'ann' })).toEqual([
        ['desk', 1, 0],
        ['search', 1, 1],
      ]);
      expect(await counts({ environment: 'ci', span: { kind: 'tool' } })).toEqual(both);
      expect(await counts({ span: { kind: 'tool', level: 'warn' } })).toEqual([
        ['desk', 1, 0],
        ['search', 1, 1],
      ]);
      expect(await counts({ release: '2' }, { hours: 24 })).toEqual([['desk', 1, 0]]);
      const { rows } = await own.store.readMetrics(own.account, {
        ...ALL,
        groupBy: 'environment',
        where: { user_id: 'ann' },
      });
      const groups = rows.map(({ group, tally }): [string, number] => [String(group), tally.calls]);
      expect(groups.sort()).toEqual([
        ['ci', 1],
        ['null', 1],
      ]);
      const stranger = own.stranger();
      const asked = { ...ALL, where: { user_id: 'ann' } };
      expect(await stranger.store.readMetrics(stranger.account, asked)).toMatchObject({ rows: [] });
    });

    it('report users, tags, environments and releases of the candidate of a test run', async () => {
      const made = { test_run_id: 'run' };
      await own.put([
        call('desk', AT, { ...made, environment: 'ci', release: '2', tags: ['b', 'a'] }),
        call('desk', AT, { ...made, environment: 'ci', release: '1', tags: ['b', 'c'], user_id: 'ann' }),
        call('desk', AT, made),
        call('desk', AT, { test_run_id: 'other', environment: 'staging' }),
      ]);
      const candidate = (id: string) => own.store.readRunCandidate(own.account, id);
      expect(await candidate('run')).toEqual({
        user_id: ['ann'],
        tags: ['a', 'b', 'c'],
        environment: ['ci'],
        release: ['1', '2'],
      });
      expect(await candidate('none')).toEqual({ user_id: [], tags: [], environment: [], release: [] });
    });

    it('charge a model call once to each key above it, at the start time of the outermost call', async () => {
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

    it('cover the requested hours and days', async () => {
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

    it('count replays separately', async () => {
      await own.put([call('a', AT), call('a', AT, { test_run_id: 'run-1', status: 'error' })]);
      const counts = async (replays: MetricsQuery['replays']) =>
        (await read({ replays })).map(({ calls, errors }) => [calls, errors]);
      expect([await counts('exclude'), await counts('only'), await counts('include')]).toEqual([
        [[1, 0]],
        [[1, 1]],
        [[2, 1]],
      ]);
    });

    it('match the stored spans when spans arrive late, twice or in parts', async () => {
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

    it('count a span on the day that its counting record says, and on no day of an earlier one', async () => {
      const begun = unfinished(call('a', '2026-01-30T23:00:00.000000Z'));
      await own.put([begun]);
      expect(await read({ hours: 24 })).toMatchObject([{ startUs: us('2026-01-30T00:00:00Z'), calls: 1 }]);
      await own.put([{ ...call('a', AT), id: begun.id, trace_id: begun.trace_id }]);
      expect(await read({ hours: 24 })).toMatchObject([{ startUs: us('2026-01-31T00:00:00Z'), calls: 1 }]);
      const untilUs = us('2026-01-31T00:00:00Z');
      expect([await read({ untilUs }), await read({ untilUs, hours: 1 })]).toEqual([[], []]);
    });

    it('exclude deleted traces', async () => {
      const [kept, deleted] = [call('a', AT), call('a', AT, { status: 'error', duration_ms: 5000 })];
      await own.put([kept, deleted, call('b', AT, { trace_id: deleted.trace_id })]);
      expect(await read()).toHaveLength(2);
      const deletion = { forgetAt: '2100-01-01T00:00:00.000000Z', mostSpans: 100 };
      let part = await own.store.deletions.deleteTraces(own.account, [deleted.trace_id], deletion);
      while (!part.isDone) {
        part = await own.store.deletions.deleteTraces(own.account, [deleted.trace_id], deletion);
      }
      expect(await read()).toMatchObject([{ key: 'a', calls: 1, errors: 0, p95: expect.closeTo(100, -0.5) }]);
      expect(await read({ traceFunctionKey: '' })).toMatchObject([{ calls: 1, errors: 0 }]);
    });

    it('are deleted with their account', async () => {
      await own.put([call('a', AT)]);
      await read();
      await own.put([call('a', AT)]);
      await own.store.deleteAccount(own.account);
      expect(await read()).toEqual([]);
    });
  });
}
