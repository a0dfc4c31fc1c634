import type { SpanRecord } from '@dacapo/protocol';
import { span, startedAt, unfinished } from '../../test/support/records.js';
import { type OracleOptions, OracleSpanStore } from '../../test/oracle/oracle-span-store.js';
import { RecentCalls } from './recent-calls.js';

const MIB = 1024 * 1024;
const toRef = ({ trace_id, id }: SpanRecord) => ({ trace_id, span_id: id });

async function storing(stored: SpanRecord[], options: OracleOptions = {}) {
  const store = new OracleSpanStore(options);
  const ingest = (spans: SpanRecord[]) =>
    store.ingest('acc_1', { spans, traces: [], receivedAt: startedAt(0) });
  await ingest(stored);
  return { recent: new RecentCalls(store), ingest };
}

describe('RecentCalls', () => {
  it('returns a finished call from memory, and reads the others', async () => {
    const [kept, stored] = [span(), span()];
    const { recent } = await storing([stored]);
    recent.keep('acc_1', kept, MIB);
    const read = await recent.read('acc_1', [stored, kept, span()].map(toRef));
    expect(read).toHaveLength(2);
    expect(read).toEqual(expect.arrayContaining([kept, stored]));
  });

  it('reads a call again that was unfinished when it was kept', async () => {
    const call = span();
    const { recent, ingest } = await storing([unfinished(call)]);
    recent.keep('acc_1', unfinished(call), MIB);
    await ingest([call]);
    expect(await recent.read('acc_1', [toRef(call)])).toEqual([call]);
  });

  it('keeps nothing of a store that may show a span before its payload', async () => {
    const { recent } = await storing([], { payloadVisibleAfterMs: 1000 });
    const call = span();
    recent.keep('acc_1', call, MIB);
    expect(await recent.read('acc_1', [toRef(call)])).toEqual([]);
  });

  it('returns no calls of another account', async () => {
    const { recent } = await storing([]);
    const call = span();
    recent.keep('acc_1', call, MIB);
    expect(await recent.read('acc_2', [toRef(call)])).toEqual([]);
  });

  it('keeps 16 MiB of payloads at most, the latest', async () => {
    const { recent } = await storing([]);
    const calls = Array.from({ length: 40 }, () => span());
    for (const call of calls) recent.keep('acc_1', call, MIB);
    recent.keep('acc_1', span(), 100 * MIB);
    const read = await recent.read('acc_1', calls.map(toRef));
    expect(read.length).toBeGreaterThanOrEqual(8);
    expect(read.length).toBeLessThanOrEqual(16);
    expect(read).toEqual(calls.slice(-read.length));
  });
});
