import { formatTimestamp, type ScoreRecord, type SpanRecord, type TraceRecord } from '@dacapo/protocol';
import type { MetaStore } from '../../storage/meta/meta-store.js';
import type { IngestBatch, IngestOutcome, SpanStore } from '../../storage/ports/span-store.js';
import type { TraceFilter } from '../../storage/ports/trace-filter.js';
import { CallService } from '../../traces/call-service.js';
import { CallTrees } from '../../traces/call-trees.js';
import { RecentCalls } from '../../traces/recent-calls.js';
import { TraceService } from '../../traces/trace-service.js';

export const PAGE = { limit: 50 };

/** A store that is empty at first. */
export interface OpenedSpanStore {
  spans: SpanStore;
  /** The store whose scores filter lists. */
  meta: MetaStore;
  /** Waits until what was ingested is read. Of a store that reads its own writes it is never called. */
  settle(): Promise<void> | void;
}

/** A store, an account of it that no other test uses, and the services that read it. */
export class SpanStoreAccount {
  private static made = 0;
  private patches = 0;
  readonly account = `acc_${++SpanStoreAccount.made}`;
  readonly store: SpanStore;
  readonly scores: MetaStore['scores'];
  readonly traces: TraceService;
  readonly trees: CallTrees;
  readonly calls: CallService;

  constructor(private readonly opened: OpenedSpanStore) {
    this.store = opened.spans;
    this.scores = opened.meta.scores;
    this.traces = new TraceService(this.store, opened.meta);
    this.trees = new CallTrees(this.store, new RecentCalls(this.store));
    this.calls = new CallService(this.store, this.trees);
  }

  /** Another account of the same store. */
  stranger(): SpanStoreAccount {
    return new SpanStoreAccount(this.opened);
  }

  /** Stores a batch, and sees that it can be read. Patches that do not say when they were made were made one after another. */
  async put(
    spans: SpanRecord[],
    traces: TraceRecord[] = [],
    batchId?: string,
    costs?: IngestBatch['costs'],
  ): Promise<IngestOutcome> {
    const receivedAt = '1970-01-01T00:00:00.000001Z';
    const stamped = traces.map((patch) => ({ ...patch, at: patch.at ?? formatTimestamp(++this.patches) }));
    const batch = {
      spans,
      traces: stamped,
      receivedAt,
      ...(batchId !== undefined && { batchId }),
      ...(costs && { costs }),
    };
    const outcome = await this.store.ingest(this.account, batch);
    if (!this.store.capabilities.readsOwnWrites) await this.opened.settle();
    return outcome;
  }

  async score(...scores: ScoreRecord[]): Promise<void> {
    await this.scores.add(this.account, scores);
  }

  async findSpan(trace_id: string, span_id: string): Promise<SpanRecord | undefined> {
    const [span] = await this.store.readSpans(this.account, [{ trace_id, span_id }]);
    return span;
  }

  /** Names of the traces in a list. */
  async names(filter: TraceFilter = {}): Promise<string[]> {
    return (await this.traces.list(this.account, filter, PAGE)).items.map(({ name }) => name);
  }

  /** Span ids of the calls of the key `answer`. */
  async listCalls(traceIds?: string[]): Promise<string[]> {
    const search = { trace_function_key: 'answer', limit: 50, ...(traceIds && { trace_ids: traceIds }) };
    return (await this.calls.search(this.account, search)).items.map((call) => call.span_id);
  }
}
