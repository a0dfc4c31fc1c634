import { type BaselineScore, ITEM_FLAGS, type TestRunItemRecord, type TestRunTotals } from '@dacapo/protocol';
import { sourceOf } from '../../accepted-outcome-store.js';
import { fulfils } from '../../score-log.js';
import type { Range } from '../../span-store.js';
import {
  countOf,
  type ItemFilter,
  type ItemKey,
  type ListedItem,
  type NewTestRun,
  NO_TOTALS,
  type RunSettlement,
  type SelectedRef,
  severityOf,
  type StoredItem,
  type StoredTestRun,
  type TestRunChanges,
  type TestRunStore,
} from '../../test-run-store.js';
import type { DeletedCopies } from './deleted-copies.js';
import type { MemoryAcceptedOutcomeStore } from './memory-accepted-outcome-store.js';
import { newestFirst } from './newest-first.js';

export interface Run {
  stored: StoredTestRun;
  selected: readonly SelectedRef[];
  items: StoredItem[];
  isErased?: true;
}

export class MemoryTestRunStore implements TestRunStore {
  /** By account and id. */
  private readonly accounts = new Map<string, Map<string, Run>>();

  constructor(
    private readonly accepted: MemoryAcceptedOutcomeStore,
    private readonly deleted: DeletedCopies,
  ) {}

  create(accountId: string, run: NewTestRun, selected: readonly SelectedRef[]): Promise<void> {
    const runs = this.accounts.get(accountId) ?? new Map<string, Run>();
    const stored = { ...run, heartbeatAt: run.createdAt, isStopped: false };
    this.accounts.set(accountId, runs.set(run.id, { stored, selected, items: [] }));
    return Promise.resolve();
  }

  find(accountId: string, id: string): Promise<StoredTestRun | undefined> {
    return Promise.resolve(this.run(accountId, id)?.stored);
  }

  list(accountId: string, filter: { traceFunctionKey?: string }, range: Range): Promise<StoredTestRun[]> {
    const { traceFunctionKey: key } = filter;
    const runs = Array.from(this.accounts.get(accountId)?.values() ?? [], ({ stored }) =>
      withoutSummary(stored),
    ).filter((run) => key === undefined || run.traceFunctionKey === key);
    return Promise.resolve(newestFirst(runs, range, ({ createdAt, id }) => [createdAt, id]));
  }

  update(accountId: string, id: string, { decision, summary, ...changes }: TestRunChanges): Promise<boolean> {
    const run = this.run(accountId, id);
    if (run === undefined || run.stored.finishedAt !== undefined) return Promise.resolve(false);
    const { decision: decisionBefore, summary: summaryBefore, ...stored } = run.stored;
    const [decided, told] = [
      decision === undefined ? decisionBefore : decision,
      summary === undefined ? summaryBefore : summary,
    ];
    run.stored = {
      ...stored,
      ...changes,
      ...(decided != null && { decision: decided }),
      ...(told != null && { summary: told }),
    };
    return Promise.resolve(true);
  }

  settle(accountId: string, id: string, result: RunSettlement): Promise<void> {
    const run = this.run(accountId, id);
    if (run?.stored.finishedAt !== undefined && run.stored.totals === undefined) {
      run.stored = { ...run.stored, ...result };
      if (result.decision === undefined) delete run.stored.decision;
    }
    return Promise.resolve();
  }

  count(accountId: string, id: string): Promise<TestRunTotals> {
    const totals = { ...NO_TOTALS };
    const verdicts = new Map<number, Set<string>>();
    for (const { record, flags } of this.run(accountId, id)?.items ?? []) {
      totals.items++;
      totals[record.verdict]++;
      for (const flag of ITEM_FLAGS) if (flags[flag]) totals[countOf(flag)]++;
      const known = verdicts.get(record.item_no) ?? new Set();
      verdicts.set(record.item_no, known.add(record.verdict));
    }
    totals.flaky = [...verdicts.values()].filter(({ size }) => size > 1).length;
    return Promise.resolve(totals);
  }

  listSelected(
    accountId: string,
    runId: string,
    { left }: { left: boolean },
    { limit, after = -1 }: Range<number>,
  ): Promise<SelectedRef[]> {
    const { selected = [], items = [] } = this.run(accountId, runId) ?? {};
    const reported = new Set(left ? items.map(({ record }) => record.item_no) : []);
    const rows = selected.filter(({ item_no }) => item_no > after && !reported.has(item_no));
    return Promise.resolve(rows.slice(0, limit));
  }

  putItems(
    accountId: string,
    runId: string,
    items: readonly StoredItem[],
    options?: { heardOfAt: string },
  ): Promise<boolean> {
    const run = this.run(accountId, runId);
    if (run === undefined || run.stored.finishedAt !== undefined) return Promise.resolve(false);
    if (options !== undefined)
      run.stored = { ...run.stored, heartbeatAt: options.heardOfAt, isStopped: false };
    const kept = items.map((item) => {
      const { new_trace_id: made, source_trace_id: played } = item.record;
      const isGone = [made, played].some((id) => this.deleted.has(accountId, id));
      return isGone ? erasedItem(item) : item;
    });
    const byKey = new Map([...run.items, ...kept].map((item) => [keyOf(item).join(), item]));
    run.items = [...byKey.values()].sort((left, right) => compare(keyOf(left), keyOf(right)));
    return Promise.resolve(true);
  }

