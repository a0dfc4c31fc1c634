import { type CaptureMeta, newSpanId, newTraceId } from '@dacapo/protocol';
import { span, startedAt, unfinished } from '../support/records.js';
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

    it('says what went wrong, of the trace by its root and of each span', async () => {
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

    it('says of an unfinished span what went wrong once it has ended', async () => {
      const error = { name: 'Error', message: 'out of stock' };
      const failed = span({ status: 'error', span_data: { input: ['question'], error } });
      await own.put([unfinished(failed)]);
      await own.put([failed]);
      const [listed] = (await own.traces.list(own.account, {}, { limit: 1 })).items;
      expect(listed).toMatchObject({ status: 'error', error_preview: 'Error: out of stock' });
    });

    it('names the span that a trace was started by, where its root says so in the known form', async () => {
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

    it('takes the earliest span for the root until the root is there', async () => {
      await own.put([grandchild, child]);
      expect(await own.names()).toEqual(['child']);
    });

    it('makes a trace of a patch that comes before any span', async () => {
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

    it('tells which calls a replay answered from the recording', async () => {
      const source = { test_run_id: 'run-1', source_span_id: '00000000000000bb' };
      const played = { ...root, ...source };
      const mocked = { ...child, ...source, span_data: { output: 1, meta: { mocked: true as const } } };
      await own.put([played, mocked, grandchild]);
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

    it('cuts previews for lists, never within a character', async () => {
      await own.put([span({ trace_id, span_data: { output: '\ud83d\ude00'.repeat(300) } })]);
      const [trace] = (await own.traces.list(own.account, {}, PAGE)).items;
      expect(trace?.output_preview).toMatch(/^"(\ud83d\ude00)+…$/u);
      expect(trace?.output_preview?.length).toBeLessThanOrEqual(200);
    });
  });
}
