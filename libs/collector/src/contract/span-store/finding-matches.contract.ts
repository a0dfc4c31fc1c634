import type { SpanRecord } from '@dacapo/protocol';
import { MATCHES_OF_TRACE, type SpanCondition } from '../../storage/ports/span-store.js';
import { span, startedAt } from '../records.js';
import { type OpenedSpanStore, SpanStoreAccount } from './span-store-account.js';

export function describeFindingMatches(opened: () => OpenedSpanStore): void {
  describe('finding the matching spans of traces', () => {
    let own: SpanStoreAccount;

    beforeEach(() => {
      own = new SpanStoreAccount(opened());
    });

    /** Names of the matching spans, trace by trace. */
    async function find(traces: readonly SpanRecord[], condition: SpanCondition): Promise<string[]> {
      const traceIds = traces.map(({ trace_id }) => trace_id);
      const found = await own.store.findMatchingSpans(own.account, traceIds, condition);
      return traceIds
        .flatMap((id) => found.filter(({ trace_id }) => trace_id === id))
        .map(({ name }) => name);
    }

    const call = (name: string, second: number, rest: Partial<SpanRecord> = {}): SpanRecord =>
      span({ name, started_at: startedAt(second), ...rest });
    const failed = (begun: SpanRecord): SpanRecord => ({
      ...begun,
      status: 'error',
      span_data: { input: [], error: { name: 'Error', message: 'Too long' } },
    });

    it('returns those with the preferred status, and the first of a trace without them', async () => {
      const mixed = call('mixed', 1);
      const { trace_id } = mixed;
      const good = call('good', 2);
      await own.put([
        failed(call('late failure', 6, { trace_id })),
        failed(call('failure', 4, { trace_id })),
        mixed,
        good,
        call('second good', 3, { trace_id: good.trace_id }),
      ]);
      const traces = [mixed, good];
      expect(await find(traces, { preferredStatus: 'error' })).toEqual(['failure', 'late failure', 'good']);
      expect(await find([mixed], { preferredStatus: 'cancelled' })).toEqual(['mixed']);
      expect(await find(traces, {})).toEqual(['mixed', 'failure', 'late failure', 'good', 'second good']);
    });

    it('returns the first ones of a trace with many', async () => {
      const first = failed(call('0', 0));
      const { trace_id } = first;
      const others = Array.from({ length: 30 }, (_, index) =>
        failed(call(String(index + 1), index + 1, { trace_id })),
      );
      await own.put([...others, first]);
      const names = Array.from({ length: MATCHES_OF_TRACE }, (_, index) => String(index));
      expect(await find([first], { preferredStatus: 'error' })).toEqual(names);
      expect(await find([first], {})).toEqual(names);
      expect(await find([first], { preferredStatus: 'ok' })).toEqual(['0']);
    });
  });
}
