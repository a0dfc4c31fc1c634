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
import {
  type CallDetails,
  type PlannedItem,
  plannedCall,
  plannedListItem,
  type TraceFacts,
} from '../planned-item.js';
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

/** What each step at the end of a run can count on, where the run's timeout leaves so much. */
const LEAST_STEP_MS = 1_000;

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

  constructor(
    { id, url, baseline, selection, dataset, totals }: TestRunRecord,
    private readonly data: RunData,
    private readonly request: RunRequest,
    private readonly parts: ServiceRunParts,
  ) {
    this.id = id;
    this.url = url;
    this.baseline = baseline;
    this.itemCount = data.kind === 'list' ? data.items.length : (dataset?.items ?? selection?.items ?? 0);
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
    const { service, nowMs } = this.parts;
    const { resume, repeat, timeoutMs, signal } = this.request;
    const details = detailsOf(service);
    // Which repetitions are left of an item only its reports tell.
    const isLeft = resume !== undefined && repeat === 1;
    for await (const call of selectedCalls(this.id, isLeft, { service, nowMs, timeoutMs, signal }))
      yield plannedCall(call, details);
  }

  report(item: TestRunItemReport): void {
    this.parts.reporter.add(item);
  }

  async settle(deadlineMs: number): Promise<ReceivedItems> {
    const { reporter, flush, nowMs } = this.parts;
    const leftMs = Math.max(0, deadlineMs - nowMs());
    // A step that hangs leaves time to each step behind it, so that the run is at least stored as interrupted.
    const stepMs = Math.min(LEAST_STEP_MS, leftMs / 4);
    await flush(leftMs - 3 * stepMs);
    await reporter.sendAll(deadlineMs - 2 * stepMs);
    const { unreported, refused } = reporter;
    const totals = refused.length > 0 ? undefined : await reporter.counts(deadlineMs - stepMs);
    return { totals, unreported, lost: reporter.warnings() };
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

  private async *pages<T>(words: Readonly<Record<string, string>>): AsyncGenerator<T> {
    const { service, reporter } = this.parts;
    await reporter.caughtUp();
    const path = routePath(ROUTES.testRunItems, { id: this.id });
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
      service.get<TraceFacts>(routePath(ROUTES.trace, { id }), 'id'),
  };
}
