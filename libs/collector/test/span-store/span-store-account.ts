import type { SpanRecord, TraceRecord } from '@dacapo/protocol';
import type { IngestOutcome, SpanStore, TraceFilter } from '../../src/storage/span-store.js';

export const PAGE = { limit: 50 };

/** A store, and an account of it that no other test uses. */
export class SpanStoreAccount {
  private static made = 0;
  readonly account: string;

  constructor(
    readonly store: SpanStore,
    account = `acc_${++SpanStoreAccount.made}`,
  ) {
    this.account = account;
  }

  /** Another account of the same store. */
  stranger(): SpanStoreAccount {
    return new SpanStoreAccount(this.store);
  }

  put(spans: SpanRecord[], traces: TraceRecord[] = [], batchId?: string): Promise<IngestOutcome> {
    const batch = { spans, traces, receivedUs: 1, ...(batchId !== undefined && { batchId }) };
    return this.store.ingest(this.account, batch);
  }

  /** Names of the traces in a list. */
  async names(filter: TraceFilter = {}): Promise<string[]> {
    return (await this.store.listTraces(this.account, filter, PAGE)).items.map(({ name }) => name);
  }

  /** Span ids of the calls of the key `answer`. */
  async callsOf(traceIds?: string[]): Promise<string[]> {
    const search = { trace_function_key: 'answer', limit: 50, ...(traceIds && { trace_ids: traceIds }) };
    return (await this.store.searchCalls(this.account, search)).items.map((call) => call.span_id);
  }
}
