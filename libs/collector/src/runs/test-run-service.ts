import {
  type CreateTestRunRequest,
  type FinishTestRunRequest,
  formatTimestamp,
  type Page,
  type SelectedCall,
  type TestRunRecord,
  type TestRunStatus,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { encodeCursor, type PageRequest, readPosition, takePage } from '../cursor.js';
import { ServiceAddress } from '../service-address.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { StoredTestRun } from '../storage/ports/test-run.js';
import { readTextQuery } from '../storage/rules/text-query.js';
import { CallService } from '../traces/call-service.js';
import { BaselineService } from './baseline-service.js';
import { DatasetItems } from './dataset-items.js';
import { resolveDecision, toRunRecord } from './run-record.js';
import { TestRunItemService } from './test-run-item-service.js';

/** Creates, resumes and finishes test runs, and lists the calls that they replay. */
@Injectable()
export class TestRunService {
  constructor(
    private readonly meta: MetaStore,
    private readonly calls: CallService,
    private readonly items: TestRunItemService,
    private readonly baselines: BaselineService,
    private readonly datasets: DatasetItems,
    private readonly clock: Clock,
    private readonly address: ServiceAddress,
  ) {}

  /**
   * Resolves the selection, or the version of the dataset, and the baseline, and stores them with the run.
   *
   * @throws NotFoundException when the dataset or the baseline run does not exist
   * @throws ProtocolError when the text of the selection has no words
   */
  async create(
    accountId: string,
    {
      trace_function_key: traceFunctionKey,
      name,
      selection: request,
      dataset,
      baseline,
      repeat,
    }: CreateTestRunRequest,
  ): Promise<TestRunRecord> {
    const id = randomUUID();
    if (request?.text !== undefined) readTextQuery(request.text, 'selection.text');
    if (typeof baseline === 'object') await this.find(accountId, baseline.test_run_id);
    const resolved = request && (await this.calls.select(accountId, traceFunctionKey, request));
    const pinned =
      dataset && (await this.datasets.select(accountId, dataset.name, dataset.version ?? 'latest'));
    const selected = pinned?.selected ?? resolved?.selected ?? [];
    const ignore = await this.meta.decisions.listIgnoredPaths(accountId, traceFunctionKey);
    await this.meta.testRuns.create(
      accountId,
      {
        id,
        traceFunctionKey,
        ...(name !== undefined && { name }),
        createdAt: this.now(),
        ...(resolved && { selection: resolved.selection }),
        ...(dataset !== undefined &&
          pinned && {
            dataset: { name: dataset.name, version: pinned.version, items: selected.length },
          }),
        ...(baseline !== undefined && { baseline }),
        ...(repeat !== undefined && { repeat }),
        ...(ignore.length > 0 && { ignore }),
      },
      baseline === 'accepted'
        ? await this.baselines.withAccepted(accountId, traceFunctionKey, selected)
        : selected,
    );
    return this.get(accountId, id);
  }

  /**
   * Creates a run that judges the stored outcomes of a finished run again.
   *
   * @throws NotFoundException, ConflictException when the other run is not finished
   */
  async createRescore(
    accountId: string,
    { rescoreOf, name }: { rescoreOf: string; name: string | undefined },
  ): Promise<TestRunRecord> {
    const source = await this.find(accountId, rescoreOf);
    if (source.finishedAt === undefined) {
      throw new ConflictException(`Test run ${rescoreOf} is not finished. Resume it first`);
    }
    const { traceFunctionKey, selection, dataset, baseline, repeat, expectedItems } = source;
    const id = randomUUID();
    await this.meta.testRuns.create(
      accountId,
      {
        id,
        traceFunctionKey,
        createdAt: this.now(),
        rescoreOf,
        ...(name !== undefined && { name }),
        ...(selection && { selection }),
        ...(dataset && { dataset }),
        ...(baseline !== undefined && { baseline }),
        ...(repeat !== undefined && { repeat }),
      },
      await this.meta.testRuns.listSelected(
        accountId,
        rescoreOf,
        { left: false },
        { limit: Number.MAX_SAFE_INTEGER },
      ),
    );
    if (expectedItems !== undefined) await this.meta.testRuns.update(accountId, id, { expectedItems });
    return this.get(accountId, id);
  }

  /** @throws NotFoundException */
  async get(accountId: string, id: string): Promise<TestRunRecord> {
    return this.toRecord(accountId, await this.find(accountId, id));
  }

  /** The newest first, without summaries. @throws InvalidCursorError */
  async list(
    accountId: string,
    filter: { traceFunctionKey: string | undefined },
    page: PageRequest,
  ): Promise<Page<TestRunRecord>> {
    const range = { limit: page.limit + 1, ...readPosition(page, 'time', 'text') };
    const runs = await this.meta.testRuns.list(accountId, filter, range);
    const { kept, ...next } = takePage(runs, page.limit, ({ createdAt, id }) => [createdAt, id]);
    return { items: await Promise.all(kept.map((run) => this.toRecord(accountId, run))), ...next };
  }

  /**
   * Lists the selected calls in order; none for a run without a selection. A page of large payloads ends early.
   *
   * @param options `left`: only calls without a reported item; `descendants`: include the inner calls
   * @throws NotFoundException, InvalidCursorError
   */
  async listCalls(
    accountId: string,
    id: string,
    { left, descendants }: { left: boolean; descendants: boolean },
    page: PageRequest,
  ): Promise<Page<SelectedCall>> {
    const { after: [after] = [] } = readPosition(page, 'number');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const [run, selected] = await Promise.all([
      this.find(accountId, id),
      this.meta.testRuns.listSelected(accountId, id, { left }, range),
    ]);
    const wanted = selected.slice(0, page.limit);
    const items = run.dataset && (await this.datasets.read(accountId, run.dataset, wanted));
    const calls = await this.calls.readSelected(
      accountId,
      run.traceFunctionKey,
      items === undefined ? wanted : wanted.slice(0, items.length),
      { descendants },
    );
    const baselines = await this.baselines.read(accountId, run, selected.slice(0, calls.length));
    const last = selected[calls.length - 1];
    return {
      items: calls.map((call, index) => {
        const { item_no = 0, trace_id } = selected[index] ?? {};
        const baseline = baselines.get(item_no);
        const datasetItem = items?.[index];
        return {
          item_no,
          ...(trace_id !== undefined && { trace_id }),
          // The call of an erased dataset item is not returned either.
          ...(call !== undefined && (items === undefined || datasetItem !== undefined) && { call }),
          ...(datasetItem !== undefined && { dataset_item: datasetItem }),
          ...(baseline !== undefined && { baseline }),
        };
      }),
      ...(last && selected.length > calls.length && { next_cursor: encodeCursor([last.item_no]) }),
    };
  }

  /** Records a heartbeat of the reporter. An interrupted run is running again. @throws NotFoundException */
  async beat(accountId: string, id: string): Promise<TestRunStatus> {
    const run = await this.find(accountId, id);
    if (run.finishedAt !== undefined) return 'finished';
    const changes = { heartbeatAt: this.now(), isStopped: false };
    return (await this.meta.testRuns.update(accountId, id, changes)) ? 'running' : 'finished';
  }

  /** @throws NotFoundException, ConflictException when the run is finished */
  async resume(accountId: string, id: string): Promise<TestRunRecord> {
    await this.find(accountId, id);
    const changes = {
      heartbeatAt: this.now(),
      isStopped: false,
      isResumed: true as const,
      decision: null,
      summary: null,
    };
    if (!(await this.meta.testRuns.update(accountId, id, changes))) {
      throw new ConflictException(`Test run ${id} is finished and cannot be resumed. Start a new run`);
    }
    return this.get(accountId, id);
  }

  /** Finishes or interrupts the run. A finished run does not change. @throws NotFoundException */
  async finish(
    accountId: string,
    id: string,
    { status = 'finished', expected_items: expectedItems, skipped, summary }: FinishTestRunRequest,
  ): Promise<TestRunRecord> {
    const { finishedAt } = await this.find(accountId, id);
    if (finishedAt === undefined) {
      await this.items.settle(accountId, id);
      const changes = {
        heartbeatAt: this.now(),
        ...(expectedItems !== undefined && { expectedItems }),
        ...(skipped !== undefined && { skipped }),
        ...(summary !== undefined && { summary }),
        ...(status === 'finished' ? { finishedAt: this.now() } : { isStopped: true }),
      };
      await this.meta.testRuns.update(accountId, id, changes);
    }
    await this.decide(accountId, id);
    return this.get(accountId, id);
  }

  /** Counts after the run is finished, so that no item arrives in between. If the process dies in between, the next call decides. */
  private async decide(accountId: string, id: string): Promise<void> {
    const run = await this.find(accountId, id);
    if (run.finishedAt !== undefined && run.totals !== undefined) return;
    const totals = await this.meta.testRuns.count(accountId, id);
    const decision = resolveDecision(run, totals);
    if (run.finishedAt === undefined) {
      await this.meta.testRuns.update(accountId, id, { decision: decision ?? null });
    } else {
      await this.meta.testRuns.settle(accountId, id, { totals, ...(decision && { decision }) });
    }
  }

  private async find(accountId: string, id: string): Promise<StoredTestRun> {
    const run = await this.meta.testRuns.find(accountId, id);
    if (!run) throw new NotFoundException(`Test run ${id} not found`);
    return run;
  }

  private async toRecord(accountId: string, run: StoredTestRun): Promise<TestRunRecord> {
    const counted = run.finishedAt === undefined ? undefined : run.totals;
    const totals = counted ?? (await this.meta.testRuns.count(accountId, run.id));
    return toRunRecord(run, totals, { nowUs: this.clock.nowUs(), url: this.address.url });
  }

  private now(): string {
    return formatTimestamp(this.clock.nowUs());
  }
}
