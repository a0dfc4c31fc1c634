import {
  formatTimestamp,
  type Page,
  type RecordedCall,
  type RecordedDescendant,
  type SessionSummary,
  type SpanRecord,
  type TraceDetail,
  type TraceFunctionKeySummary,
  type TraceSummary,
} from '@dacapo/protocol';
import type { PageRequest } from '../../../pages.js';
import {
  type IngestBatch,
  type IngestOutcome,
  SpanStore,
  type SpanStoreCapabilities,
  type TraceFilter,
} from '../../../span-store.js';
import type { Connection } from '../connection.js';
import { deleteSpans } from './delete-spans.js';
import { findSpan } from './find-span.js';
import { findTrace } from './find-trace.js';
import { ingestSteps } from './ingest-steps.js';
import { listDescendants } from './list-descendants.js';
import { listSessions } from './list-sessions.js';
import { listTraces } from './list-traces.js';
import { type CallSearch, searchCalls } from './search-calls.js';

export class SqliteSpanStore extends SpanStore {
  readonly capabilities: SpanStoreCapabilities = { atomicBatches: true, readsOwnWrites: true };

  constructor(
    private readonly writer: Connection,
    private readonly reader: Connection,
  ) {
    super();
  }

  async ingest(accountId: string, batch: IngestBatch): Promise<IngestOutcome> {
    const steps = ingestSteps(accountId, batch);
    const outcomes = await this.writer.write(steps);
    return { duplicate: outcomes.length < steps.length };
  }

  listTraces(accountId: string, filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>> {
    return listTraces(this.reader, accountId, filter, page);
  }

  findTrace(accountId: string, traceId: string): Promise<TraceDetail | undefined> {
    return findTrace(this.reader, accountId, traceId);
  }

  findSpan(accountId: string, traceId: string, spanId: string): Promise<SpanRecord | undefined> {
    return findSpan(this.reader, accountId, traceId, spanId);
  }

  async listTraceFunctionKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    const rows = await this.reader.all<{
      trace_function_key: string;
      span_count: number;
      last_started_us: number;
    }>(
      `SELECT trace_function_key, span_count, last_started_us FROM trace_function_keys
        WHERE account_id = ? ORDER BY last_started_us DESC, trace_function_key`,
      [accountId],
    );
    return rows.map(({ last_started_us, ...row }) => ({
      ...row,
      last_started_at: formatTimestamp(last_started_us),
    }));
  }

  listSessions(accountId: string, page: PageRequest): Promise<Page<SessionSummary>> {
    return listSessions(this.reader, accountId, page);
  }

  searchCalls(accountId: string, search: CallSearch): Promise<Page<RecordedCall>> {
    return searchCalls(this.reader, accountId, search);
  }

  listDescendants(
    accountId: string,
    traceId: string,
    spanId: string,
    page: PageRequest,
  ): Promise<Page<RecordedDescendant> | undefined> {
    return listDescendants(this.reader, { accountId, traceId, spanId }, page);
  }

  deleteAccount(accountId: string): Promise<void> {
    return deleteSpans(this.writer, accountId);
  }
}
