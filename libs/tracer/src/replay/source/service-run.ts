import type {
  Page,
  RecordedCallTree,
  RecordedDescendant,
  SelectedCall,
  TestRunItemRecord,
  TestRunItemReport,
  TestRunItemSummary,
  TestRunRecord,
} from '@dacapo/protocol';
import type { ServiceClient } from '../../service/service-client.js';
import { describeUnconfirmedCure, FULL_END_MS, RecordingTooLargeError } from '../errors.js';
import { type CallDetails, type PlannedItem, plannedCall, plannedListItem } from '../planned-item.js';
import { rescoredCalls, rescoredItems } from '../rescored-items.js';
import { withMedia } from '../../service/recorded-media.js';
import { retryWhileAway } from '../test-run/retry-while-away.js';
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
/** Reserved time for each step at the end of a run, if the run's timeout allows it. */
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
  readonly replayedBefore: number;
  readonly repeat?: number;
  readonly ignore: readonly string[];
  private readonly isSelected: boolean;

  constructor(
    {
      id,
      url,
      baseline,
      selection,
      dataset,
      totals,
      expected_items: expected,
      repeat = 1,
      ignore = [],
    }: TestRunRecord,
    private readonly data: RunData,
    private readonly request: RunRequest,
    private readonly parts: ServiceRunParts,
  ) {
    this.id = id;
    this.url = url;
    this.baseline = baseline;
    this.ignore = ignore;
    this.itemCount =
      data.kind === 'list' ? data.items.length : (dataset?.items ?? selection?.items ?? expected ?? 0);
    if (data.kind === 'run') this.repeat = repeat;
    this.isSelected = (dataset ?? selection) !== undefined;
    this.skipped = selection?.skipped ?? {};
    this.isUnknownKey = selection?.unknown_key ?? false;
    this.similarKey = selection?.similar_key;
    this.replayedBefore = request.resume === undefined ? 0 : totals.items;
  }

  earlierItems(): AsyncIterable<TestRunItemSummary> {
    return this.items(false);
  }

  earlierRecords(): AsyncIterable<TestRunItemRecord> {
    return this.items(true);
  }

  async *calls(): AsyncGenerator<PlannedItem> {
    const { data } = this;
    if (data.kind === 'list') {
      for (const [itemNo, item] of data.items.entries()) yield plannedListItem(item, itemNo);
      return;
    }
    if (data.kind === 'run') {
      const records = this.items(true, data.testRunId);
      yield* this.isSelected ? rescoredCalls(this.selected(false), records) : rescoredItems(records);
      return;
    }
    const { resume, repeat } = this.request;
    // Only reports show which repetitions of an item remain, and only dataset items have names.
    const isLeft = resume !== undefined && repeat === 1 && data.kind === 'calls';
    yield* this.selected(isLeft);
  }

  /** @param isLeft only items without a report */
  private async *selected(isLeft: boolean): AsyncGenerator<PlannedItem> {
    const { service, nowMs } = this.parts;
    const { timeoutMs, signal } = this.request;
    const retry = { nowMs, timeoutMs, signal };
    const details = createDetails(service);
    for await (const call of selectedCalls(this.id, isLeft, service, retry)) {
      const isExampleDeleted = this.request.data.kind === 'dataset' && call.dataset_item === undefined;
      if (isExampleDeleted) yield plannedCall({ item_no: call.item_no }, details);
      else yield plannedCall(await retryWhileAway(() => withSelectedMedia(service, call), retry), details);
    }
  }

  report(item: TestRunItemReport): void {
    this.parts.reporter.add(item);
  }

  async settle(deadlineMs: number): Promise<ReceivedItems> {
    const { reporter, flush, nowMs } = this.parts;
    const leftMs = Math.max(0, deadlineMs - nowMs());
    // A hanging step leaves time for the later ones, so that the run is at least stored as interrupted.
    const stepMs = Math.min(LEAST_STEP_MS, leftMs / END_STEPS);
    await flush(leftMs - 3 * stepMs);
    await reporter.sendAll(deadlineMs - 2 * stepMs);
    const { unreported, refused } = reporter;
    const totals = refused.length > 0 ? undefined : await reporter.counts(deadlineMs - stepMs);
    return { totals, unreported, lost: reporter.warnings(describeUnconfirmedCure(this.request.timeoutMs)) };
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

  /** Items listed by the service; `isWhole`: with payloads. */
  private async *items(isWhole: boolean, id = this.id): AsyncGenerator<TestRunItemRecord> {
    const { service, reporter } = this.parts;
    await reporter.caughtUp();
    const pages = service.pages((api, page) => api.testRuns.listItems({ id, payloads: isWhole, ...page }));
    // Sequential, because the media of a page may be larger than memory.
    for await (const items of pages)
      for (const item of items as TestRunItemRecord[]) yield* await withMedia(service, [item]);
  }
}