  listItems(
    accountId: string,
    runId: string,
    { verdict, flag, newTraceId, isPending, accepted, score, worstFirst = false }: ItemFilter,
    { limit, after = [-1, 0] }: Range<ItemKey>,
  ): Promise<ListedItem[]> {
    const all = this.run(accountId, runId)?.items ?? [];
    const severity = (item: StoredItem | undefined): number =>
      worstFirst && item !== undefined ? severityOf(item) : -1;
    const reached = severity(all.find((item) => compare(keyOf(item), after) === 0));
    const ordered = worstFirst ? all.toSorted((a, b) => severity(a) - severity(b)) : all;
    const items = ordered.filter(
      (item) =>
        (severity(item) - reached || compare(keyOf(item), after)) > 0 &&
        (verdict === undefined || item.record.verdict === verdict) &&
        (flag === undefined || item.flags[flag]) &&
        (newTraceId === undefined || item.record.new_trace_id === newTraceId) &&
        (!isPending || item.isPending) &&
        (accepted === undefined || accepted === this.isAccepted(accountId, runId, item)) &&
        (score === undefined ||
          item.summary.scores?.some((one) => fulfils(one, score)) === true ||
          score.given.some((key) => compare(key, keyOf(item)) === 0)),
    );
    return Promise.resolve(
      items.slice(0, limit).map(({ summary, record, besideBytes = 0 }) => ({
        summary,
        payload_bytes: Buffer.byteLength(JSON.stringify(record)) + besideBytes,
      })),
    );
  }

  readItemsBySource(
    accountId: string,
    runId: string,
    sources: readonly string[],
  ): Promise<Map<string, TestRunItemRecord>> {
    const { items = [], selected = [] } = this.run(accountId, runId) ?? {};
    const left = items.filter(({ record }) => record.erased !== true);
    const found = left.toReversed().flatMap(({ record }): [string, TestRunItemRecord][] => {
      const played = selected.find(({ item_no }) => item_no === record.item_no);
      const { source_trace_id: trace_id, source_span_id: span_id } = record;
      const reported = trace_id !== undefined && span_id !== undefined && { trace_id, span_id };
      const source = sourceOf(played?.dataset_item_id === undefined ? { ...reported } : played);
      return source !== undefined && sources.includes(source) ? [[source, record]] : [];
    });
    return Promise.resolve(new Map(found));
  }

  listBaselineScores(accountId: string, hash: string): Promise<BaselineScore[]> {
    const items = this.runsOf(accountId).flatMap((run) => run.items);
    const found = items.filter(({ record }) => record.baseline_hash === hash).reverse();
    return Promise.resolve(found.flatMap(({ record }) => record.original_scores ?? []));
  }

  readItems(
    accountId: string,
    runId: string,
    keys: readonly ItemKey[],
  ): Promise<Pick<StoredItem, 'record' | 'isPending'>[]> {
    const wanted = new Set(keys.map((key) => key.join()));
    const items = this.run(accountId, runId)?.items ?? [];
    return Promise.resolve(items.filter((item) => wanted.has(keyOf(item).join())));
  }

  runsOf(accountId: string): Run[] {
    return [...(this.accounts.get(accountId)?.values() ?? [])];
  }

  deleteAccount(accountId: string): void {
    this.accounts.delete(accountId);
  }

  private isAccepted(accountId: string, runId: string, item: StoredItem): boolean {
    return item.flags.accepted || this.accepted.isAccepted(accountId, runId, keyOf(item));
  }

  private run(accountId: string, id: string): Run | undefined {
    return this.accounts.get(accountId)?.get(id);
  }
}

/** What is left of an item: which one it is, and how it went. */
export function erasedItem({ record, summary, flags }: StoredItem): StoredItem {
  const { item_no, repetition, verdict, duration_ms, original_duration_ms, timing } = record;
  const { divergence_count } = summary;
  const left: TestRunItemRecord = {
    ...{ item_no, verdict, erased: true },
    ...(repetition !== undefined && repetition > 0 && { repetition }),
    ...(flags.fixed && { fixed: true }),
    ...(flags.failing_as_before && { failing_as_before: true }),
    ...(flags.new_error && { new_error: true }),
    ...(flags.accepted && { accepted: true }),
    ...(duration_ms !== undefined && { duration_ms }),
    ...(original_duration_ms !== undefined && { original_duration_ms }),
    ...(timing && { timing }),
    ...(divergence_count !== undefined && { divergence_count }),
  };
  return { record: left, summary: left, flags, isPending: false };
}

function withoutSummary(run: StoredTestRun): StoredTestRun {
  const listed = { ...run };
  delete listed.summary;
  return listed;
}

function keyOf({ record }: StoredItem): ItemKey {
  return [record.item_no, record.repetition ?? 0];
}

function compare([leftNo, leftRepetition]: ItemKey, [rightNo, rightRepetition]: ItemKey): number {
  return leftNo - rightNo || leftRepetition - rightRepetition;
}
