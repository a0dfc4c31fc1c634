import {
  type CreateTestRunRequest,
  formatTimestamp,
  type Page,
  type SpanRecord,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunRecord,
} from '@dacapo/protocol';
import {
  ConflictException,
  Injectable,
  NotFoundException,
  ServiceUnavailableException,
} from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { type PageRequest, positionOf, takePage } from '../cursor.js';
import { MetaStore } from '../storage/meta-store.js';
import { SpanStore } from '../storage/span-store.js';
import type { StoredTestRun } from '../storage/test-run-store.js';
import { compareWithOriginal } from './judge.js';
import { ServiceAddress } from '../service-address.js';

@Injectable()
export class TestRunService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly clock: Clock,
    private readonly address: ServiceAddress,
  ) {}

  async create(accountId: string, request: CreateTestRunRequest): Promise<TestRunRecord> {
    const id = randomUUID();
    await this.meta.testRuns.create(accountId, {
      id,
      traceFunctionKey: request.trace_function_key,
      ...(request.name !== undefined && { name: request.name }),
      createdAt: formatTimestamp(this.clock.nowUs()),
    });
    return this.get(accountId, id);
  }

  /** @throws NotFoundException */
  async get(accountId: string, id: string): Promise<TestRunRecord> {
    const run = await this.meta.testRuns.find(accountId, id);
    if (!run) throw new NotFoundException(`Test run ${id} not found`);
    return this.withUrl(run);
  }

  async list(
    accountId: string,
    filter: { traceFunctionKey?: string },
    page: PageRequest,
  ): Promise<Page<TestRunRecord>> {
    const range = { limit: page.limit + 1, ...positionOf(page, 'time', 'text') };
    const runs = await this.meta.testRuns.list(accountId, filter, range);
    const { kept, ...next } = takePage(runs, page.limit, ({ created_at, id }) => [created_at, id]);
    return { items: kept.map((run) => this.withUrl(run)), ...next };
  }

  /**
   * Sets each report beside the recorded call that it played again.
   *
   * @throws NotFoundException when the run or a recorded call does not exist
   * @throws ServiceUnavailableException when a recorded call may exist and the store does not show it yet
   * @throws ConflictException when the run is finished
   */
  async report(accountId: string, id: string, reports: TestRunItemReport[]): Promise<void> {
    const run = await this.get(accountId, id);
    if (run.status === 'finished') throw new ConflictException(`Test run ${id} is finished`);
    const originals = await this.originalsOf(accountId, reports);
    const items = reports.map((report) => this.compare(report, originals));
    await this.meta.testRuns.putItems(accountId, id, items);
  }

  /** A run that is finished already stays as it is. @throws NotFoundException */
  async finish(accountId: string, id: string): Promise<TestRunRecord> {
    await this.meta.testRuns.finish(accountId, id, formatTimestamp(this.clock.nowUs()));
    return this.get(accountId, id);
  }

  /** By `item_no`. A page of great payloads ends early. @throws NotFoundException, InvalidCursorError */
  async listItems(accountId: string, id: string, page: PageRequest): Promise<Page<TestRunItemRecord>> {
    await this.get(accountId, id);
    const { after: [after] = [] } = positionOf(page, 'number');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const rows = await this.meta.testRuns.listItems(accountId, id, range);
    const { kept, ...next } = takePage(
      rows,
      page.limit,
      ({ item_no }) => [item_no],
      ({ payload_bytes }) => payload_bytes,
    );
    const itemNos = kept.map(({ item_no }) => item_no);
    return { items: await this.meta.testRuns.readItems(accountId, id, itemNos), ...next };
  }

  /** The recorded calls, by {@link refOf}. */
  private async originalsOf(
    accountId: string,
    reports: TestRunItemReport[],
  ): Promise<Map<string, SpanRecord>> {
    const refs = reports.flatMap(({ source_trace_id: trace_id, source_span_id: span_id }) =>
      trace_id === undefined || span_id === undefined ? [] : [{ trace_id, span_id }],
    );
    const spans = await this.spans.readSpans(accountId, refs);
    return new Map(spans.map((span) => [refOf(span.trace_id, span.id), span]));
  }

  private compare(report: TestRunItemReport, originals: Map<string, SpanRecord>): TestRunItemRecord {
    const { source_trace_id: traceId, source_span_id: spanId } = report;
    if (traceId === undefined || spanId === undefined) return { ...report, verdict: 'error' };
    const original = originals.get(refOf(traceId, spanId));
    if (original) return compareWithOriginal(report, original);
    if (this.spans.capabilities.readsOwnWrites) {
      throw new NotFoundException(`Span ${spanId} of trace ${traceId} not found`);
    }
    throw new ServiceUnavailableException(`Span ${spanId} of trace ${traceId} is not readable yet`);
  }

  private withUrl(run: StoredTestRun): TestRunRecord {
    return { ...run, url: `${this.address.url}/test-runs/${run.id}` };
  }
}

function refOf(traceId: string, spanId: string): string {
  return `${traceId}/${spanId}`;
}
