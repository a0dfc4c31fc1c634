import { newTraceId } from '@dacapo/protocol';
import { span, startedAt } from '../support/records.js';
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
