import { countsBeside, expectedItems } from '@dacapo/evaluation';
import {
  type CreateTestRunRequest,
  type FinishTestRunRequest,
  formatTimestamp,
  isJsonObject,
  LIMITS,
  type Page,
  parseTimestamp,
  type SelectedCall,
  type TestRunRecord,
  type TestRunStatus,
  type TestRunTotals,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Clock } from '../clock.js';
import { encodeCursor, type PageRequest, positionOf, takePage } from '../cursor.js';
import { ServiceAddress } from '../service-address.js';
import { MetaStore } from '../storage/meta-store.js';
import type { RunDecision, StoredTestRun } from '../storage/test-run-store.js';
import { CallService } from '../traces/call-service.js';
import { DatasetService } from '../datasets/dataset-service.js';
import { BaselineService } from './baseline-service.js';
import { TestRunItemService } from './test-run-item-service.js';

/** The life of a test run: it begins with a selection, its reporter beats, and it ends or is resumed. */
@Injectable()
export class TestRunService {
  constructor(
    private readonly meta: MetaStore,
    private readonly calls: CallService,
    private readonly items: TestRunItemService,
    private readonly baselines: BaselineService,
    private readonly datasets: DatasetService,
    private readonly clock: Clock,
    private readonly address: ServiceAddress,
  ) {}

