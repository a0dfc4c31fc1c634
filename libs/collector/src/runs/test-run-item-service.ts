import { besideRecording, judgeReport } from '@dacapo/evaluation';
import {
  type BaselineScore,
  formatTimestamp,
  type JsonValue,
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
import { type PageRequest, positionOf, takePage } from '../cursor.js';
import { MetaStore } from '../storage/meta-store.js';
import { errorPreviewOf, previewOf } from '../storage/preview.js';
import type { ScoreFilter } from '../storage/score-log.js';
import { SpanStore } from '../storage/span-store.js';
import type { ItemFilter, ItemKey, StoredItem } from '../storage/test-run-store.js';
import { RecentCalls } from '../traces/recent-calls.js';
import { itemNoOf, readItemReport } from './read-item-report.js';
import { sha256 } from './sha256.js';

export interface ListedItemsFilter extends Omit<ItemFilter, 'score'> {
  score?: ScoreFilter;
}

/** Items that are completed in one go. */
const SETTLED_AT_ONCE = 200;

/** The items of test runs: what reporters say of them, with the recorded calls. */
@Injectable()
export class TestRunItemService {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly recent: RecentCalls,
    private readonly clock: Clock,
  ) {}

  /**
   * Takes items one by one: a refused one never harms its neighbours. A sign of life of the run, too.
   *
   * @throws NotFoundException when there is no such run
   * @throws ConflictException when the run is finished
   */
  async report(accountId: string, id: string, items: JsonValue[]): Promise<ReportTestRunItemsAnswer> {
    const run = await this.meta.testRuns.find(accountId, id);
    if (!run) throw new NotFoundException(`Test run ${id} not found`);
    if (run.finishedAt !== undefined) throw new ConflictException(`Test run ${id} is finished`);
    const rejected: RejectedItem[] = [];
    const read = items.flatMap((item, index) => {
      try {
        if (index >= LIMITS.reportedItems) {
          throw new ProtocolError(
            'items',
            `may be ${LIMITS.reportedItems} in one report, and this is one more`,
          );
        }
        return [{ index, report: readItemReport(item) }];
      } catch (error) {
        if (!(error instanceof ProtocolError)) throw error;
        rejected.push({ index, ...itemNoOf(item), detail: error.message });
        return [];
      }
    });
    const originals = await this.originalsOf(
      accountId,
      read.map(({ report }) => report),
    );
    const isLate = !this.spans.capabilities.readsOwnWrites;
    const stored = read.flatMap(({ index, report }) => {
      const original = originals.get(sourceOf(report));
      const isMissing = hasSource(report) && original === undefined;
      if (!isMissing || isLate)
        return [toStored(judgeReport(report, original, { sha256 }), original, isMissing)];
      const detail = `Span ${report.source_span_id} of trace ${report.source_trace_id} not found`;
      rejected.push({ index, item_no: report.item_no, detail });
      return [];
    });
    const heardOfAt = formatTimestamp(this.clock.nowUs());
    // It may have been finished meanwhile: what it came to is counted.
    if (!(await this.meta.testRuns.putItems(accountId, id, stored, { heardOfAt })))
      throw new ConflictException(`Test run ${id} is finished`);
    return { accepted: stored.length, rejected: rejected.sort((left, right) => left.index - right.index) };
  }

  /** Without payloads, by number. @throws NotFoundException, InvalidCursorError */
  async list(
    accountId: string,
    id: string,
    filter: ListedItemsFilter,
    page: PageRequest,
  ): Promise<Page<TestRunItemSummary>> {
    const { kept, ...next } = await this.listRows(accountId, id, filter, page, () => 0);
    const summaries = kept.map(({ summary }) => summary);
    return { items: await this.withAcceptances(accountId, id, summaries), ...next };
  }

  /** With payloads, by number. A page of great payloads ends early. @throws NotFoundException, InvalidCursorError */
  async listRecords(
    accountId: string,
    id: string,
    filter: ListedItemsFilter,
    page: PageRequest,
  ): Promise<Page<TestRunItemRecord>> {
    const { kept, ...next } = await this.listRows(
      accountId,
      id,
      filter,
      page,
      ({ payload_bytes }) => payload_bytes,
    );
    const items = await this.read(
      accountId,
      id,
      kept.map(({ summary }) => keyOf(summary)),
    );
    return { items, ...next };
  }

  /** @throws NotFoundException */
  async get(accountId: string, id: string, itemNo: number, repetition: number): Promise<TestRunItemRecord> {
    const [item] = await this.read(accountId, id, [[itemNo, repetition]]);
    if (!item) throw new NotFoundException(`Item ${itemNo} of test run ${id} not found`);
    return item;
  }

  /** Scores of baselines of which evaluators saw this, that have a version: of each evaluator and version the newest. */
  async baselineScores(accountId: string, hash: string): Promise<BaselineScore[]> {
    const newest = new Map<string, BaselineScore>();
    for (const score of await this.meta.testRuns.listBaselineScores(accountId, hash)) {
      const key = JSON.stringify([score.name, score.version]);
      if (score.version !== undefined && !newest.has(key)) newest.set(key, score);
    }
    return [...newest.values()];
  }

  /** Completes the items whose recorded calls could not be read when they were reported. */
  async settle(accountId: string, id: string): Promise<void> {
    if (this.spans.capabilities.readsOwnWrites) return;
    let after: ItemKey | undefined;
    do {
      const range = { limit: SETTLED_AT_ONCE, ...(after !== undefined && { after }) };
      const rows = await this.meta.testRuns.listItems(accountId, id, { isPending: true }, range);
      const keys = rows.map(({ summary }) => keyOf(summary));
      await this.read(accountId, id, keys);
      after = keys.at(-1);
    } while (after !== undefined);
  }

  private async listRows(
    accountId: string,
    id: string,
    filter: ListedItemsFilter,
    page: PageRequest,
    bytesOf: (row: { payload_bytes: number }) => number,
  ) {
    if (!(await this.meta.testRuns.find(accountId, id))) {
      throw new NotFoundException(`Test run ${id} not found`);
    }
    const range = { limit: page.limit + 1, ...positionOf(page, 'number', 'number') };
    const rows = await this.meta.testRuns.listItems(
      accountId,
      id,
      await this.storeFilterOf(accountId, id, filter),
      range,
    );
    return takePage(rows, page.limit, ({ summary }) => keyOf(summary), bytesOf);
  }

  /**
   * By number, with the recorded calls as far as these can be read. Items that were stored before their recorded call could be
   * read are completed while the run is not finished.
   */
  private async read(accountId: string, id: string, keys: readonly ItemKey[]): Promise<TestRunItemRecord[]> {
    const items = await this.meta.testRuns.readItems(accountId, id, keys);
    const originals = await this.originalsOf(
      accountId,
      items.map(({ record }) => record),
    );
    const judged = new Map<TestRunItemRecord, TestRunItemRecord>();
    for (const { record, isPending } of items) {
      const original = originals.get(sourceOf(record));
      if (isPending && original !== undefined)
        judged.set(record, judgeReport(reportOf(record), original, { sha256 }));
    }
    const completed = Array.from(judged.values(), (item) =>
      toStored(item, originals.get(sourceOf(item)), false),
    );
    // Items of a finished run keep the verdict that its decision was made with.
    const isTaken = completed.length > 0 && (await this.meta.testRuns.putItems(accountId, id, completed));
    const byKey = new Map<string, TestRunItemRecord>();
    for (const { record } of items) {
      const original = originals.get(sourceOf(record));
      const item = (isTaken ? judged.get(record) : undefined) ?? record;
      byKey.set(keyOf(item).join(), original === undefined ? item : besideRecording(item, original));
    }
    const records = keys.flatMap((key) => byKey.get(key.join()) ?? []);
    return this.withAcceptances(accountId, id, records);
  }

  private async withAcceptances<T extends TestRunItemSummary | TestRunItemRecord>(
    accountId: string,
    id: string,
    items: readonly T[],
  ): Promise<T[]> {
    const accepted = await this.meta.accepted.listOfItems(accountId, id, items.map(keyOf));
    const byKey = new Map(accepted.map(({ item, acceptance }) => [item.join(), acceptance]));
    return items.map((item) => {
      const acceptance = byKey.get(keyOf(item).join());
      return { ...item, ...(acceptance !== undefined && { acceptance }) };
    });
  }

  /** Items that may be filtered by a score that somebody gave apart from their report. */
  private async storeFilterOf(
    accountId: string,
    id: string,
    { score, ...filter }: ListedItemsFilter,
  ): Promise<ItemFilter> {
    if (score === undefined) return filter;
    return { ...filter, score: { ...score, given: await this.spans.listScoredItems(accountId, id, score) } };
  }

  /** The recorded calls, by {@link sourceOf}. */
  private async originalsOf(
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

/** As it was reported: one that came without a verdict is compared now. */
function reportOf({ verdict, ...report }: TestRunItemRecord): TestRunItemReport {
  return verdict === 'unknown' ? report : { ...report, verdict };
}

function hasSource({ source_trace_id: traceId, source_span_id: spanId }: TestRunItemReport): boolean {
  return traceId !== undefined && spanId !== undefined;
}

function sourceOf({ source_trace_id: traceId = '', source_span_id: spanId = '' }: TestRunItemReport): string {
  return `${traceId}/${spanId}`;
}

function keyOf({ item_no, repetition = 0 }: Pick<TestRunItemRecord, 'item_no' | 'repetition'>): ItemKey {
  return [item_no, repetition];
}

/** What is recorded is not stored twice: it is read with the item. */
function toStored(
  record: TestRunItemRecord,
  original: SpanRecord | undefined,
  isPending: boolean,
): StoredItem {
  const { divergences = [], divergence_count: count = divergences.length } = record;
  const { input, output } = original?.span_data ?? {};
  const [inputJson, outputJson] = [jsonOf(record.input ?? input), jsonOf(output)];
  return {
    record,
    besideBytes: (inputJson?.length ?? 0) + (outputJson?.length ?? 0),
    summary: summaryOf(record, inputJson, count),
    flags: {
      fixed: record.fixed ?? false,
      failing_as_before: record.failing_as_before ?? false,
      new_error: record.new_error ?? false,
      accepted: record.accepted ?? false,
      diverged: count > 0,
    },
    isPending,
  };
}

const SUMMARY = [
  'item_no',
  'repetition',
  'name',
  'source_trace_id',
  'source_span_id',
  'new_trace_id',
  'new_span_id',
  'session_id',
  'verdict',
  'fixed',
  'failing_as_before',
  'new_error',
  'accepted',
  'duration_ms',
  'original_duration_ms',
  'timing',
  'usage',
  'original_usage',
  'model_calls',
  'original_model_calls',
  'baseline_hash',
] as const;

function scoresOf<const N extends 'scores' | 'original_scores'>(
  record: TestRunItemRecord,
  name: N,
): Pick<TestRunItemSummary, N> {
  const scores = record[name]?.map((score) => ({
    name: score.name,
    value: score.value,
    ...(score.label !== undefined && { label: score.label }),
    ...('reused' in score && { reused: score.reused }),
  }));
  return (scores === undefined ? {} : { [name]: scores }) as Pick<TestRunItemSummary, N>;
}

function jsonOf(value: JsonValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

function summaryOf(
  record: TestRunItemRecord,
  inputJson: string | undefined,
  divergenceCount: number,
): TestRunItemSummary {
  const inputPreview = previewOf(inputJson);
  const errorPreview = errorPreviewOf(record.error);
  const kept = SUMMARY.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]);
  return {
    ...(Object.fromEntries(kept) as Pick<TestRunItemRecord, (typeof SUMMARY)[number]>),
    ...scoresOf(record, 'scores'),
    ...scoresOf(record, 'original_scores'),
    ...(inputPreview !== undefined && { input_preview: inputPreview }),
    ...(errorPreview !== undefined && { error_preview: errorPreview }),
    ...(divergenceCount > 0 && { divergence_count: divergenceCount }),
  };
}
