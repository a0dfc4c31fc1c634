import { formatTimestamp, type SpanRecord } from '@dacapo/protocol';
import { span, unfinished } from '../records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeKeepingSpans(opened: () => OpenedSpanStore): void {
  describe('keeping spans', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    it('returns a span as it was stored', async () => {
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
      expect(await own.findSpan(stored.trace_id, stored.id)).toEqual(stored);
    });

    it('shows the prompt of a model call that was recorded in its input alone', async () => {
      const request = { model: 'm', messages: [{ role: 'user', content: 'Weather in Oslo?' }] };
      const sent = span({ span_data: { input: [request], meta: { prompt_format: 'openai.chat' } } });
      await own.put([sent]);
      const prompt = 'user:\nWeather in Oslo?';
      expect(await own.findSpan(sent.trace_id, sent.id)).toEqual({
        ...sent,
        span_data: { ...sent.span_data, prompt },
      });
    });

    it('keeps the usage and the cost of a model call as they were priced at ingest', async () => {
      const usage = { model: 'm', input_tokens: 3, output_tokens: 0.5, reasoning_tokens: 1 };
      const [priced, unpriced, agent] = [
        span({ span_data: { usage } }),
        span({ span_data: { usage } }),
        span({ type: 'agent', span_data: { usage } }),
      ];
      const cost = { usd: 1e-9, priceVersion: 'table@1' };
      const costs = new Map([[priced, cost]]);
      const receivedAt = '2026-01-31T12:00:00.000000Z';
      await own.store.ingest(own.account, {
        spans: [priced, unpriced, agent],
        traces: [],
        costs,
        receivedAt,
      });
      await own.put([priced]);
      expect(await own.findSpan(priced.trace_id, priced.id)).toEqual({ ...priced, cost });
      expect(await own.findSpan(unpriced.trace_id, unpriced.id)).toEqual(unpriced);
      const listed = await Promise.all(
        [priced, unpriced, agent].map(async ({ trace_id }) => {
          const trace = await own.store.findTrace(own.account, trace_id);
          return trace?.spans[0]?.usage;
        }),
      );
      const used = { model: 'm', input_tokens: 3, output_tokens: 0.5 };
      expect(listed).toEqual([{ ...used, cost_usd: 1e-9, price_version: 'table@1' }, used, undefined]);
    });

    it('keeps a key named __proto__ and the order of keys', async () => {
      const input = [JSON.parse('{"__proto__":{"polluted":1},"b":1,"a":{"constructor":2}}')];
      const stored = span({ span_data: { input } });
      await own.put([stored]);
      const found = await own.findSpan(stored.trace_id, stored.id);
      expect(JSON.stringify(found?.span_data.input)).toBe(JSON.stringify(input));
      expect({}).not.toHaveProperty('polluted');
    });

    it('distinguishes an absent output from a null output', async () => {
      const stored = span({ span_data: {} });
      await own.put([stored]);
      expect((await own.findSpan(stored.trace_id, stored.id))?.span_data).toEqual({});
    });

    it('stores a span once when it is sent twice', async () => {
      const stored = span();
      await own.put([stored]);
      await own.put([stored, stored]);
      expect((await own.store.findTrace(own.account, stored.trace_id))?.span_count).toBe(1);
    });

    it('never changes a finished span', async () => {
      const stored = span();
      await own.put([stored]);
      await own.put([{ ...stored, name: 'other', span_data: { output: 'other' } }]);
      expect(await own.findSpan(stored.trace_id, stored.id)).toEqual(stored);
    });

    it('replaces an unfinished span with its finished version', async () => {
      const finished = span({ status: 'error', span_data: { error: { name: 'E', message: 'm' } } });
      await own.put([unfinished(finished)]);
      await own.put([finished]);
      expect(await own.findSpan(finished.trace_id, finished.id)).toEqual(finished);
      expect(await own.store.findTrace(own.account, finished.trace_id)).toMatchObject({
        status: 'error',
        span_count: 1,
        error_count: 1,
        duration_ms: 1500,
      });
    });

    it('never replaces a finished span with an unfinished version', async () => {
      const finished = span();
      await own.put([finished]);
      await own.put([unfinished(finished)]);
      expect(await own.findSpan(finished.trace_id, finished.id)).toEqual(finished);
    });

    describe('a span that was sent in two parts', () => {
      const whole = (): SpanRecord =>
        span({
          span_data: {
            input: [{ when: '2026-01-31T12:00:00.000Z' }],
            output: 'answer',
            prompt: 'the later prompt',
            contexts: [{ n: [[1]] }, { n: 2 }, { n: 3 }],
            usage: { model: 'm', input_tokens: 3 },
            meta: {
              input: { types: { '/0/when': 'Date' } },
              contexts: { types: { '/0/n': 'Set', '/2/n': 'BigInt' } },
              output: { truncated: { '': { bytes: 9 } } },
            },
          },
        });

      /** As a tracer sends them when the first part must not stay in its memory. */
      function splitSpan(finished: SpanRecord): { begun: SpanRecord; rest: SpanRecord } {
        const { input, output, prompt, contexts = [], usage, meta } = finished.span_data;
        const begun = unfinished(finished);
        begun.span_data = {
          input: input ?? [],
          prompt: 'the earlier prompt',
          contexts: contexts.slice(0, 1),
          meta: { input: meta!.input!, contexts: { types: { '/0/n': 'Set' } }, sync: true },
        };
        const rest = {
          ...finished,
          span_data: {
            output: output!,
            prompt: prompt!,
            contexts: contexts.slice(1),
            usage: usage!,
            meta: {
              contexts: { types: { '/2/n': 'BigInt' } },
              output: meta!.output!,
              continues: true as const,
              replayable: false as const,
            },
          },
        };
        return { begun, rest };
      }

      it.each([
        ['in order', ({ begun, rest }: ReturnType<typeof splitSpan>) => [[begun], [rest]]],
        ['the wrong way round', ({ begun, rest }: ReturnType<typeof splitSpan>) => [[rest], [begun]]],
        ['in one batch', ({ begun, rest }: ReturnType<typeof splitSpan>) => [[begun, rest]]],
        [
          'more than once',
          ({ begun, rest }: ReturnType<typeof splitSpan>) => [[begun], [rest], [begun], [rest]],
        ],
      ])('is whole when both are there: %s', async (_, toBatches) => {
        const finished = whole();
        for (const batch of toBatches(splitSpan(finished))) await own.put(batch);
        expect(await own.findSpan(finished.trace_id, finished.id)).toEqual(finished);
        const [summary] = (await own.traces.list(own.account, {}, { limit: 1 })).items;
        expect(summary).toMatchObject({
          span_count: 1,
          status: 'ok',
          ...(own.store.capabilities.mergesLateRecords && {
            input_preview: JSON.stringify(finished.span_data.input),
          }),
        });
      });

      it('shows its first part when the second never arrives', async () => {
        const { begun, rest } = splitSpan(whole());
        const next = unfinished(rest);
        next.span_data = { contexts: [{ n: 2 }], meta: { continues: true } };
        for (const part of [next, begun]) await own.put([part]);
        const found = await own.findSpan(rest.trace_id, rest.id);
        expect(found).toMatchObject({
          status: 'unfinished',
          span_data: { input: begun.span_data.input, contexts: [{ n: [[1]] }, { n: 2 }] },
        });
      });

      it('is not replayable before its first part arrives', async () => {
        const { rest } = splitSpan(whole());
        await own.put([rest]);
        const found = await own.findSpan(rest.trace_id, rest.id);
        expect(found?.span_data.meta?.replayable).toBe(false);
      });

      it('keeps the replay facts of its first part', async () => {
        const { begun, rest } = splitSpan(whole());
        begun.span_data.meta!.replayable = false;
        await own.put([begun]);
        await own.put([{ ...rest, span_data: { meta: { continues: true } } }]);
        const found = await own.findSpan(rest.trace_id, rest.id);
        expect(found?.span_data).toMatchObject({ contexts: [{ n: [[1]] }], meta: { replayable: false } });
      });
    });

    it('ignores a batch with a known id', async () => {
      const first = span();
      expect(await own.put([first], [], 'batch-1')).toMatchObject({ duplicate: false });
      expect(await own.put([span({ trace_id: first.trace_id })], [], 'batch-1')).toMatchObject({
        duplicate: true,
      });
      expect((await own.store.findTrace(own.account, first.trace_id))?.span_count).toBe(1);
    });

    it('forgets batch ids after a week', async () => {
      const put = async (batchId: string, second: number): Promise<boolean> => {
        const receivedAt = formatTimestamp(second * 1e6);
        const batch = { batchId, spans: [], traces: [], receivedAt };
        return (await own.store.ingest(own.account, batch)).duplicate;
      };
      const week = 7 * 24 * 3600;
      expect(await put('old', 1000)).toBe(false);
      expect(await put('old', 999 + week)).toBe(true);
      expect(await put('other', 1020 + week)).toBe(false);
      expect(await put('old', 1040 + week)).toBe(false);
    });

    it('keeps the batch ids of accounts apart', async () => {
      await own.put([], [], 'batch-1');
      expect(await own.stranger().put([], [], 'batch-1')).toMatchObject({ duplicate: false });
    });
  });
}
