import {
  type Page,
  type RecordedCallTree,
  routePath,
  ROUTES,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunItemSummary,
  type TestRunRecord,
} from '@dacapo/protocol';
import type { ServiceClient } from '../../service/service-client.js';
import { cureOfNoAnswer, FULL_END_MS } from '../one-decision.js';
import {
  type CallDetails,
  type PlannedItem,
  plannedCall,
  plannedListItem,
  type TraceFacts,
} from '../planned-item.js';
import { rescoredCalls, rescoredItems } from '../rescored-items.js';
import { recordedDescendants } from '../test-run/recorded-descendants.js';
import { selectedCalls } from '../test-run/selected-calls.js';
import type { TestRunReporter } from '../test-run/test-run-reporter.js';
import type {
  ConfirmedRun,
  OpenRun,
  ReceivedItems,
  RunConclusion,
  RunData,
  RunRequest,
} from './run-source.js';

const END_STEPS = 4;
/** What each step at the end of a run can count on, where the run's timeout leaves so much. */
const LEAST_STEP_MS = FULL_END_MS / END_STEPS;

export interface ServiceRunParts {
  readonly service: ServiceClient;
  readonly reporter: TestRunReporter;
  readonly nowMs: () => number;
  readonly flush: (timeoutMs?: number) => Promise<unknown>;
}

/** A test run of the service, while this process reports to it. */
export class ServiceRun implements OpenRun {
  readonly id: string;
  readonly url: string;
  readonly baseline: OpenRun['baseline'];
  readonly itemCount: number;
  readonly skipped: OpenRun['skipped'];
  readonly isUnknownKey: boolean;
  readonly similarKey: string | undefined;
  readonly playedBefore: number;
  readonly repeat?: number;
  private readonly isSelected: boolean;

  constructor(
    { id, url, baseline, selection, dataset, totals, expected_items: expected, repeat = 1 }: TestRunRecord,
    private readonly data: RunData,
    private readonly request: RunRequest,
    private readonly parts: ServiceRunParts,
  ) {
    this.id = id;
    this.url = url;
    this.baseline = baseline;
    this.itemCount =
      data.kind === 'list' ? data.items.length : (dataset?.items ?? selection?.items ?? expected ?? 0);
    if (data.kind === 'run') this.repeat = repeat;
    this.isSelected = (dataset ?? selection) !== undefined;
    this.skipped = selection?.skipped ?? {};
    this.isUnknownKey = selection?.unknown_key ?? false;
    this.similarKey = selection?.similar_key;
    this.playedBefore = request.resume === undefined ? 0 : totals.items;
  }

  earlierItems(): AsyncIterable<TestRunItemSummary> {
    return this.pages<TestRunItemSummary>({});
  }

  earlierRecords(): AsyncIterable<TestRunItemRecord> {
    return this.pages<TestRunItemRecord>({ payloads: 'true' });
  }

  async *calls(): AsyncGenerator<PlannedItem> {
    const { data } = this;
    if (data.kind === 'list') {
      for (const [itemNo, item] of data.items.entries()) yield plannedListItem(item, itemNo);
      return;
    }
    if (data.kind === 'run') {
      const records = this.pages<TestRunItemRecord>({ payloads: 'true' }, data.testRunId);
      yield* this.isSelected ? rescoredCalls(this.selected(false), records) : rescoredItems(records);
      return;
    }
    const { resume, repeat } = this.request;
    // Which repetitions are left of an item only its reports tell, and the names of a dataset's items only its items.
    const isLeft = resume !== undefined && repeat === 1 && data.kind === 'calls';
    yield* this.selected(isLeft);
  }

  /** @param isLeft only those that nothing was reported of */
  private async *selected(isLeft: boolean): AsyncGenerator<PlannedItem> {
    const { service, nowMs } = this.parts;
    const { timeoutMs, signal } = this.request;
    const details = detailsOf(service);
    for await (const call of selectedCalls(this.id, isLeft, { service, nowMs, timeoutMs, signal })) {
      const isExampleDeleted = this.request.data.kind === 'dataset' && call.dataset_item === undefined;
      yield plannedCall(isExampleDeleted ? { item_no: call.item_no } : call, details);
    }
  }

  report(item: TestRunItemReport): void {
    this.parts.reporter.add(item);
  }

  async settle(deadlineMs: number): Promise<ReceivedItems> {
    const { reporter, flush, nowMs } = this.parts;
    const leftMs = Math.max(0, deadlineMs - nowMs());
    // A step that hangs leaves time to each step behind it, so that the run is at least stored as interrupted.
    const stepMs = Math.min(LEAST_STEP_MS, leftMs / END_STEPS);
    await flush(leftMs - 3 * stepMs);
    await reporter.sendAll(deadlineMs - 2 * stepMs);
    const { unreported, refused } = reporter;
    const totals = refused.length > 0 ? undefined : await reporter.counts(deadlineMs - stepMs);
    return { totals, unreported, lost: reporter.warnings(cureOfNoAnswer(this.request.timeoutMs)) };
  }

  finish({ status, summary }: RunConclusion, deadlineMs: number): Promise<ConfirmedRun | Error> {
    const { reporter } = this.parts;
    const refused = reporter.refused.length;
    return reporter.finish(
      {
        status,
        ...(this.data.kind === 'list' && { expected_items: this.itemCount }),
        ...(refused > 0 && { skipped: { refused } }),
        summary,
      },
      deadlineMs,
    );
  }

  private async *pages<T>(words: Readonly<Record<string, string>>, id = this.id): AsyncGenerator<T> {
    const { service, reporter } = this.parts;
    await reporter.caughtUp();
    const path = routePath(ROUTES.testRunItems, { id });
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ limit: '200', ...words, ...(cursor !== undefined && { cursor }) });
      const page = await service.get<Page<T>>(`${path}?${query.toString()}`, 'items[]');
      yield* page.items;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }
}

function detailsOf(service: ServiceClient): CallDetails {
  return {
    descendants: (call) => recordedDescendants(service, call),
    trace: ({ trace_id: id }: RecordedCallTree): Promise<TraceFacts> =>
      // Of its spans nothing is needed.
      service.get<TraceFacts>(`${routePath(ROUTES.trace, { id })}?limit=1`, 'id'),
  };
}
