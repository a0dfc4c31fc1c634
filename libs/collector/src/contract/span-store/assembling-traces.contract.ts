import {
  type CaptureMeta,
  readPatchFacts,
  readSpanFacts,
  newSpanId,
  newTraceId,
  type SpanRecord,
  TraceFacts,
  type TraceRecord,
} from '@dacapo/protocol';
import fc from 'fast-check';
import { span, startedAt, unfinished } from '../records.js';
import { PAGE, type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeAssemblingTraces(opened: () => OpenedSpanStore): void {
  describe('assembling traces', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

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
      for (const one of spans) await own.put([one]);
      const trace = await own.store.findTrace(own.account, trace_id);
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

    it('names a trace after another span when a later record gives its root a parent', async () => {
      const first = span({ trace_id: newTraceId(), name: 'first', started_at: startedAt(1) });
      const second = span({ trace_id: first.trace_id, name: 'second', started_at: startedAt(3) });
      await own.put([unfinished(first), unfinished(second)]);
      await own.put([{ ...first, parent_id: second.id, started_at: startedAt(4) }]);
      const trace = await own.store.findTrace(own.account, first.trace_id);
      expect(trace).toMatchObject({ name: 'second', started_at: startedAt(3) });
    });

    it('reports the error of the root as that of the trace, and the error of each span', async () => {
      const error = { name: 'RateLimitError', message: `429 ${'x'.repeat(300)}` };
      const failed = span({ status: 'error', span_data: { input: [], error } });
      const inside = span({
        trace_id: failed.trace_id,
        parent_id: failed.id,
        status: 'error',
        started_at: startedAt(2),
        span_data: { error: { name: 'Error', message: '' } },
      });
      await own.put([inside, failed]);
      const trace = await own.store.findTrace(own.account, failed.trace_id);
      expect(trace?.error_preview).toMatch(/^RateLimitError: 429 x+…$/);
      expect(trace?.error_preview).toHaveLength(200);
      expect(trace?.spans.map(({ error_preview }) => error_preview)).toEqual([trace?.error_preview, 'Error']);
      const [listed] = (await own.traces.list(own.account, {}, { limit: 1 })).items;
      expect(listed?.error_preview).toBe(trace?.error_preview);
    });

    it('reports the error of an unfinished span once it has ended', async () => {
      const error = { name: 'Error', message: 'out of stock' };
      const failed = span({ status: 'error', span_data: { input: ['question'], error } });
      await own.put([unfinished(failed)]);
      await own.put([failed]);
      const [listed] = (await own.traces.list(own.account, {}, { limit: 1 })).items;
      expect(listed).toMatchObject({ status: 'error', error_preview: 'Error: out of stock' });
    });

    it('names the span that started a trace when its root records it in the known form', async () => {
      const started_by = { trace_id: newTraceId(), span_id: newSpanId() };
      const own_notes = [{ started_by }, { started_by: { trace_id: 5 } }, {}];
      const roots = own_notes.map((meta) => span({ span_data: { input: [], meta: meta as CaptureMeta } }));
      const within = span({
        trace_id: roots[2]!.trace_id,
        parent_id: roots[2]!.id,
        started_at: startedAt(9),
      });
      within.span_data.meta = { started_by };
      await own.put([...roots, within]);
      const traces = await Promise.all(roots.map((one) => own.store.findTrace(own.account, one.trace_id)));
      expect(traces.map((trace) => trace?.started_by)).toEqual([started_by, undefined, undefined]);
    });

    it('lists the linked spans when the root records them in the known form', async () => {
      const link = { trace_id: newTraceId(), span_id: newSpanId() };
      const said = [
        [link],
        [{ trace_id: 5 }, link, null],
        'none',
        [],
        Array.from({ length: 200 }, () => link),
      ];
      const roots = said.map((links) => span({ span_data: { input: [], meta: { links } as CaptureMeta } }));
      await own.put(roots);
      const traces = await Promise.all(roots.map((one) => own.store.findTrace(own.account, one.trace_id)));
      expect(traces.map((trace) => trace?.links?.length)).toEqual([1, 1, undefined, undefined, 100]);
      expect(traces[0]?.links).toEqual([link]);
    });

    it('uses the earliest span as the root until the root arrives', async () => {
      await own.put([grandchild, child]);
      expect(await own.names()).toEqual(['child']);
    });

    it('creates a trace from a patch that arrives before any span', async () => {
      await own.put([], [{ id: trace_id, session_id: 's-1', metadata: { plan: 'pro' } }]);
      expect(await own.store.findTrace(own.account, trace_id)).toEqual({
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
      await own.put([root]);
      expect(await own.store.findTrace(own.account, trace_id)).toMatchObject({
        name: 'root',
        session_id: 's-1',
      });
    });

    it('reports which calls a replay answered from the recording', async () => {
      const source = { test_run_id: 'run-1', source_span_id: '00000000000000bb' };
      const replayed = { ...root, ...source };
      const mocked = { ...child, ...source, span_data: { output: 1, meta: { mocked: true as const } } };
      await own.put([replayed, mocked, grandchild]);
      const spans = (await own.store.findTrace(own.account, trace_id))?.spans;
      expect(spans?.map(({ mocked: isMocked }) => isMocked)).toEqual([undefined, true, undefined]);
    });

    it('merges patches: the last session, metadata and contexts by key (SPEC 2.7)', async () => {
      await own.put(
        [],
        [
          { id: trace_id, session_id: 's-1', metadata: { a: 1, b: { deep: 1 } }, contexts: { user: 'u' } },
          { id: trace_id, metadata: JSON.parse('{"b":{"other":2},"__proto__":3}') },
        ],
      );
      await own.put([], [{ id: trace_id, session_id: 's-2', contexts: { city: 'c' } }]);
      const trace = await own.store.findTrace(own.account, trace_id);
      expect(trace?.session_id).toBe('s-2');
      expect(JSON.stringify(trace?.metadata)).toBe('{"a":1,"b":{"other":2},"__proto__":3}');
      expect(trace?.contexts).toEqual({ user: 'u', city: 'c' });
    });

    it('takes session, metadata and contexts from its spans and removes them there', async () => {
      const facts = { session_id: 's-1', trace_metadata: { plan: 'pro' }, trace_contexts: { city: 'c' } };
      await own.put([
        { ...root, ...facts },
        { ...child, session_id: 's-1' },
      ]);
      expect(await own.store.findTrace(own.account, trace_id)).toMatchObject({
        session_id: 's-1',
        metadata: { plan: 'pro' },
        contexts: { city: 'c' },
      });
      expect(await own.findSpan(trace_id, root.id)).toEqual(root);
      expect(await own.names({ session_id: 's-1' })).toEqual(['root']);
    });

    const ended = (second: number, facts: Partial<SpanRecord>): SpanRecord =>
      span({ trace_id, started_at: startedAt(1), ended_at: startedAt(second), ...facts });

    it.each<[string, { spans?: SpanRecord[]; traces?: TraceRecord[] }[], object]>([
      [
        'a session that changed: that of the span that ended last',
        [
          { spans: [ended(2, { session_id: 'before' })] },
          { spans: [ended(9, { session_id: 'after' })] },
          { spans: [ended(5, { session_id: 'between' })] },
        ],
        { session_id: 'after' },
      ],
      [
        'what is noted after the root ended',
        [
          { spans: [ended(2, { session_id: 's', trace_metadata: { a: 1, b: 1 } })] },
          { traces: [{ id: trace_id, at: startedAt(3), session_id: 't', metadata: { b: 2 } }] },
        ],
        { session_id: 't', metadata: { a: 1, b: 2 } },
      ],
      [
        'what another process noted while the root was open',
        [
          { spans: [ended(8, { trace_metadata: { a: 'root' }, trace_contexts: { c: 1 } })] },
          { traces: [{ id: trace_id, at: startedAt(3), metadata: { a: 'other', b: 2 } }] },
        ],
        { metadata: { a: 'root', b: 2 }, contexts: { c: 1 } },
      ],
      [
        'what is large, and left in parts before the root ended',
        [
          { traces: [{ id: trace_id, at: startedAt(3), contexts: { a: 'x'.repeat(600_000) } }] },
          { traces: [{ id: trace_id, at: startedAt(4), contexts: { a: 'short', b: 1 } }] },
          { spans: [ended(8, { trace_contexts: { b: 2 } })] },
        ],
        { contexts: { a: 'short', b: 2 } },
      ],
      [
        'what two say at one moment: the greater text, by its bytes',
        [
          { spans: [ended(3, { session_id: '\uffff', trace_metadata: { a: 9 } })] },
          { spans: [ended(3, { session_id: '\u{1f600}', trace_metadata: { a: 10 } })] },
        ],
        { session_id: '\u{1f600}', metadata: { a: 9 } },
      ],
      [
        'an unfinished span, which says it from its start, and its end',
        [
          { spans: [{ ...unfinished(root), session_id: 'begun' }] },
          { spans: [{ ...root, ended_at: startedAt(5), session_id: 'ended' }] },
        ],
        { session_id: 'ended' },
      ],
    ])('says the same in whatever order and however often it is told: %s', async (_, batches, known) => {
      const orders = [batches, [...batches].reverse(), [...batches, ...batches.slice(0, 2)]];
      for (const order of orders) {
        const one = own.stranger();
        for (const { spans = [], traces = [] } of order) await one.put(spans, traces);
        expect(await one.store.findTrace(one.account, trace_id)).toMatchObject(known);
      }
      const together = own.stranger();
      await together.put(
        batches.flatMap(({ spans = [] }) => spans),
        batches.flatMap(({ traces = [] }) => traces),
      );
      expect(await together.store.findTrace(together.account, trace_id)).toMatchObject(known);
    });

    it('has the same summary for any split and order of its records', async () => {
      const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 });
      const facts = fc.record({ session_id: text, metadata: fc.dictionary(text, fc.nat(3), { maxKeys: 3 }) });
      const records = fc.array(fc.tuple(facts, fc.nat(2), fc.boolean(), fc.nat()), {
        minLength: 1,
        maxLength: 5,
      });
      await fc.assert(
        fc.asyncProperty(records, fc.boolean(), async (said, isOneBatch) => {
          const one = own.stranger();
          const made = said.map(([{ session_id, metadata }, second, isPatch, place]) => {
            const patch = { id: trace_id, at: startedAt(second), session_id, metadata };
            const record = ended(second, { session_id, trace_metadata: metadata });
            return isPatch ? { place, spans: [], traces: [patch] } : { place, spans: [record], traces: [] };
          });
          const order = made.sort((left, right) => left.place - right.place);
          const spans = order.flatMap((batch) => batch.spans);
          const traces = order.flatMap((batch) => batch.traces);
          const expected = new TraceFacts();
          for (const record of spans) expected.add(readSpanFacts(record));
          for (const record of traces) expected.add(readPatchFacts(record, startedAt(0)));
          for (const batch of isOneBatch ? [{ spans, traces }] : order)
            await one.put(batch.spans, batch.traces);
          const [known] = await one.store.readTraces(one.account, [trace_id]);
          expect(known).toEqual(expected.toRecord(trace_id));
          const readBack = await one.store.readFacts(one.account, [trace_id, newTraceId()]);
          const facts = readBack.flatMap((trace) => trace.facts);
          expect(readBack).toEqual([{ id: trace_id, facts: expect.anything() }]);
          expect(facts).toHaveLength(expected.values().length);
          expect(facts).toEqual(expect.arrayContaining(expected.values()));
        }),
        { numRuns: 20 },
      );
    });

    it('cuts previews for lists between characters', async () => {
      await own.put([span({ trace_id, span_data: { output: '\ud83d\ude00'.repeat(300) } })]);
      const [trace] = (await own.traces.list(own.account, {}, PAGE)).items;
      expect(trace?.output_preview).toMatch(/^"(\ud83d\ude00)+…$/u);
      expect(trace?.output_preview?.length).toBeLessThanOrEqual(200);
    });
  });
}
