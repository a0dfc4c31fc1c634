import {
  type CreateTestRunRequest,
  formatTimestamp,
  type Page,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunRecord,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { MetaStore } from '../storage/meta-store.js';
import type { PageRequest } from '../storage/pages.js';
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
    const { items, ...rest } = await this.meta.testRuns.list(accountId, filter, page);
    return { items: items.map((run) => this.withUrl(run)), ...rest };
  }

  /**
   * Sets each report beside the recorded call that it played again.
   *
   * @throws NotFoundException when the run or a recorded call does not exist
   * @throws ConflictException when the run is finished
   */
  async report(accountId: string, id: string, reports: TestRunItemReport[]): Promise<void> {
    const run = await this.get(accountId, id);
    if (run.status === 'finished') throw new ConflictException(`Test run ${id} is finished`);
    const items = await Promise.all(reports.map((report) => this.compare(accountId, report)));
    await this.meta.testRuns.putItems(accountId, id, items);
  }

  /** A run that is finished already stays as it is. @throws NotFoundException */
  async finish(accountId: string, id: string): Promise<TestRunRecord> {
    await this.meta.testRuns.finish(accountId, id, formatTimestamp(this.clock.nowUs()));
    return this.get(accountId, id);
  }

  /** @throws NotFoundException */
  async listItems(accountId: string, id: string, page: PageRequest): Promise<Page<TestRunItemRecord>> {
    await this.get(accountId, id);
    return this.meta.testRuns.listItems(accountId, id, page);
  }

  private async compare(accountId: string, report: TestRunItemReport): Promise<TestRunItemRecord> {
    const { source_trace_id: traceId, source_span_id: spanId } = report;
    if (spanId === undefined) return { ...report, verdict: 'error' };
    const original = await this.spans.findSpan(accountId, traceId, spanId);
    if (!original) throw new NotFoundException(`Span ${spanId} of trace ${traceId} not found`);
    return compareWithOriginal(report, original);
  }

  private withUrl(run: StoredTestRun): TestRunRecord {
    return { ...run, url: `${this.address.url}/test-runs/${run.id}` };
  }
}