async function withSelectedMedia(service: ServiceClient, selected: SelectedCall): Promise<SelectedCall> {
  const { call, dataset_item: item, baseline } = selected;
  const [[wholeCall], [wholeItem], [wholeBaseline]] = await Promise.all([
    withMedia(service, call ? [call] : []),
    withMedia(service, item ? [item] : []),
    withMedia(service, baseline ? [baseline] : []),
  ]);
  return {
    ...selected,
    ...(wholeCall && { call: wholeCall }),
    ...(wholeItem && { dataset_item: wholeItem }),
    ...(wholeBaseline && { baseline: wholeBaseline }),
  };
}

function createDetails(service: ServiceClient): CallDetails {
  return {
    descendants: async (call) => withMedia(service, await recordedDescendants(service, call)),
    // Its spans are not needed.
    trace: async ({ trace_id: id }) => (await service.api()).traces.get({ id, limit: 1 }),
  };
}

/** The service shortens a page with large payloads. */
const PAGE_SIZE = 200;
const MAX_CALLS = 10_000;

/**
 * The recorded calls below a call, in the order in which they started: those that came with it, and the rest.
 *
 * @throws RecordingTooLargeError when there are more than 10,000
 */
async function recordedDescendants(
  service: ServiceClient,
  { trace_id, span_id, descendants, descendants_cursor }: RecordedCallTree,
): Promise<RecordedDescendant[]> {
  const calls = descendants ?? [];
  if (descendants !== undefined && descendants_cursor === undefined) return calls;
  const api = await service.api();
  let cursor = descendants_cursor;
  do {
    const page = await api.calls.listDescendants({ id: trace_id, span_id, limit: PAGE_SIZE, cursor });
    calls.push(...page.items);
    if (calls.length > MAX_CALLS) throw new RecordingTooLargeError(span_id, MAX_CALLS);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return calls;
}

/**
 * The calls of a test run with their inner calls, page by page. The next page is fetched while
 * a page is replayed.
 *
 * @param left only calls without a report
 * @throws the failure of the next page, if the service is away for longer than `timeoutMs`
 */
async function* selectedCalls(
  runId: string,
  left: boolean,
  service: ServiceClient,
  retry: Parameters<typeof retryWhileAway>[1],
): AsyncGenerator<SelectedCall> {
  const fetchPage = (cursor: string | undefined): Promise<Page<SelectedCall>> =>
    retryWhileAway(async () => {
      const { testRuns } = await service.api();
      const wanted = { limit: PAGE_SIZE, descendants: true, ...(left && { left }) };
      return testRuns.listCalls({ id: runId, ...wanted, cursor });
    }, retry);
  let next: Promise<Page<SelectedCall>> | undefined = fetchPage(undefined);
  while (next !== undefined) {
    const { items, next_cursor }: Page<SelectedCall> = await next;
    next = next_cursor === undefined ? undefined : fetchPage(next_cursor);
    // It is awaited later, or never.
    next?.catch(() => undefined);
    yield* items;
  }
}