  /**
   * Resolves the selection, or the version of the dataset, and the baseline, and keeps them.
   *
   * @throws NotFoundException when there is no such dataset, or no such run to be the baseline
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
    if (typeof baseline === 'object') await this.find(accountId, baseline.test_run_id);
    const resolved = request && (await this.calls.select(accountId, traceFunctionKey, request));
    const pinned =
      dataset && (await this.datasets.select(accountId, dataset.name, dataset.version ?? 'latest'));
    const selected = pinned?.selected ?? resolved?.selected ?? [];
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
      },
      baseline === 'accepted'
        ? await this.baselines.withAccepted(accountId, traceFunctionKey, selected)
        : selected,
    );
    return this.get(accountId, id);
  }

  /**
   * A run that judges the stored outcomes of another one again, and plays what that one played.
   *
   * @throws NotFoundException, ConflictException when that run is not finished, so that its outcomes may change
   */
  async createRescore(
    accountId: string,
    { rescoreOf, name }: { rescoreOf: string; name?: string },
  ): Promise<TestRunRecord> {
    const source = await this.find(accountId, rescoreOf);
    if (source.finishedAt === undefined)
      throw new ConflictException(`Test run ${rescoreOf} is not finished. Resume it first`);
    const { traceFunctionKey, selection, dataset, baseline, repeat, expectedItems } = source;
    const id = randomUUID();
    await this.meta.testRuns.create(
      accountId,
      {
        ...{ id, traceFunctionKey, createdAt: this.now(), rescoreOf },
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
    filter: { traceFunctionKey?: string },
    page: PageRequest,
  ): Promise<Page<TestRunRecord>> {
    const range = { limit: page.limit + 1, ...positionOf(page, 'time', 'text') };
    const runs = await this.meta.testRuns.list(accountId, filter, range);
    const { kept, ...next } = takePage(runs, page.limit, ({ createdAt, id }) => [createdAt, id]);
    return { items: await Promise.all(kept.map((run) => this.toRecord(accountId, run))), ...next };
  }

  /**
   * The run's selection, in its order; without one it is empty. A page of great payloads ends early.
   *
   * @param options `left`: only items that nothing was reported of; `descendants`: with the calls inside each
   * @throws NotFoundException, InvalidCursorError
   */
  async listCalls(
    accountId: string,
    id: string,
    { left, descendants }: { left: boolean; descendants: boolean },
    page: PageRequest,
  ): Promise<Page<SelectedCall>> {
    const { after: [after] = [] } = positionOf(page, 'number');
    const range = { limit: page.limit + 1, ...(after !== undefined && { after }) };
    const [run, selected] = await Promise.all([
      this.find(accountId, id),
      this.meta.testRuns.listSelected(accountId, id, { left }, range),
    ]);
    const wanted = selected.slice(0, page.limit);
    const items = run.dataset && (await this.datasets.readSelected(accountId, run.dataset, wanted));
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
          // Without its example, the call that this was made of is none of the run's.
          ...(call !== undefined && (items === undefined || datasetItem !== undefined) && { call }),
          ...(datasetItem !== undefined && { dataset_item: datasetItem }),
          ...(baseline !== undefined && { baseline }),
        };
      }),
      ...(last && selected.length > calls.length && { next_cursor: encodeCursor([last.item_no]) }),
    };
  }

  /** Its reporter lives. A run that was interrupted goes on. @throws NotFoundException */
  async beat(accountId: string, id: string): Promise<TestRunStatus> {
    const run = await this.find(accountId, id);
    if (run.finishedAt !== undefined) return 'finished';
    const signs = { heartbeatAt: this.now(), isStopped: false };
    return (await this.meta.testRuns.update(accountId, id, signs)) ? 'running' : 'finished';
  }

  /** @throws NotFoundException, ConflictException when the run is finished */
  async resume(accountId: string, id: string): Promise<TestRunRecord> {
    await this.find(accountId, id);
    const changes = { heartbeatAt: this.now(), isStopped: false, decision: null, summary: null };
    if (!(await this.meta.testRuns.update(accountId, id, changes)))
      throw new ConflictException(`Test run ${id} is finished and cannot be resumed. Start a new run`);
    return this.get(accountId, id);
  }

  /** A finished run stays as it is. @throws NotFoundException */
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

  /** Counts after the run is finished, so that no item comes between. A process that died in between is made up for by the next. */
  private async decide(accountId: string, id: string): Promise<void> {
    const run = await this.find(accountId, id);
    if (run.finishedAt !== undefined && run.totals !== undefined) return;
    const totals = await this.meta.testRuns.count(accountId, id);
    const decision = decisionOf(run, totals);
    if (run.finishedAt === undefined)
      await this.meta.testRuns.update(accountId, id, { decision: decision ?? null });
    else await this.meta.testRuns.settle(accountId, id, { totals, ...(decision && { decision }) });
  }

  private async find(accountId: string, id: string): Promise<StoredTestRun> {
    const run = await this.meta.testRuns.find(accountId, id);
    if (!run) throw new NotFoundException(`Test run ${id} not found`);
    return run;
  }

  private async toRecord(accountId: string, run: StoredTestRun): Promise<TestRunRecord> {
    const { id, name, finishedAt, selection, expectedItems, skipped, dataset, baseline, repeat } = run;
    const counted = finishedAt === undefined ? undefined : run.totals;
    const totals = counted ?? (await this.meta.testRuns.count(accountId, id));
    const stored = finishedAt === undefined && run.decision === 'passed' ? 'undecided' : run.decision;
    const decision = run.summary ? decisionOf(run, totals) : stored;
    return {
      id,
      trace_function_key: run.traceFunctionKey,
      ...(name !== undefined && { name }),
      status: this.statusOf(run),
      created_at: run.createdAt,
      heartbeat_at: run.heartbeatAt,
      ...(finishedAt !== undefined && { finished_at: finishedAt }),
      totals,
      ...(selection !== undefined && { selection }),
      ...(dataset !== undefined && { dataset }),
      ...(baseline !== undefined && { baseline }),
      ...(repeat !== undefined && { repeat }),
      ...(run.rescoreOf !== undefined && { rescore_of: run.rescoreOf }),
      ...(decision === 'undecided' && { undecided: true }),
      ...(decision !== undefined && decision !== 'undecided' && { passed: decision === 'passed' }),
      ...(run.summary !== undefined && { summary: run.summary }),
      ...(expectedItems !== undefined && { expected_items: expectedItems }),
      ...(skipped !== undefined && { skipped }),
      url: `${this.address.url}/test-runs/${id}`,
    };
  }

  /** Worked out when it is read: a reporter that died says nothing. */
  private statusOf({ finishedAt, isStopped, heartbeatAt }: StoredTestRun): TestRunStatus {
    if (finishedAt !== undefined) return 'finished';
    const silentUs = this.clock.nowUs() - (parseTimestamp(heartbeatAt) ?? 0);
    return isStopped || silentUs > LIMITS.silentRunMs * 1000 ? 'interrupted' : 'running';
  }

  private now(): string {
    return formatTimestamp(this.clock.nowUs());
  }
}

/** What a reporter's gate decided, as far as it holds for what was counted here; `undefined` where there is none. */
function decisionOf(run: StoredTestRun, totals: TestRunTotals): RunDecision | undefined {
  const { passed, gate } = run.summary ?? {};
  if (typeof passed !== 'boolean') return undefined;
  if (!passed) return 'failed';
  const expected = expectedItems({ ...run, expected_items: run.expectedItems });
  const { beyond } = countsBeside(isJsonObject(gate) ? gate : {}, totals, expected);
  return run.finishedAt === undefined || beyond.length > 0 ? 'undecided' : 'passed';
}
