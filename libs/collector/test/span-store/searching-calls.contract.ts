import { InvalidCursorError } from '@dacapo/collector';
import { newTraceId } from '@dacapo/protocol';
import { span, startedAt, unfinished } from '../support/records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeSearchingCalls(opened: () => OpenedSpanStore): void {
  describe('searching calls', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    it('gives a call with its payload and its session', async () => {
      const call = span({ span_data: { input: [1], output: { two: 2 }, meta: { replayable: false } } });
      await own.put([call], [{ id: call.trace_id, session_id: 's-1' }]);
      const { items } = await own.calls.search(own.account, { trace_function_key: 'answer', limit: 1 });
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
      await own.put([inner, between, outer, request]);
      expect(await own.callsOf()).toEqual([outer.id]);
    });

    it('takes the shallowest of several, then the earliest', async () => {
      const root = span({ trace_function_key: 'request' });
      const { trace_id } = root;
      const step = span({ trace_id, parent_id: root.id, trace_function_key: 'step' });
      const deep = span({ trace_id, parent_id: step.id, started_at: startedAt(1) });
      const late = span({ trace_id, parent_id: root.id, started_at: startedAt(4) });
      const early = span({ trace_id, parent_id: root.id, started_at: startedAt(3) });
      await own.put([root, step, deep, late, early]);
      expect(await own.callsOf()).toEqual([early.id]);
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
      await own.put([a, b, call]);
      expect(await own.callsOf()).toEqual([call.id]);
    });

    it('leaves out calls of test runs and unfinished ones, unless their traces are named', async () => {
      const plain = span();
      const replayed = span({ test_run_id: 'run-1' });
      const begun = unfinished(span());
      await own.put([plain, replayed, begun]);
      expect(await own.callsOf()).toEqual([plain.id]);
      const ids = [begun.trace_id, replayed.trace_id, newTraceId(), plain.trace_id];
      expect(await own.callsOf(ids)).toEqual([begun.id, replayed.id, plain.id]);
    });

    it('does not take an inner call for an outermost one that is unfinished', async () => {
      const outer = unfinished(span());
      await own.put([outer, span({ trace_id: outer.trace_id, parent_id: outer.id })]);
      expect(await own.callsOf()).toEqual([]);
    });

    it.each([['all calls'], ['named traces']])('pages through %s, each once', async (what) => {
      const spans = Array.from({ length: 7 }, (_, index) => span({ started_at: startedAt(index) }));
      await own.put([...spans, span({ test_run_id: 'r', started_at: startedAt(20) })]);
      const newestFirst = spans.toReversed();
      const seen: string[] = [];
      for (let cursor: string | undefined, first = true; first || cursor !== undefined; first = false) {
        const page = await own.calls.search(own.account, {
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

    it('refuses a cursor that stands before the first of the named traces', async () => {
      const cursor = Buffer.from('[-9007199254740991]').toString('base64url');
      const search = { trace_function_key: 'answer', limit: 1, trace_ids: [newTraceId()], cursor };
      await expect(own.calls.search(own.account, search)).rejects.toThrow(InvalidCursorError);
    });

    it('ends a page early when its payloads are great', async () => {
      const spans = [1, 2, 3].map((second) =>
        span({ started_at: startedAt(second), span_data: { output: 'x'.repeat(7 * 1024 * 1024) } }),
      );
      await own.put(spans);
      const page = await own.calls.search(own.account, { trace_function_key: 'answer', limit: 3 });
      expect(page.items).toHaveLength(2);
      const rest = await own.calls.search(own.account, {
        trace_function_key: 'answer',
        limit: 3,
        cursor: page.next_cursor ?? '',
      });
      expect(rest.items.map((call) => call.span_id)).toEqual([spans[0]?.id]);
      expect(rest.next_cursor).toBeUndefined();
    });
  });
}
