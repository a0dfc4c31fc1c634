import { InvalidCursorError } from '@dacapo/collector';
import { newTraceId, type SpanRecord } from '@dacapo/protocol';
import type { TraceFilter } from '../../src/storage/span-store.js';
import { span, startedAt, unfinished } from '../support/records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeListing(opened: () => OpenedSpanStore): void {
  describe('listing', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    it('lists the newest first, page by page', async () => {
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

    it('filters by a key that stands anywhere in a trace, by session, status and test run', async () => {
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
      expect(await own.names({ sessionId: 's-1' })).toEqual(['a']);
      expect(await own.names({ status: 'error' })).toEqual(['b']);
      expect(await own.names({ testRunId: 'run-1' })).toEqual(['c']);
      expect(await own.names({ withoutReplays: true })).not.toContain('c');
      expect(await own.names({ sessionId: 's-1', status: 'error' })).toEqual([]);
      expect(await own.names({ sessionId: 's-1', traceFunctionKey: 'inner', status: 'ok' })).toEqual(['a']);
    });

    it('filters by the worst status of a trace, and under a key of its calls, and shows the call that has it', async () => {
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

    it('filters by time: from a moment on, and before one', async () => {
      await own.put([1, 2, 3].map((at) => span({ name: `at ${at}`, started_at: startedAt(at) })));
      expect(await own.names({ since: startedAt(2) })).toEqual(['at 3', 'at 2']);
      expect(await own.names({ until: startedAt(2) })).toEqual(['at 1']);
      expect(
        await own.names({ since: startedAt(2), until: startedAt(3), traceFunctionKey: 'answer' }),
      ).toEqual(['at 2']);
    });

    it('shows of a request the first call inside it, and under a key the first call of that key', async () => {
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

    it('shows a session that came late, and the end of a span', async () => {
      const finished = span();
      const begun = unfinished(finished);
      await own.put([begun], [{ id: begun.trace_id, session_id: 's-1' }]);
      await own.put([], [{ id: begun.trace_id, session_id: 's-2' }]);
      await own.put([finished]);
      const { items } = await own.traces.list(own.account, {}, { limit: 1 });
      expect(items).toMatchObject([{ session_id: 's-2', status: 'ok', duration_ms: 1500 }]);
    });

    it('goes on behind a trace whose clock was centuries ahead', async () => {
      const late = span({ started_at: '9999-12-31T23:59:59.000000Z' });
      const usual = span();
      await own.put([usual, late]);
      const first = await own.traces.list(own.account, {}, { limit: 1 });
      expect(first.items).toMatchObject([{ id: late.trace_id, started_at: late.started_at }]);
      const cursor = first.next_cursor ?? '';
      const second = await own.traces.list(own.account, {}, { limit: 1, cursor });
      expect(second.items).toMatchObject([{ id: usual.trace_id }]);
    });

    it('refuses a cursor that it did not make', async () => {
      for (const cursor of ['nonsense', 'WzFd', 'eyJhIjoxfQ', '']) {
        await expect(own.traces.list(own.account, {}, { limit: 1, cursor })).rejects.toThrow(
          InvalidCursorError,
        );
      }
    });

    it('sums up keys and sessions', async () => {
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
