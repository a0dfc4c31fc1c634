import { InvalidCursorError } from '../../errors.js';
import { type JsonValue, newTraceId, type SpanRecord, type TraceSort } from '@dacapo/protocol';
import type { TraceFilter } from '../../storage/ports/trace-filter.js';
import { span, startedAt, unfinished } from '../records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeListing(opened: () => OpenedSpanStore): void {
  describe('listing', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    it('lists the newest traces first, page by page', async () => {
      await own.put(
        [1, 2, 2, 2, 5].map((second, index) => span({ name: `t${index}`, started_at: startedAt(second) })),
      );
      const seen: string[] = [];
      for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
        const page = await own.traces.list(
          own.account,
          {},
          { limit: 2, ...(cursor !== undefined && { cursor }) },
        );
        expect(page.items.length).toBeLessThanOrEqual(2);
        seen.push(...page.items.map(({ name }) => name));
        cursor = page.next_cursor;
      }
      expect(seen).toHaveLength(5);
      expect(new Set(seen).size).toBe(5);
      expect([seen[0], seen[4]]).toEqual(['t4', 't0']);
    });

    it('filters by a key anywhere in a trace, by session, status and test run', async () => {
      const a = span({ name: 'a', trace_function_key: 'request' });
      await own.put(
        [
          a,
          span({ trace_id: a.trace_id, parent_id: a.id, trace_function_key: 'inner' }),
          span({ name: 'b', status: 'error' }),
          span({ name: 'c', test_run_id: 'run-1' }),
        ],
        [{ id: a.trace_id, session_id: 's-1' }],
      );
      expect(await own.names({ traceFunctionKey: 'inner' })).toEqual(['a']);
      expect(await own.names({ session_id: 's-1' })).toEqual(['a']);
      expect(await own.names({ status: 'error' })).toEqual(['b']);
      expect(await own.names({ testRunId: 'run-1' })).toEqual(['c']);
      expect(await own.names({ withoutReplays: true })).not.toContain('c');
      expect(await own.names({ session_id: 's-1', status: 'error' })).toEqual([]);
      expect(await own.names({ session_id: 's-1', traceFunctionKey: 'inner', status: 'ok' })).toEqual(['a']);
    });

    it('filters by user, tags, environment and release of traces, and by kind and level of one span', async () => {
      const a = span({
        name: 'a',
        user_id: 'ann@example.com',
        environment: 'staging',
        release: '1.0',
        tags: ['x', 'y'],
      });
      const b = span({ name: 'b', user_id: 'bob', environment: 'production', release: '1.0', tags: ['y'] });
      await own.put([
        a,
        b,
        span({ trace_id: a.trace_id, parent_id: a.id, name: 'find', kind: 'tool', level: 'warn' }),
        span({ trace_id: b.trace_id, parent_id: b.id, name: 'find', kind: 'tool' }),
        span({ trace_id: b.trace_id, parent_id: b.id, name: 'read', kind: 'retrieval', level: 'warn' }),
      ]);
      expect(await own.names({ user_id: 'ann@example.com' })).toEqual(['a']);
      expect(await own.names({ user_id: 'ann' })).toEqual([]);
      expect(await own.names({ environment: 'production' })).toEqual(['b']);
      expect(await own.names({ release: '1.0', environment: 'staging' })).toEqual(['a']);
      expect((await own.names({ tags: ['y'] })).toSorted()).toEqual(['a', 'b']);
      expect(await own.names({ tags: ['y', 'x'] })).toEqual(['a']);
      expect(await own.names({ tags: ['y'], except_tags: ['x', 'z'] })).toEqual(['b']);
      expect(await own.names({ except_tags: ['y'] })).toEqual([]);
      expect(await own.names({ span: { kind: 'tool', level: 'warn' } })).toEqual(['a']);
      expect(await own.names({ span: { kind: 'retrieval' }, user_id: 'bob', release: '1.0' })).toEqual(['b']);
      expect(await own.names({ span: { level: 'debug' } })).toEqual([]);
      const detail = await own.traces.get(own.account, a.trace_id);
      expect(detail).toMatchObject({
        user_id: 'ann@example.com',
        environment: 'staging',
        release: '1.0',
        tags: ['x', 'y'],
        spans: [{ name: 'a' }, { name: 'find', kind: 'tool', level: 'warn' }],
      });
    });

    it('filters by the worst status of a trace, or of its calls with a key, and returns the matching call', async () => {
      const request = span({ name: 'request', trace_function_key: 'request' });
      const { trace_id } = request;
      const judge = (name: string, second: number, status: SpanRecord['status']): SpanRecord =>
        span({
          trace_id,
          parent_id: request.id,
          trace_function_key: 'judge',
          name,
          status,
          started_at: startedAt(second),
        });
      await own.put([
        request,
        judge('calm', 1, 'ok'),
        judge('failed', 2, 'error'),
        judge('left', 3, 'cancelled'),
        span({ trace_id, parent_id: request.id, trace_function_key: 'search', status: 'cancelled' }),
        span({ name: 'well', trace_function_key: 'request' }),
      ]);
      await own.put([], [{ id: newTraceId(), session_id: 'empty' }]);
      const found = async (filter: TraceFilter): Promise<unknown[]> =>
        (await own.traces.list(own.account, filter, { limit: 9 })).items.map(({ name, first_call }) => [
          name,
          ...(first_call ? [first_call.name] : []),
        ]);
      expect(await found({ status: 'error' })).toEqual([['request', 'failed']]);
      expect(await found({ status: 'error', traceFunctionKey: 'judge' })).toEqual([['request', 'failed']]);
      expect(await found({ status: 'error', traceFunctionKey: 'request' })).toEqual([]);
      expect(await found({ status: 'cancelled', traceFunctionKey: 'judge' })).toEqual([]);
      expect(await found({ status: 'cancelled', traceFunctionKey: 'search' })).toEqual([
        ['request', 'answer'],
      ]);
      expect(await found({ status: 'ok' })).toEqual([['well']]);
      expect(await found({ status: 'ok', traceFunctionKey: 'request' })).toHaveLength(2);
      expect(await found({ status: 'unfinished' })).toEqual([['']]);
    });

    it('sorts by an amount, page by page, with unknown amounts last', async () => {
      const used = (tokens: number): SpanRecord['span_data'] => ({ usage: { input_tokens: tokens } });
      const late = startedAt(9);
      await own.put([
        span({ name: 'quick', duration_ms: 1.5, span_data: used(9), started_at: late }),
        span({ name: 'slow', duration_ms: 900, span_data: used(9), started_at: startedAt(5) }),
        span({ name: 'usual', duration_ms: 30, span_data: {} }),
        unfinished(span({ name: 'open' })),
      ]);
      const sorted = async (sort: TraceSort): Promise<string[]> => {
        const seen: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page = await own.traces.list(
            own.account,
            {},
            { limit: 1, ...(cursor !== undefined && { cursor }) },
            sort,
          );
          seen.push(...page.items.map(({ name }) => name));
          cursor = page.next_cursor;
        }
        return seen;
      };
      expect(await sorted('duration_ms')).toEqual(['slow', 'usual', 'quick', 'open']);
      const byTokens = await sorted('tokens');
      expect(byTokens.slice(0, 2).sort()).toEqual(['quick', 'slow']);
      expect(byTokens.slice(2).sort()).toEqual(['open', 'usual']);
      expect(await sorted('time')).toEqual(expect.arrayContaining(['quick', 'slow']));
    });

    it('lists the oldest first, page by page, along each index, and continues after the end', async () => {
      const turn = (second: number, session: string): SpanRecord =>
        span({
          name: `${session} ${second}`,
          started_at: startedAt(second),
          session_id: session,
          status: second === 4 ? 'error' : 'ok',
          tags: second % 2 ? ['odd'] : ['even'],
        });
      await own.put([3, 1, 4, 2, 5].flatMap((second) => [turn(second, 'ann'), turn(second, 'bob')]));
      const list = async (filter: TraceFilter, limit = 2): Promise<string[]> => {
        const seen: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const request = { limit, ...(cursor !== undefined && { cursor }) };
          const page = await own.traces.list(own.account, filter, request, 'oldest');
          seen.push(...page.items.map(({ name }) => name));
          cursor = page.next_cursor;
        }
        return seen;
      };
      const ann = [1, 2, 3, 4, 5].map((second) => `ann ${second}`);
      expect(await list({ session_id: 'ann' })).toEqual(ann);
      expect(await list({ session_id: 'ann', traceFunctionKey: 'answer' })).toEqual(ann);
      expect(await list({ session_id: 'ann', withoutReplays: true }, 1)).toEqual(ann);
      expect(await list({ session_id: 'ann', tags: ['odd'] }, 1)).toEqual(['ann 1', 'ann 3', 'ann 5']);
      expect(await list({ session_id: 'ann', since: startedAt(2), until: startedAt(5) }, 1)).toEqual(
        ann.slice(1, 4),
      );
      expect(await list({ status: 'error', session_id: 'ann' })).toEqual(['ann 4']);
      const all = await list({}, 3);
      expect(all.map((name) => name.slice(-1)).join('')).toBe('1122334455');
      expect(new Set(all).size).toBe(10);

      const page = await own.traces.list(own.account, { session_id: 'ann' }, { limit: 4 }, 'oldest');
      await own.put([turn(0, 'ann'), turn(6, 'ann')]);
      const next = { limit: 9, cursor: page.next_cursor ?? '' };
      const { items } = await own.traces.list(own.account, { session_id: 'ann' }, next, 'oldest');
      expect(items.map(({ name }) => name)).toEqual(['ann 5', 'ann 6']);
      await expect(own.traces.list(own.account, {}, next)).rejects.toThrow();
    });

    it('continues after the cursor of a sorted list while traces arrive', async () => {
      const of = (duration_ms: number): SpanRecord => span({ name: `${duration_ms}`, duration_ms });
      await own.put([10, 20, 30, 40].map(of));
      const first = await own.traces.list(own.account, {}, { limit: 2 }, 'duration_ms');
      await own.put([5, 25, 35, 50].map(of));
      const next = { limit: 9, cursor: first.next_cursor ?? '' };
      const { items } = await own.traces.list(own.account, {}, next, 'duration_ms');
      expect(first.items.map(({ name }) => name)).toEqual(['40', '30']);
      expect(items.map(({ name }) => name)).toEqual(['25', '20', '10', '5']);
    });

    it('counts the tokens of nested model calls once, in any order of arrival', async () => {
      const call = (id: string, parent_id: string | undefined, tokens: number, type: SpanRecord['type']) =>
        span({
          trace_id: '7'.repeat(32),
          id: id.repeat(16),
          type,
          started_at: startedAt(Number(id)),
          ...(parent_id !== undefined && { parent_id: parent_id.repeat(16) }),
          span_data: { usage: { input_tokens: tokens, output_tokens: 1 } },
        });
      const tokens = async () => (await own.store.findTrace(own.account, '7'.repeat(32)))?.tokens;
      await own.put([call('4', '3', 10, 'llm'), call('5', '2', 20, 'llm')]);
      expect(await tokens()).toBe(32);
      await own.put([call('2', '1', 31, 'llm')]);
      // What is between the two is not there yet.
      expect(await tokens()).toBe(11 + 21);
      await own.put([call('1', undefined, 99, 'agent')]);
      await own.put([call('3', '2', 5, 'function')]);
      expect(await tokens()).toBe(32);
    });

    it('matches all span conditions on one span, and with a key on one call', async () => {
      const { trace_id, ...request } = span({ name: 'request', type: 'function' });
      const inside = (name: string, key: string, model: string): SpanRecord =>
        span({
          trace_id,
          parent_id: request.id,
          name,
          trace_function_key: key,
          span_data: { usage: { model } },
        });
      await own.put([
        { ...request, trace_id, trace_function_key: 'request' },
        inside('ask', 'judge', 'small'),
        inside('tell', 'judge', 'large'),
      ]);
      expect(await own.names({ span: { name: 'ask', model: 'small' } })).toEqual(['request']);
      expect(await own.names({ span: { name: 'ask', model: 'large' } })).toEqual([]);
      expect(await own.names({ span: { type: 'function' } })).toEqual(['request']);
      expect(await own.names({ span: { type: 'function' }, traceFunctionKey: 'judge' })).toEqual([]);
      expect(await own.names({ span: { model: 'large' }, traceFunctionKey: 'judge' })).toEqual(['request']);
    });

    it('finds current metadata by the type of its values', async () => {
      const traced = span({ trace_metadata: { tier: 'gold', limits: { seats: 5, 'per.day': null } } });
      await own.put([traced]);
      const has = async (path: string, ...values: JsonValue[]): Promise<boolean> =>
        (await own.names({ metadata: [{ path: path.split('.'), values }] })).length > 0;
      expect(await has('tier', 'gold')).toBe(true);
      expect(await has('limits.seats', 5)).toBe(true);
      expect(await has('limits.seats', '5')).toBe(false);
      expect(await has('limits.per.day', null)).toBe(true);
      expect(await has('limits', 5)).toBe(false);
      expect(await has('tier.length', 4)).toBe(false);
      if (!own.store.capabilities.mergesLateRecords) return;
      await own.put([], [{ id: traced.trace_id, metadata: { tier: 'free' }, at: startedAt(50) }]);
      expect(await has('tier', 'gold')).toBe(false);
      expect(await has('tier', 'free')).toBe(true);
      const twice = { tier: { now: 'paid', next: 'paid', seats: [null, null] } };
      await own.put([], [{ id: traced.trace_id, metadata: twice, at: startedAt(51) }]);
      expect(await has('tier', 'free')).toBe(false);
      expect(await has('tier.next', 'paid')).toBe(true);
    });

    it('filters by time: from a moment, and before a moment', async () => {
      await own.put([1, 2, 3].map((at) => span({ name: `at ${at}`, started_at: startedAt(at) })));
      expect(await own.names({ since: startedAt(2) })).toEqual(['at 3', 'at 2']);
      expect(await own.names({ until: startedAt(2) })).toEqual(['at 1']);
      expect(
        await own.names({ since: startedAt(2), until: startedAt(3), traceFunctionKey: 'answer' }),
      ).toEqual(['at 2']);
    });

    it('shows the first call in a request, and with a key the first call with that key', async () => {
      const request = span({
        name: 'POST /tickets',
        span_data: { input: [{ method: 'POST', path: '/tickets' }] },
      });
      const inside = (name: string, second: number, parent_id: string): SpanRecord =>
        span({
          trace_id: request.trace_id,
          parent_id,
          name,
          trace_function_key: name,
          started_at: startedAt(second),
          span_data: { input: [`asked ${name}`], output: `said ${name}` },
        });
      const answer = inside('answer', 2, request.id);
      await own.put([
        inside('check', 4, request.id),
        inside('classify', 3, answer.id),
        answer,
        request,
        span({ name: 'alone', span_data: { input: ['itself'] } }),
      ]);
      const firstCalls = async (filter: TraceFilter): Promise<unknown[]> =>
        (await own.traces.list(own.account, filter, { limit: 9 })).items.map((trace) => [
          trace.name,
          trace.first_call?.name,
          trace.first_call?.output_preview,
        ]);
      expect(await firstCalls({})).toEqual(
        expect.arrayContaining([
          ['POST /tickets', 'answer', '"said answer"'],
          ['alone', undefined, undefined],
        ]),
      );
      expect(await firstCalls({ traceFunctionKey: 'classify' })).toEqual([
        ['POST /tickets', 'classify', '"said classify"'],
      ]);
      expect(await firstCalls({ traceFunctionKey: request.trace_function_key })).toEqual(
        expect.arrayContaining([['POST /tickets', undefined, undefined]]),
      );
    });

    it('shows a session and a span end that arrive late', async () => {
      const finished = span();
      const begun = unfinished(finished);
      await own.put([begun], [{ id: begun.trace_id, session_id: 's-1' }]);
      await own.put([], [{ id: begun.trace_id, session_id: 's-2' }]);
      await own.put([finished]);
      const { items } = await own.traces.list(own.account, {}, { limit: 1 });
      expect(items).toMatchObject([{ session_id: 's-2', status: 'ok', duration_ms: 1500 }]);
    });

    it('continues after a trace whose clock was centuries ahead', async () => {
      const late = span({ started_at: '9999-12-31T23:59:59.000000Z' });
      const usual = span();
      await own.put([usual, late]);
      const first = await own.traces.list(own.account, {}, { limit: 1 });
      expect(first.items).toMatchObject([{ id: late.trace_id, started_at: late.started_at }]);
      const cursor = first.next_cursor ?? '';
      const second = await own.traces.list(own.account, {}, { limit: 1, cursor });
      expect(second.items).toMatchObject([{ id: usual.trace_id }]);
    });

    it('rejects a foreign cursor', async () => {
      for (const cursor of ['nonsense', 'WzFd', 'eyJhIjoxfQ', '']) {
        await expect(own.traces.list(own.account, {}, { limit: 1, cursor })).rejects.toThrow(
          InvalidCursorError,
        );
      }
    });

    it('summarizes keys and sessions', async () => {
      const first = span({ started_at: startedAt(1) });
      const second = span({ started_at: startedAt(9), trace_function_key: 'classify' });
      const third = span({ started_at: startedAt(5) });
      const replayed = span({ started_at: startedAt(4), test_run_id: 'run-1' });
      await own.put(
        [first, second, third, replayed],
        [
          { id: replayed.trace_id, session_id: 's-1' },
          { id: first.trace_id, session_id: 's-1' },
          { id: second.trace_id, session_id: 's-2' },
          { id: third.trace_id, session_id: 's-1' },
        ],
      );
      expect(await own.store.listTraceFunctionKeys(own.account)).toEqual([
        { trace_function_key: 'classify', span_count: 1, last_started_at: startedAt(9) },
        { trace_function_key: 'answer', span_count: 3, last_started_at: startedAt(5) },
      ]);
      const page = await own.traces.listSessions(own.account, {}, { limit: 1 });
      expect(page.items).toEqual([
        {
          session_id: 's-2',
          trace_count: 1,
          first_started_at: startedAt(9),
          last_started_at: startedAt(9),
        },
      ]);
      const rest = await own.traces.listSessions(
        own.account,
        {},
        { limit: 1, cursor: page.next_cursor ?? '' },
      );
      expect(rest).toEqual({
        items: [
          {
            session_id: 's-1',
            trace_count: 2,
            first_started_at: startedAt(1),
            last_started_at: startedAt(5),
          },
        ],
      });
    });
  });
}
