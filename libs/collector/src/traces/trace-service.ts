import type {
  Page,
  RecordedCall,
  RecordedDescendant,
  SearchCallsRequest,
  SessionSummary,
  SpanRecord,
  TraceDetail,
  TraceFunctionKeySummary,
  TraceSummary,
} from '@dacapo/protocol';
import { Injectable, NotFoundException } from '@nestjs/common';
import type { PageRequest } from '../storage/pages.js';
import { SpanStore, type TraceFilter } from '../storage/span-store.js';

@Injectable()
export class TraceService {
  constructor(private readonly store: SpanStore) {}

  list(accountId: string, filter: TraceFilter, page: PageRequest): Promise<Page<TraceSummary>> {
    return this.store.listTraces(accountId, filter, page);
  }

  /** @throws NotFoundException */
  async get(accountId: string, traceId: string): Promise<TraceDetail> {
    const trace = await this.store.findTrace(accountId, traceId);
    if (!trace) throw new NotFoundException(`Trace ${traceId} not found`);
    return trace;
  }

  /** @throws NotFoundException */
  async getSpan(accountId: string, traceId: string, spanId: string): Promise<SpanRecord> {
    const span = await this.store.findSpan(accountId, traceId, spanId);
    if (!span) throw new NotFoundException(`Span ${spanId} of trace ${traceId} not found`);
    return span;
  }

  /** @throws NotFoundException */
  async listDescendants(
    accountId: string,
    traceId: string,
    spanId: string,
    page: PageRequest,
  ): Promise<Page<RecordedDescendant>> {
    const calls = await this.store.listDescendants(accountId, traceId, spanId, page);
    if (!calls) throw new NotFoundException(`Span ${spanId} of trace ${traceId} not found`);
    return calls;
  }

  listKeys(accountId: string): Promise<TraceFunctionKeySummary[]> {
    return this.store.listTraceFunctionKeys(accountId);
  }

  listSessions(accountId: string, page: PageRequest): Promise<Page<SessionSummary>> {
    return this.store.listSessions(accountId, page);
  }

  searchCalls(
    accountId: string,
    search: SearchCallsRequest & { limit: number },
  ): Promise<Page<RecordedCall>> {
    return this.store.searchCalls(accountId, search);
  }
}
