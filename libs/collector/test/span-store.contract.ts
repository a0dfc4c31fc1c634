import { newTraceId, type SpanRecord, type TraceRecord } from '@dacapo/protocol';
import { InvalidCursorError } from '@dacapo/collector';
import type { SpanStore } from '../src/storage/span-store.js';
import { span, startedAt, unfinished } from './support/records.js';

const PAGE = { limit: 50 };

/** What every driver of the port must do. `open` gives an empty store. */
export function describeSpanStore(driver: string, open: () => Promise<SpanStore>): void {
  describe(`SpanStore on ${driver}`, () => {
    let store: SpanStore;
    let accounts = 0;
    let account: string;

    beforeAll(async () => {
      store = await open();
    });

    beforeEach(() => {
      account = `acc_${++accounts}`;
    });

    const put = (spans: SpanRecord[], traces: TraceRecord[] = [], batchId?: string) =>
      store.ingest(account, { spans, traces, receivedUs: 1, ...(batchId !== undefined && { batchId }) });
    const names = async (filter = {}) =>
      (await store.listTraces(account, filter, PAGE)).items.map(({ name }) => name);
    const callsOf = async (traceIds?: string[]) => {
      const page = await store.searchCalls(account, {
        trace_function_key: 'answer',
        limit: 50,
        ...(traceIds && { trace_ids: traceIds }),
      });
      return page.items.map((call) => call.span_id);
    };

    it('declares what it promises', () => {
      expect(store.capabilities).toEqual({
        atomicBatches: expect.any(Boolean),
        readsOwnWrites: expect.any(Boolean),
      });
    });

    describe('keeping spans', () => {
      it('gives a span back as it was', async () => {
        const stored = span({
          parent_id: '00000000000000aa',
          status: 'error',
          test_run_id: 'run-1',
          source_span_id: '00000000000000bb',
          span_data: {
            input: [{ nested: [1, 2.5, null, true] }, 'é\u0000\ud83d\ude00', '\ud800'],
            output: null,
            error: { name: 'E', message: 'm', cause: { name: 'C', message: 'c' }, code: 7 },
            prompt: 'line\nline',
            contexts: [{ a: 1 }, { a: 2 }],
            usage: { model: 'm', input_tokens: 3 },
            meta: { output: { truncated: { '': { bytes: 9 } } }, replayable: false },
          },
        });
        await put([stored]);
        expect(await store.findSpan(account, stored.trace_id, stored.id)).toEqual(stored);
      });

      it('keeps a key named __proto__ and the order of keys', async () => {
        const input = [JSON.parse('{"__proto__":{"polluted":1},"b":1,"a":{"constructor":2}}')];
        const stored = span({ span_data: { input } });
        await put([stored]);
        const found = await store.findSpan(account, stored.trace_id, stored.id);
        expect(JSON.stringify(found?.span_data.input)).toBe(JSON.stringify(input));
        expect({}).not.toHaveProperty('polluted');
      });

      it('tells an absent output from an output of null', async () => {
        const stored = span({ span_data: {} });
        await put([stored]);
        expect((await store.findSpan(account, stored.trace_id, stored.id))?.span_data).toEqual({});
      });

      it('stores a span that is sent twice once', async () => {
        const stored = span();
        await put([stored]);
        await put([stored, stored]);
        expect((await store.findTrace(account, stored.trace_id))?.span_count).toBe(1);
      });

      it('never changes a finished span', async () => {
        const stored = span();
        await put([stored]);
        await put([{ ...stored, name: 'other', span_data: { output: 'other' } }]);
        expect(await store.findSpan(account, stored.trace_id, stored.id)).toEqual(stored);
      });

      it('puts a finished span in the place of its unfinished one', async () => {
        const finished = span({ status: 'error', span_data: { error: { name: 'E', message: 'm' } } });
        await put([unfinished(finished)]);
        await put([finished]);
        expect(await store.findSpan(account, finished.trace_id, finished.id)).toEqual(finished);
        expect(await store.findTrace(account, finished.trace_id)).toMatchObject({
          status: 'error',
          span_count: 1,
          error_count: 1,
          duration_ms: 1500,
        });
      });

      it('never puts an unfinished span in the place of its finished one', async () => {
        const finished = span();
        await put([finished]);
        await put([unfinished(finished)]);
        expect(await store.findSpan(account, finished.trace_id, finished.id)).toEqual(finished);
      });

      it('stores nothing of a batch whose id it knows', async () => {
        const first = span();
        expect(await put([first], [], 'batch-1')).toEqual({ duplicate: false });
        expect(await put([span({ trace_id: first.trace_id })], [], 'batch-1')).toEqual({ duplicate: true });
        expect((await store.findTrace(account, first.trace_id))?.span_count).toBe(1);
      });

      it('knows batch ids by account', async () => {
        await put([], [], 'batch-1');
        account = `${account}-other`;
        expect(await put([], [], 'batch-1')).toEqual({ duplicate: false });
      });
    });

    describe('assembling traces', () => {
      const trace_id = newTraceId();
      const root = span({ trace_id, name: 'root', started_at: startedAt(1) });
      const child = span({ trace_id, name: 'child', parent_id: root.id, started_at: startedAt(2) });
      const grandchild = span({
        trace_id,
        name: 'grandchild',
        parent_id: child.id,
        started_at: startedAt(3),
      });

      it.each([
        ['in order', [root, child, grandchild]],
        ['out of order', [grandchild, child, root]],
      ])('names a trace after its root when spans arrive %s', async (_, spans) => {
        for (const one of spans) await put([one]);
        const trace = await store.findTrace(account, trace_id);
        expect(trace).toMatchObject({
          id: trace_id,
          name: 'root',
          span_count: 3,
          input_preview: '["question"]',
        });
        expect(trace?.spans.map(({ name, parent_id }) => [name, parent_id])).toEqual([
          ['root', undefined],
          ['child', root.id],
          ['grandchild', child.id],
        ]);
      });

      it('takes the earliest span for the root until the root is there', async () => {
        await put([grandchild, child]);
        expect(await names()).toEqual(['child']);
      });

      it('makes a trace of a patch that comes before any span', async () => {
        await put([], [{ id: trace_id, session_id: 's-1', metadata: { plan: 'pro' } }]);
        expect(await store.findTrace(account, trace_id)).toEqual({
          id: trace_id,
          session_id: 's-1',
          trace_function_key: '',
          name: '',
          type: 'custom',
          status: 'unfinished',
          started_at: '1970-01-01T00:00:00.000001Z',
          span_count: 0,
          error_count: 0,
          metadata: { plan: 'pro' },
          contexts: {},
          spans: [],
        });
        await put([root]);
        expect(await store.findTrace(account, trace_id)).toMatchObject({ name: 'root', session_id: 's-1' });
      });

      it('merges patches: the last session, metadata and contexts by key (SPEC 2.7)', async () => {
        await put(
          [],
          [
            { id: trace_id, session_id: 's-1', metadata: { a: 1, b: { deep: 1 } }, contexts: { user: 'u' } },
            { id: trace_id, metadata: JSON.parse('{"b":{"other":2},"__proto__":3}') },
          ],
        );
        await put([], [{ id: trace_id, session_id: 's-2', contexts: { city: 'c' } }]);
        const trace = await store.findTrace(account, trace_id);
        expect(trace?.session_id).toBe('s-2');
        expect(JSON.stringify(trace?.metadata)).toBe('{"a":1,"b":{"other":2},"__proto__":3}');
        expect(trace?.contexts).toEqual({ user: 'u', city: 'c' });
      });

      it('cuts previews for lists, never within a character', async () => {
        await put([span({ trace_id, span_data: { output: '\ud83d\ude00'.repeat(300) } })]);
        const [trace] = (await store.listTraces(account, {}, PAGE)).items;
        expect(trace?.output_preview).toMatch(/^"(\ud83d\ude00)+…$/u);
        expect(trace?.output_preview?.length).toBeLessThanOrEqual(200);
      });
    });

    describe('listing', () => {
      it('lists the newest first, page by page', async () => {
        await put(
          [1, 2, 2, 2, 5].map((second, index) => span({ name: `t${index}`, started_at: startedAt(second) })),
        );
        const seen: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page = await store.listTraces(
            account,
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
        await put(
          [
            a,
            span({ trace_id: a.trace_id, parent_id: a.id, trace_function_key: 'inner' }),
            span({ name: 'b', status: 'error' }),
            span({ name: 'c', test_run_id: 'run-1' }),
          ],
          [{ id: a.trace_id, session_id: 's-1' }],
        );
        expect(await names({ traceFunctionKey: 'inner' })).toEqual(['a']);
        expect(await names({ sessionId: 's-1' })).toEqual(['a']);
        expect(await names({ status: 'error' })).toEqual(['b']);
        expect(await names({ testRunId: 'run-1' })).toEqual(['c']);
        expect(await names({ sessionId: 's-1', status: 'error' })).toEqual([]);
        expect(await names({ sessionId: 's-1', traceFunctionKey: 'inner', status: 'ok' })).toEqual(['a']);
      });

      it('refuses a cursor that it did not make', async () => {
        for (const cursor of ['nonsense', 'WzFd', 'eyJhIjoxfQ', '']) {
          await expect(store.listTraces(account, {}, { limit: 1, cursor })).rejects.toThrow(
            InvalidCursorError,
          );
        }
      });

      it('sums up keys and sessions', async () => {
        const first = span({ started_at: startedAt(1) });
        const second = span({ started_at: startedAt(9), trace_function_key: 'classify' });
        const third = span({ started_at: startedAt(5) });
        await put(
          [first, second, third],
          [
            { id: first.trace_id, session_id: 's-1' },
            { id: second.trace_id, session_id: 's-2' },
            { id: third.trace_id, session_id: 's-1' },
          ],
        );
        expect(await store.listTraceFunctionKeys(account)).toEqual([
          { trace_function_key: 'classify', span_count: 1, last_started_at: startedAt(9) },
          { trace_function_key: 'answer', span_count: 2, last_started_at: startedAt(5) },
        ]);
        const page = await store.listSessions(account, { limit: 1 });
        expect(page.items).toEqual([
          {
            session_id: 's-2',
            trace_count: 1,
            first_started_at: startedAt(9),
            last_started_at: startedAt(9),
          },
        ]);
        const rest = await store.listSessions(account, { limit: 1, cursor: page.next_cursor ?? '' });
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

    describe('searching calls', () => {
      it('gives a call with its payload and its session', async () => {
        const call = span({ span_data: { input: [1], output: { two: 2 }, meta: { replayable: false } } });
        await put([call], [{ id: call.trace_id, session_id: 's-1' }]);
        const { items } = await store.searchCalls(account, { trace_function_key: 'answer', limit: 1 });
        expect(items).toEqual([
          {
            trace_id: call.trace_id,
            span_id: call.id,
            name: 'answer',
            type: 'llm',
            status: 'ok',
            started_at: call.started_at,
            duration_ms: 1500,
            session_id: 's-1',
            input: [1],
            output: { two: 2 },
            meta: { replayable: false },
          },
        ]);
      });

      it('takes the outermost span of the key, wherever it stands', async () => {
        const request = span({ trace_function_key: 'request' });
        const { trace_id } = request;
        const outer = span({ trace_id, parent_id: request.id, started_at: startedAt(5) });
        const between = span({ trace_id, parent_id: outer.id, trace_function_key: 'other' });
        const inner = span({ trace_id, parent_id: between.id, started_at: startedAt(2) });
        await put([inner, between, outer, request]);
        expect(await callsOf()).toEqual([outer.id]);
      });

      it('takes the shallowest of several, then the earliest', async () => {
        const root = span({ trace_function_key: 'request' });
        const { trace_id } = root;
        const step = span({ trace_id, parent_id: root.id, trace_function_key: 'step' });
        const deep = span({ trace_id, parent_id: step.id, started_at: startedAt(1) });
        const late = span({ trace_id, parent_id: root.id, started_at: startedAt(4) });
        const early = span({ trace_id, parent_id: root.id, started_at: startedAt(3) });
        await put([root, step, deep, late, early]);
        expect(await callsOf()).toEqual([early.id]);
      });

      it('ends in a trace whose parents go in a circle', async () => {
        const a = span({ parent_id: '00000000000000a2', id: '00000000000000a1', trace_function_key: 'x' });
        const b = span({
          trace_id: a.trace_id,
          parent_id: a.id,
          id: '00000000000000a2',
          trace_function_key: 'x',
        });
        const call = span({ trace_id: a.trace_id, parent_id: b.id });
        await put([a, b, call]);
        expect(await callsOf()).toEqual([call.id]);
      });

      it('leaves out calls of test runs and unfinished ones, unless their traces are named', async () => {
        const plain = span();
        const replayed = span({ test_run_id: 'run-1' });
        const begun = unfinished(span());
        await put([plain, replayed, begun]);
        expect(await callsOf()).toEqual([plain.id]);
        const ids = [begun.trace_id, replayed.trace_id, newTraceId(), plain.trace_id];
        expect(await callsOf(ids)).toEqual([begun.id, replayed.id, plain.id]);
      });

      it('does not take an inner call for an outermost one that is unfinished', async () => {
        const outer = unfinished(span());
        await put([outer, span({ trace_id: outer.trace_id, parent_id: outer.id })]);
        expect(await callsOf()).toEqual([]);
      });

      it.each([['all calls'], ['named traces']])('pages through %s, each once', async (what) => {
        const spans = Array.from({ length: 7 }, (_, index) => span({ started_at: startedAt(index) }));
        await put([...spans, span({ test_run_id: 'r', started_at: startedAt(20) })]);
        const newestFirst = spans.toReversed();
        const seen: string[] = [];
        for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
          const page = await store.searchCalls(account, {
            trace_function_key: 'answer',
            limit: 3,
            ...(what === 'named traces' && { trace_ids: newestFirst.map(({ trace_id }) => trace_id) }),
            ...(cursor !== undefined && { cursor }),
          });
          seen.push(...page.items.map((call) => call.span_id));
          cursor = page.next_cursor;
        }
        expect(seen).toEqual(newestFirst.map(({ id }) => id));
      });

      it('ends a page early when its payloads are great', async () => {
        const spans = [1, 2, 3].map((second) =>
          span({ started_at: startedAt(second), span_data: { output: 'x'.repeat(7 * 1024 * 1024) } }),
        );
        await put(spans);
        const page = await store.searchCalls(account, { trace_function_key: 'answer', limit: 3 });
        expect(page.items).toHaveLength(2);
        const rest = await store.searchCalls(account, {
          trace_function_key: 'answer',
          limit: 3,
          cursor: page.next_cursor ?? '',
        });
        expect(rest.items.map((call) => call.span_id)).toEqual([spans[0]?.id]);
        expect(rest.next_cursor).toBeUndefined();
      });
    });

    describe('tenants', () => {
      it('lets two accounts hold the same trace and span ids', async () => {
        const mine = span({ name: 'mine' });
        await put([mine]);
        const first = account;
        account = `${account}-other`;
        await put([{ ...mine, name: 'theirs' }]);
        expect((await store.findSpan(first, mine.trace_id, mine.id))?.name).toBe('mine');
        expect((await store.findSpan(account, mine.trace_id, mine.id))?.name).toBe('theirs');
      });

      it('shows an account nothing of another', async () => {
        const mine = span();
        await put([mine], [{ id: mine.trace_id, session_id: 's-1' }]);
        account = `${account}-other`;
        expect(await store.findTrace(account, mine.trace_id)).toBeUndefined();
        expect(await store.findSpan(account, mine.trace_id, mine.id)).toBeUndefined();
        expect(await names()).toEqual([]);
        expect(await store.listTraceFunctionKeys(account)).toEqual([]);
        expect((await store.listSessions(account, PAGE)).items).toEqual([]);
        expect(await callsOf()).toEqual([]);
        expect(await callsOf([mine.trace_id])).toEqual([]);
      });

      it('deletes all of one account and nothing of another', async () => {
        const mine = span();
        await put([mine], [{ id: mine.trace_id, session_id: 's-1', metadata: { a: 1 } }], 'batch-1');
        const gone = account;
        account = `${account}-other`;
        await put([mine]);
        await store.deleteAccount(gone);
        expect(await store.findTrace(gone, mine.trace_id)).toBeUndefined();
        expect(await store.listTraceFunctionKeys(gone)).toEqual([]);
        expect(await names()).toEqual(['answer']);
        expect(await store.findSpan(account, mine.trace_id, mine.id)).toEqual(mine);
      });
    });
  });
}
