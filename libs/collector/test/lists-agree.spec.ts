import { InMemoryStorage, type Storage, SystemClock } from '@dacapo/collector';
import { SPAN_STATUSES, type SpanRecord, type TraceRecord } from '@dacapo/protocol';
import fc from 'fast-check';
import type { SpanStore, TraceFilter } from '../src/storage/span-store.js';
import { openSqliteStorage } from '../src/storage/drivers/sqlite/open-sqlite-storage.js';
import { span, startedAt } from './support/records.js';
import { temporaryDirectory } from './support/temporary-directory.js';

const KEYS = ['request', 'judge'];
const SESSIONS = ['ann', 'bob'];
const TRACES = ['1', '2', '3'].map((digit) => digit.repeat(32));

/** Records of one span agree on what it is, and differ in how far it got. */
const spanOf = fc
  .record({
    trace: fc.constantFrom(...TRACES),
    number: fc.integer({ min: 1, max: 5 }),
    status: fc.constantFrom(...SPAN_STATUSES),
  })
  .map(({ trace, number, status }): SpanRecord => {
    const isRoot = number === 3;
    return span({
      ...{ trace_id: trace, id: String(number).repeat(16), status },
      ...{ trace_function_key: isRoot ? 'request' : 'judge', name: `call ${number}` },
      // No two begin at one time: which of them is the root is for each driver to say.
      started_at: startedAt(TRACES.indexOf(trace) * 10 + (isRoot ? 0 : 9 - number)),
      ...(!isRoot && { parent_id: '3'.repeat(16) }),
      ...(trace === TRACES[0] && number > 2 && { test_run_id: 'run' }),
    });
  });

const patchOf: fc.Arbitrary<TraceRecord> = fc.record({
  id: fc.constantFrom(...TRACES),
  session_id: fc.constantFrom(...SESSIONS),
});

const batches = fc.array(
  fc.record({ spans: fc.array(spanOf, { maxLength: 4 }), traces: fc.array(patchOf, { maxLength: 2 }) }),
  { minLength: 1, maxLength: 6 },
);

const FILTERS: TraceFilter[] = [undefined, ...KEYS].flatMap((traceFunctionKey) =>
  [undefined, ...SPAN_STATUSES].flatMap((status) =>
    [{}, { withoutReplays: true as const }, { sessionId: 'ann' }, { testRunId: 'run' }].map((more) => ({
      ...(traceFunctionKey !== undefined && { traceFunctionKey }),
      ...(status !== undefined && { status }),
      ...more,
    })),
  ),
);

/** What every list of an account shows. */
async function listsOf(store: SpanStore, account: string): Promise<unknown> {
  const traces = FILTERS.map((filter) => store.listTraces(account, filter, { limit: 50 }));
  const sessions = store.listSessions(account, {}, { limit: 50 });
  const keys = store.listTraceFunctionKeys(account);
  return [await Promise.all(traces), await sessions, await keys];
}

describe('lists that are counted as batches come', () => {
  let sqlite: Storage;

  beforeAll(async () => {
    sqlite = await openSqliteStorage(temporaryDirectory(), new SystemClock());
  });

  afterAll(() => sqlite.close());

  it('show what a look at all records shows, in whatever order these came', async () => {
    const memory = new InMemoryStorage();
    let accounts = 0;
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const account = `acc_${++accounts}`;
        for (const batch of all) {
          const received = { ...batch, receivedAt: startedAt(50) };
          await sqlite.spans.ingest(account, received);
          await memory.spans.ingest(account, received);
        }
        expect(await listsOf(sqlite.spans, account)).toEqual(await listsOf(memory.spans, account));
      }),
      { numRuns: 150 },
    );
  });
});
