import type { CallSelection, SpanRecord } from '@dacapo/protocol';
import { newTraceId } from '@dacapo/protocol';
import { score, span, startedAt, unfinished } from '../records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeSelectingCalls(opened: () => OpenedSpanStore): void {
  describe('selecting calls', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    /** Names of the selected calls (`?` for a missing one), and the counts of what was left out. */
    async function select(request: CallSelection, key = 'answer') {
      const { selection, selected } = await own.calls.select(own.account, key, request);
      const spans = await own.store.readSpans(
        own.account,
        selected.flatMap(({ trace_id, span_id }) => (span_id === undefined ? [] : [{ trace_id, span_id }])),
      );
      const names = new Map(spans.map(({ id, name }) => [id, name]));
      expect(selected.map(({ item_no }) => item_no)).toEqual(selected.map((_, index) => index));
      expect(selection.items).toBe(selected.length);
      return { ...selection, names: selected.map(({ span_id = '' }) => names.get(span_id) ?? '?') };
    }

    const call = (name: string, second: number, rest: Partial<SpanRecord> = {}): SpanRecord =>
      span({ name, started_at: startedAt(second), ...rest });

    it('counts skipped calls by reason', async () => {
      const outer = call('outer', 1);
      const { trace_id } = outer;
      await own.put([
        outer,
        call('inner', 2, { trace_id, parent_id: outer.id }),
        call('beside', 3, { trace_id }),
        call('played', 4, { test_run_id: 'r' }),
        unfinished(call('begun', 5)),
        call('last', 6),
      ]);
      expect(await select({})).toMatchObject({
        names: ['last', 'outer'],
        skipped: { inside_another_call: 1, not_first: 1, no_recording: 2 },
        missing: 0,
      });
      expect(await select({ every_call: true })).toMatchObject({
        names: ['last', 'outer', 'inner', 'beside'],
        skipped: { no_recording: 2 },
      });
    });

    it('skips replayed and unfinished calls in a trace with other calls', async () => {
      const first = call('first', 1);
      const { trace_id } = first;
      await own.put([
        first,
        call('played', 2, { trace_id, test_run_id: 'r' }),
        unfinished(call('begun', 3, { trace_id })),
      ]);
      expect(await select({ every_call: true })).toMatchObject({
        names: ['first'],
        skipped: { replay: 1, unfinished: 1 },
      });
    });

    it('reports an unknown key', async () => {
      await own.put([call('one', 1)]);
      expect(await select({}, 'answr')).toMatchObject({ items: 0, unknown_key: true, similar_key: 'answer' });
      expect(await select({ since: startedAt(9) })).not.toHaveProperty('unknown_key');
    });

    it('selects the newest calls up to a limit and counts the rest', async () => {
      await own.put([1, 2, 3, 4, 5].map((second) => call(`c${second}`, second)));
      expect(await select({ limit: 2 })).toMatchObject({ names: ['c5', 'c4'], skipped: { beyond_limit: 3 } });
      expect(await select({ limit: 0 })).toMatchObject({ names: [], skipped: { beyond_limit: 5 } });
      expect((await select({ limit: 5 })).skipped).toEqual({});
    });

    it('keeps the order of named traces and a place for a trace without a call', async () => {
      const [one, two] = [call('one', 1), call('two', 2, { test_run_id: 'r' })];
      await own.put([one, two, call('three', 3)]);
      const trace_ids = [two.trace_id, newTraceId(), one.trace_id, two.trace_id];
      expect(await select({ trace_ids })).toMatchObject({
        names: ['two', '?', 'one'],
        missing: 1,
        skipped: {},
      });
      expect(await select({ trace_ids, limit: 1 })).toMatchObject({
        names: ['two'],
        skipped: { beyond_limit: 2 },
      });
    });

    it.each<[string, CallSelection, string[]]>([
      ['since', { since: startedAt(2) }, ['c3', 'c2']],
      ['until', { until: startedAt(3) }, ['c2', 'c1']],
      ['since and until', { since: startedAt(2), until: startedAt(3) }, ['c2']],
      ['session', { session_id: 's-2' }, ['c2']],
      ['status', { status: 'error' }, ['c3']],
      ['metadata', { metadata: { plan: { seats: 2, name: 'pro' } } }, ['c2']],
      ['a path of metadata', { metadata: { 'plan.name': 'pro', other: 1 } }, ['c2']],
      ['a name', { name: 'c2' }, ['c2']],
      ['a type', { type: 'agent' }, ['c3']],
      ['a model', { model: 'gpt' }, ['c1']],
      ['a duration of the trace', { min_duration_ms: 20, max_duration_ms: 30 }, ['c3', 'c2']],
      ['tokens', { min_tokens: 5 }, ['c1']],
      ['a score', { score: 'kind', score_below: 2 }, ['c1']],
      ['a score that is something', { score: 'kind', score_is: 3 }, ['c2']],
      ['nothing that is there', { max_duration_ms: 1 }, []],
      ['a name, a time and a text', { name: 'c1', since: startedAt(1), text: 'refund' }, ['c1']],
      ['text in an input, in any case', { text: 'REFUND' }, ['c1']],
      ['a phrase and the beginning of a word', { text: '"a refund" plea*' }, ['c1']],
      ['text in an error', { text: 'too many' }, ['c3']],
      ['text in a prompt', { text: 'be kind' }, ['c2']],
      ['text beside what is not searched', { text: 'gpt' }, []],
      ['two conditions', { session_id: 's-1', status: 'error' }, ['c3']],
    ])('asks for %s, of all calls and of named ones', async (_, request, names) => {
      const calls = [
        call('c1', 1, {
          duration_ms: 10,
          span_data: { input: [{ q: 'a refund, please' }], usage: { model: 'gpt', input_tokens: 5 } },
        }),
        call('c2', 2, { duration_ms: 20, span_data: { input: [], prompt: 'Be kind' } }),
        call('c3', 3, {
          duration_ms: 30,
          type: 'agent',
          status: 'error',
          span_data: { error: { name: 'E', message: 'Too many' } },
        }),
      ];
      const traces = calls.map(({ trace_id: id }, index) => ({
        id,
        session_id: index === 1 ? 's-2' : 's-1',
        metadata: { plan: index === 1 ? { name: 'pro', seats: 2 } : { name: 'pro' }, other: index },
      }));
      await own.put(calls, traces);
      await own.score(
        score({ trace_id: calls[0]!.trace_id, name: 'kind', value: 1 }),
        score({ trace_id: calls[1]!.trace_id, span_id: calls[1]!.id, name: 'kind', value: 3 }),
      );
      expect((await select(request)).names).toEqual(names);
      const trace_ids = calls.map(({ trace_id }) => trace_id).reverse();
      expect((await select({ ...request, trace_ids })).names).toEqual(names);
      const { items } = await own.calls.search(own.account, {
        trace_function_key: 'answer',
        ...request,
        limit: 9,
      });
      expect(items.map(({ name }) => name)).toEqual(names);
    });

    it('counts calls that lists hide and calls beyond the limit', async () => {
      await own.put(
        [1, 2, 3, 4, 5].map((second) =>
          call(second % 2 === 0 ? 'even' : 'odd', second, { duration_ms: second }),
        ),
      );
      expect(await select({ name: 'odd' })).toMatchObject({
        names: ['odd', 'odd', 'odd'],
        skipped: { not_matching: 2 },
      });
      expect(await select({ min_duration_ms: 3, sample: { size: 2 } })).toMatchObject({
        skipped: { not_matching: 2, not_sampled: 1 },
      });
      expect(await select({ name: 'odd', limit: 1 })).toMatchObject({ names: ['odd'] });
    });

    describe('by the class that they were recorded on', () => {
      const on = (
        className: string | undefined,
        name: string,
        second: number,
        rest: Partial<SpanRecord> = {},
      ) =>
        call(name, second, {
          span_data: { input: [second], ...(className !== undefined && { meta: { class: className } }) },
          ...rest,
        });

      it('includes or excludes classes and counts the skipped calls', async () => {
        await own.put([on(undefined, 'base', 1), on('Cheap', 'cheap', 2), on('Dear', 'dear', 3)]);
        expect(await select({ classes: ['Cheap'] })).toMatchObject({
          names: ['cheap'],
          skipped: { other_class: 2 },
        });
        expect(await select({ except_classes: ['Cheap', 'Gone'] })).toMatchObject({
          names: ['dear', 'base'],
          skipped: { other_class: 1 },
        });
        expect((await select({ classes: ['Cheap', 'Dear'], except_classes: ['Dear'] })).names).toEqual([
          'cheap',
        ]);
        expect((await select({ classes: [], except_classes: [] })).names).toEqual([]);
        const { items } = await own.calls.search(own.account, {
          trace_function_key: 'answer',
          except_classes: ['Cheap'],
          limit: 9,
        });
        expect(items.map(({ name }) => name)).toEqual(['dear', 'base']);
      });

      it('limits and samples the rest with exact counts', async () => {
        const calls = Array.from({ length: 40 }, (_, index) =>
          on(index % 4 === 0 ? 'Cheap' : 'Dear', `c${index}`, index),
        );
        await own.put(calls);
        expect(await select({ except_classes: ['Dear'], limit: 3 })).toMatchObject({
          names: ['c36', 'c32', 'c28'],
          skipped: { other_class: 30, beyond_limit: 7 },
        });
        const sampled = await select({ classes: ['Cheap'], sample: { size: 4 }, limit: 3 });
        expect(sampled.names).toHaveLength(3);
        expect(sampled.skipped).toEqual({ other_class: 30, not_sampled: 6, beyond_limit: 1 });
      });

      it('selects the outermost call of a class, inside or next to another class', async () => {
        const outer = on('Dear', 'outer', 1);
        const { trace_id } = outer;
        await own.put([
          outer,
          on('Cheap', 'inside', 2, { trace_id, parent_id: outer.id }),
          on('Cheap', 'beside', 3, { trace_id }),
        ]);
        expect(await select({ except_classes: ['Dear'] })).toMatchObject({
          names: ['beside'],
          skipped: { other_class: 1, not_first: 1 },
        });
        expect(await select({ except_classes: ['Dear'], every_call: true })).toMatchObject({
          names: ['inside', 'beside'],
          skipped: { other_class: 1 },
        });
      });

      it('keeps no place for a named trace with calls of other classes only', async () => {
        const dear = on('Dear', 'dear', 1);
        await own.put([dear]);
        expect(await select({ trace_ids: [dear.trace_id], classes: ['Cheap'] })).toMatchObject({
          names: [],
          missing: 0,
          skipped: { other_class: 1 },
        });
      });

      it('knows the class of a call that arrived in two parts', async () => {
        const cheap = on('Cheap', 'cheap', 1);
        await own.put([unfinished(cheap)]);
        await own.put([{ ...cheap, span_data: { output: 1, meta: { class: 'Cheap', continues: true } } }]);
        expect((await select({ classes: ['Cheap'] })).names).toEqual(['cheap']);
      });
    });

    it('samples the same calls for the same seed, and keeps their order', async () => {
      const names = Array.from({ length: 40 }, (_, index) => `c${String(index).padStart(2, '0')}`);
      await own.put(names.map((name, index) => call(name, index)));
      const sample = async (seed: number) => (await select({ sample: { size: 8, seed } })).names;
      const [first, again, other] = [await sample(1), await sample(1), await sample(2)];
      expect(first).toHaveLength(8);
      expect(again).toEqual(first);
      expect(other).not.toEqual(first);
      expect(first).toEqual([...first].sort().reverse());
      expect((await select({ sample: { size: 8 } })).skipped).toEqual({ not_sampled: 32 });
      expect((await select({ sample: { size: 8 }, limit: 3 })).skipped).toEqual({
        not_sampled: 32,
        beyond_limit: 5,
      });
    });

    it('samples failed calls or the slowest calls first', async () => {
      await own.put([
        call('quick', 1, { duration_ms: 1 }),
        call('slow', 2, { duration_ms: 900 }),
        call('failed', 3, { duration_ms: 5, status: 'error' }),
        call('slower', 4, { duration_ms: 1000 }),
      ]);
      expect((await select({ sample: { size: 1, by: 'errors' } })).names).toEqual(['failed']);
      expect((await select({ sample: { size: 2, by: 'slow' } })).names).toEqual(['slower', 'slow']);
    });
  });
}
