import { addRecordedCall, judgeReport } from '@dacapo/evaluation';
import {
  type BaselineScore,
  formatTimestamp,
  LIMITS,
  type Page,
  ProtocolError,
  type RejectedItem,
  type ReportTestRunItemsAnswer,
  type SpanRecord,
  type TestRunItemRecord,
  type TestRunItemReport,
  type TestRunItemSummary,
} from '@dacapo/protocol';
import { ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { Clock } from '../clock.js';
import { type PageRequest, readPosition, takePage } from '../cursor.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import { SpanStore } from '../storage/ports/span-store.js';
import type { ItemFilter, ItemKey } from '../storage/ports/test-run.js';
import { RecentCalls } from '../traces/recent-calls.js';
import { readItemNo, readItemReport } from './read-item-report.js';
import { sha256 } from '../sha256.js';
import { itemKey, toStoredItem } from './stored-item.js';

export type ListedItemsFilter = ItemFilter;

const SETTLED_AT_ONCE = 200;

/** Stores the reported items of test runs, and reads them together with the recorded calls. */
@Injectable()
export class TestRunItemService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly recent: RecentCalls,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks the items one by one, and rejects only the invalid ones. A report also counts as a heartbeat of the run.
   *
   * @throws NotFoundException when the run does not exist
   * @throws ConflictException when the run is finished
   */
  async report(accountId: string, id: string, items: readonly unknown[]): Promise<ReportTestRunItemsAnswer> {
    const run = await this.meta.testRuns.find(accountId, id);
    if (!run) throw new NotFoundException(`Test run ${id} not found`);
    if (run.finishedAt !== undefined) throw new ConflictException(`Test run ${id} is finished`);
    const rejected: RejectedItem[] = [];
    const read = items.flatMap((item, index) => {
      try {
        if (index >= LIMITS.reportedItems) {
          throw new ProtocolError('items', `may be ${LIMITS.reportedItems} in one report`);
        }
        return [{ index, report: readItemReport(item) }];
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        rejected.push({ index, ...readItemNo(item), detail: error.message });
        return [];
      }
    });
    const reports = read.map(({ report }) => report);
    const originals = await this.readOriginals(accountId, reports);
    const isLate = !this.spans.capabilities.readsOwnWrites;
    const stored = read.flatMap(({ index, report }) => {
      const original = originals.get(sourceKey(report));
      const isMissing = hasSource(report) && original === undefined;
      if (!isMissing || isLate) {
        return [toStoredItem(judgeReport(report, original, { sha256 }), original, isMissing)];
      }
      const detail = `Span ${report.source_span_id} of trace ${report.source_trace_id} not found`;
      rejected.push({ index, item_no: report.item_no, detail });
      return [];
    });
    const heardOfAt = formatTimestamp(this.clock.nowUs());
    // The store checks again, because the run may have been finished meanwhile.
    if (!(await this.meta.testRuns.putItems(accountId, id, stored, { heardOfAt }))) {
      throw new ConflictException(`Test run ${id} is finished`);
    }
    return { accepted: stored.length, rejected: rejected.sort((left, right) => left.index - right.index) };
  }

  /** Without payloads, by number. @throws NotFoundException, InvalidCursorError */
  async list(
    accountId: string,
    id: string,
    filter: ListedItemsFilter,
    page: PageRequest,
  ): Promise<Page<TestRunItemSummary>> {
    const { kept, ...next } = await this.listRows(accountId, id, filter, page);
    const summaries = kept.map(({ summary }) => summary);
    return { items: await this.withAcceptances(accountId, id, summaries), ...next };
  }

  /** With payloads, by number. A page of large payloads ends early. @throws NotFoundException, InvalidCursorError */
  async listRecords(
    accountId: string,
    id: string,
    filter: ListedItemsFilter,
    page: PageRequest,
  ): Promise<Page<TestRunItemRecord>> {
    const measure = ({ payload_bytes }: { payload_bytes: number }): number => payload_bytes;
    const { kept, ...next } = await this.listRows(accountId, id, filter, page, measure);
    const keys = kept.map(({ summary }) => itemKey(summary));
    return { items: await this.read(accountId, id, keys), ...next };
  }

  /** @throws NotFoundException */
  async get(accountId: string, id: string, itemNo: number, repetition: number): Promise<TestRunItemRecord> {
    const [item] = await this.read(accountId, id, [[itemNo, repetition]]);
    if (!item) throw new NotFoundException(`Item ${itemNo} of test run ${id} not found`);
    return item;
  }

  /** Returns the newest baseline score of each evaluator and version for this baseline. */
  async baselineScores(accountId: string, hash: string): Promise<BaselineScore[]> {
    const newest = new Map<string, BaselineScore>();
    for (const score of await this.meta.testRuns.listBaselineScores(accountId, hash)) {
      const key = JSON.stringify([score.name, score.version]);
      if (score.version !== undefined && !newest.has(key)) newest.set(key, score);
    }
    return [...newest.values()];
  }

  /** Judges the items whose recorded calls could not be read when they were reported. */
  async settle(accountId: string, id: string): Promise<void> {
    if (this.spans.capabilities.readsOwnWrites) return;
    let after: ItemKey | undefined;
    do {
      const range = { limit: SETTLED_AT_ONCE, ...(after !== undefined && { after }) };
      const rows = await this.meta.testRuns.listItems(accountId, id, { isPending: true }, range);
      const keys = rows.map(({ summary }) => itemKey(summary));
      await this.read(accountId, id, keys);
      after = keys.at(-1);
    } while (after !== undefined);
  }

  private async listRows(
    accountId: string,
    id: string,
    filter: ListedItemsFilter,
    page: PageRequest,
    measureBytes?: (row: { payload_bytes: number }) => number,
  ) {
    if (!(await this.meta.testRuns.find(accountId, id))) {
      throw new NotFoundException(`Test run ${id} not found`);
    }
    const range = { limit: page.limit + 1, ...readPosition(page, 'number', 'number') };
    const rows = await this.meta.testRuns.listItems(accountId, id, filter, range);
    return takePage(rows, page.limit, ({ summary }) => itemKey(summary), measureBytes);
  }

  /** Reads the items with their recorded calls, if these exist, and skips missing ones. Until the run is finished, judges pending items. */
  async read(accountId: string, id: string, keys: readonly ItemKey[]): Promise<TestRunItemRecord[]> {
    const items = await this.meta.testRuns.readItems(accountId, id, keys);
    const stored = items.map(({ record }) => record);
    const originals = await this.readOriginals(accountId, stored);
    const checked = new Map<TestRunItemRecord, TestRunItemRecord>();
    for (const { record, isPending } of items) {
      const original = originals.get(sourceKey(record));
      if (!isPending || original === undefined) continue;
      checked.set(record, judgeReport(toReport(record), original, { sha256 }));
    }
    const completed = Array.from(checked.values(), (item) =>
      toStoredItem(item, originals.get(sourceKey(item)), false),
    );
    // The store refuses items of a finished run: they keep the verdicts that the decision was made with.
    const isStored = completed.length > 0 && (await this.meta.testRuns.putItems(accountId, id, completed));
    const byKey = new Map<string, TestRunItemRecord>();
    for (const { record } of items) {
      const original = originals.get(sourceKey(record));
      const item = (isStored ? checked.get(record) : undefined) ?? record;
      byKey.set(itemKey(item).join(), original === undefined ? item : addRecordedCall(item, original));
    }
    const records = keys.flatMap((key) => byKey.get(key.join()) ?? []);
    return this.withAcceptances(accountId, id, records);
  }

  private async withAcceptances<T extends TestRunItemSummary | TestRunItemRecord>(
    accountId: string,
    id: string,
    items: readonly T[],
  ): Promise<T[]> {
    const accepted = await this.meta.accepted.listOfItems(accountId, id, items.map(itemKey));
    const byKey = new Map(accepted.map(({ item, acceptance }) => [item.join(), acceptance]));
    return items.map((item) => {
      const acceptance = byKey.get(itemKey(item).join());
      return { ...item, ...(acceptance !== undefined && { acceptance }) };
    });
  }

  /** Returns the recorded calls by {@link sourceKey}. */
  private async readOriginals(
    accountId: string,
    reports: readonly TestRunItemReport[],
  ): Promise<Map<string, SpanRecord>> {
    const refs = reports.flatMap(({ source_trace_id: trace_id, source_span_id: span_id }) =>
      trace_id === undefined || span_id === undefined ? [] : [{ trace_id, span_id }],
    );
    if (refs.length === 0) return new Map();
    const spans = await this.recent.read(accountId, refs);
    return new Map(spans.map((span) => [`${span.trace_id}/${span.id}`, span]));
  }
}

/** Removes the verdict `unknown`, so that the item is judged now. */
function toReport({ verdict, ...report }: TestRunItemRecord): TestRunItemReport {
  return verdict === 'unknown' ? report : { ...report, verdict };
}

function hasSource({ source_trace_id: traceId, source_span_id: spanId }: TestRunItemReport): boolean {
  return traceId !== undefined && spanId !== undefined;
}

function sourceKey({
  source_trace_id: traceId = '',
  source_span_id: spanId = '',
}: TestRunItemReport): string {
  return `${traceId}/${spanId}`;
}
