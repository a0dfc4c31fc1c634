import type { SpanStore } from '../../src/storage/span-store.js';
import { span, unfinished } from '../support/records.js';
import { SpanStoreAccount } from './span-store-account.js';

export function describeKeepingSpans(opened: () => SpanStore): void {
  describe('keeping spans', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

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
      await own.put([stored]);
      expect(await own.store.findSpan(own.account, stored.trace_id, stored.id)).toEqual(stored);
    });

    it('keeps a key named __proto__ and the order of keys', async () => {
      const input = [JSON.parse('{"__proto__":{"polluted":1},"b":1,"a":{"constructor":2}}')];
      const stored = span({ span_data: { input } });
      await own.put([stored]);
      const found = await own.store.findSpan(own.account, stored.trace_id, stored.id);
      expect(JSON.stringify(found?.span_data.input)).toBe(JSON.stringify(input));
      expect({}).not.toHaveProperty('polluted');
    });

    it('tells an absent output from an output of null', async () => {
      const stored = span({ span_data: {} });
      await own.put([stored]);
      expect((await own.store.findSpan(own.account, stored.trace_id, stored.id))?.span_data).toEqual({});
    });

    it('stores a span that is sent twice once', async () => {
      const stored = span();
      await own.put([stored]);
      await own.put([stored, stored]);
      expect((await own.store.findTrace(own.account, stored.trace_id))?.span_count).toBe(1);
    });

    it('never changes a finished span', async () => {
      const stored = span();
      await own.put([stored]);
      await own.put([{ ...stored, name: 'other', span_data: { output: 'other' } }]);
      expect(await own.store.findSpan(own.account, stored.trace_id, stored.id)).toEqual(stored);
    });

    it('puts a finished span in the place of its unfinished one', async () => {
      const finished = span({ status: 'error', span_data: { error: { name: 'E', message: 'm' } } });
      await own.put([unfinished(finished)]);
      await own.put([finished]);
      expect(await own.store.findSpan(own.account, finished.trace_id, finished.id)).toEqual(finished);
      expect(await own.store.findTrace(own.account, finished.trace_id)).toMatchObject({
        status: 'error',
        span_count: 1,
        error_count: 1,
        duration_ms: 1500,
      });
    });

    it('never puts an unfinished span in the place of its finished one', async () => {
      const finished = span();
      await own.put([finished]);
      await own.put([unfinished(finished)]);
      expect(await own.store.findSpan(own.account, finished.trace_id, finished.id)).toEqual(finished);
    });

    it('stores nothing of a batch whose id it knows', async () => {
      const first = span();
      expect(await own.put([first], [], 'batch-1')).toEqual({ duplicate: false });
      expect(await own.put([span({ trace_id: first.trace_id })], [], 'batch-1')).toEqual({ duplicate: true });
      expect((await own.store.findTrace(own.account, first.trace_id))?.span_count).toBe(1);
    });

    it('knows batch ids by account', async () => {
      await own.put([], [], 'batch-1');
      expect(await own.stranger().put([], [], 'batch-1')).toEqual({ duplicate: false });
    });
  });
}
