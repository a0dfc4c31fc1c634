import { InvalidCursorError } from '../../errors.js';
import { newTraceId } from '@dacapo/protocol';
import { span, startedAt, unfinished } from '../records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeSearchingCalls(opened: () => OpenedSpanStore): void {
  describe('searching calls', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    it('returns a call with its payload and its session', async () => {
      const span_data = {
        input: [1],
        output: { two: 2 },
        usage: { model: 'm' },
        meta: { replayable: false as const },
      };
      const call = span({ span_data });
      const facts = { session_id: 's-1', metadata: { plan: 'pro' }, contexts: { user: 'u' } };
      await own.put([call], [{ id: call.trace_id, ...facts }]);
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
          trace: facts,
          ...span_data,
        },
      ]);
    });

    it.each(['error', 'cancelled', 'unfinished', 'ok'] as const)(
      'gives those calls that are %s, beside which others of their traces may be anything',
      async (status) => {
        const statuses = ['ok', 'error', 'cancelled', 'unfinished'] as const;
        const calls = statuses.flatMap((outer, n) =>
          statuses.flatMap((inner, m) => {
            const call = span({ status: outer, started_at: startedAt(10 * n + m) });
            const inside = span({
              trace_id: call.trace_id,
              parent_id: call.id,
              status: inner,
              started_at: startedAt(59),
            });
            return [call, inside];
          }),
        );
        await own.put(calls);
        const search = { trace_function_key: 'answer', status, limit: 2 };
        const first = await own.calls.search(own.account, search);
        const { next_cursor: cursor = 'none' } = first;
        const second = await own.calls.search(own.account, { ...search, cursor });
        const found = [...first.items, ...second.items].map(({ span_id }) => span_id);
        const wanted = calls.filter((call) => call.parent_id === undefined && call.status === status);
        // A trace that holds nothing but unfinished calls is no recording.
        const listed = status === 'unfinished' ? wanted.slice(0, -1) : wanted;
        expect(found).toEqual(listed.map(({ id }) => id).reverse());
      },
    );

    it('selects the outermost span with the key at any depth', async () => {
      const request = span({ trace_function_key: 'request' });
      const { trace_id } = request;
      const outer = span({ trace_id, parent_id: request.id, started_at: startedAt(5) });
      const between = span({ trace_id, parent_id: outer.id, trace_function_key: 'other' });
      const inner = span({ trace_id, parent_id: between.id, started_at: startedAt(2) });
      await own.put([inner, between, outer, request]);
      expect(await own.listCalls()).toEqual([outer.id]);
    });

    it('selects the shallowest of several spans, then the earliest', async () => {
      const root = span({ trace_function_key: 'request' });
      const { trace_id } = root;
      const step = span({ trace_id, parent_id: root.id, trace_function_key: 'step' });
      const deep = span({ trace_id, parent_id: step.id, started_at: startedAt(1) });
      const late = span({ trace_id, parent_id: root.id, started_at: startedAt(4) });
      const early = span({ trace_id, parent_id: root.id, started_at: startedAt(3) });
      await own.put([root, step, deep, late, early]);
      expect(await own.listCalls()).toEqual([early.id]);
    });

    it('ends when the parents in a trace form a circle', async () => {
      const a = span({ parent_id: '00000000000000a2', id: '00000000000000a1', trace_function_key: 'x' });
      const b = span({
        trace_id: a.trace_id,
        parent_id: a.id,
        id: '00000000000000a2',
        trace_function_key: 'x',
      });
      const call = span({ trace_id: a.trace_id, parent_id: b.id });
      await own.put([a, b, call]);
      expect(await own.listCalls()).toEqual([call.id]);
    });

    it('skips replayed and unfinished calls unless their traces are named', async () => {
      const plain = span();
      const replayed = span({ test_run_id: 'run-1' });
      const begun = unfinished(span());
      await own.put([plain, replayed, begun]);
      expect(await own.listCalls()).toEqual([plain.id]);
      const ids = [begun.trace_id, replayed.trace_id, newTraceId(), plain.trace_id];
      expect(await own.listCalls(ids)).toEqual([begun.id, replayed.id, plain.id]);
    });

    it('does not replace an unfinished outermost call with an inner one', async () => {
      const outer = unfinished(span());
      await own.put([outer, span({ trace_id: outer.trace_id, parent_id: outer.id })]);
      expect(await own.listCalls()).toEqual([]);
    });

    it('returns every call on request, by start time, with pages of any size', async () => {
      const outer = span({ started_at: startedAt(1) });
      const { trace_id } = outer;
      const inside = [2, 3, 4].map((second) =>
        span({ trace_id, parent_id: outer.id, started_at: startedAt(second) }),
      );
      const other = span({ started_at: startedAt(9) });
      await own.put([outer, ...inside, other]);
      const expected = [other, outer, ...inside].map(({ id }) => id);
      for (const named of [{}, { trace_ids: [other.trace_id, trace_id] }]) {
        for (const limit of [1, 2, 3, 50]) {
          const seen: string[] = [];
          let cursor: string | undefined;
          do {
            const search = { trace_function_key: 'answer', every_call: true, limit, ...named };
            const page = await own.calls.search(own.account, { ...search, ...(cursor && { cursor }) });
            seen.push(...page.items.map((call) => call.span_id));
            cursor = page.next_cursor;
          } while (cursor !== undefined);
          expect(seen).toEqual(expected);
        }
      }
    });

    it('returns the inner calls of each call on request', async () => {
      const calls = [1, 2].map((second) => span({ started_at: startedAt(second) }));
      const inside = calls.flatMap(({ id: parent_id, trace_id }) =>
        [3, 4].map((second) =>
          span({ trace_id, parent_id, trace_function_key: 'tool', started_at: startedAt(second) }),
        ),
      );
      await own.put([...calls, ...inside]);
      const { items } = await own.calls.search(own.account, {
        trace_function_key: 'answer',
        limit: 9,
        descendants: true,
      });
      expect(items.map(({ descendants = [] }) => descendants.map(({ span_id }) => span_id))).toEqual([
        [inside[2]?.id, inside[3]?.id],
        [inside[0]?.id, inside[1]?.id],
      ]);
      expect(items[0]?.descendants?.[0]).toMatchObject({
        trace_function_key: 'tool',
        parent_id: calls[1]?.id,
      });
    });

    it('returns each call with its own inner calls, in small and large traces', async () => {
      const calls = Array.from({ length: 120 }, (_, index) => span({ started_at: startedAt(index % 60) }));
      const innerSpans = new Map(
        calls.map(({ id: parent_id, trace_id }, index) => {
          const count = index % 50 === 25 ? 400 : index % 3;
          return [
            parent_id,
            Array.from({ length: count }, () => span({ trace_id, parent_id, trace_function_key: 'tool' })),
          ];
        }),
      );
      await own.put([...calls, ...[...innerSpans.values()].flat()]);
      const { items } = await own.calls.search(own.account, {
        trace_function_key: 'answer',
        limit: 200,
        descendants: true,
      });
      expect(items).toHaveLength(calls.length);
      for (const { span_id, descendants = [] } of items) {
        const inside = innerSpans.get(span_id) ?? [];
        expect(descendants.map((call) => call.span_id).toSorted()).toEqual(
          inside.map(({ id }) => id).toSorted(),
        );
      }
    });

    it('leaves many inner calls to their own list', async () => {
      const call = span();
      const inside = Array.from({ length: 1001 }, () =>
        span({ trace_id: call.trace_id, parent_id: call.id, trace_function_key: 'tool' }),
      );
      await own.put([call, ...inside]);
      const search = { trace_function_key: 'answer', limit: 1, descendants: true };
      const [tree] = (await own.calls.search(own.account, search)).items;
      const rest = await own.trees.listDescendants(own.account, call.trace_id, call.id, {
        limit: 9,
        cursor: tree?.descendants_cursor ?? '',
      });
      const ids = [...(tree?.descendants ?? []), ...rest.items].map(({ span_id }) => span_id);
      expect(new Set(ids).size).toBe(1001);
      expect(rest.items).toHaveLength(1);
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

    it('rejects a cursor before the first of the named traces', async () => {
      const cursor = Buffer.from('[-9007199254740991,0]').toString('base64url');
      const search = { trace_function_key: 'answer', limit: 1, trace_ids: [newTraceId()], cursor };
      await expect(own.calls.search(own.account, search)).rejects.toThrow(InvalidCursorError);
    });

    it('ends a page early when its payloads are large', async () => {
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
