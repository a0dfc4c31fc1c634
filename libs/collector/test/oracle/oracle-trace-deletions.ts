import {
  type DeletableFilter,
  type DeletablePage,
  DeletedGroups,
  type DeletedPart,
  digestGroup,
  type GroupDeletion,
  type IngestBatch,
  type Range,
  rememberedUntil,
  type TraceDeletion,
  type TraceDeletions,
  type TraceGroup,
} from '@dacapo/collector/storage';
import { type DeletionCounts, parseTimestamp, type SpanRecord, type TraceRecord } from '@dacapo/protocol';
import type { OracleBatchIds } from './oracle-batch-ids.js';
import { OracleDeletionCounts } from './oracle-deletion-counts.js';
import { newestFirst } from './newest-first.js';
import { type Arrived, normalTime, toSummary, toViews } from './trace-view.js';

/** What is kept of one account. */
export interface Account {
  records: Arrived[];
  batchIds: OracleBatchIds;
}

interface Deleted {
  /** By trace id, when they are forgotten. */
  traces: Map<string, string>;
  groups: DeletedGroups;
}

interface Sorted {
  spans: SpanRecord[];
  traces: TraceRecord[];
  dropped: number;
}

export class OracleTraceDeletions implements TraceDeletions {
  private readonly deleted = new Map<string, Deleted>();
  private readonly counted = new OracleDeletionCounts();

  constructor(private readonly accounts: ReadonlyMap<string, Account>) {}

  list(accountId: string, filter: DeletableFilter, range: Range): Promise<DeletablePage> {
    const rows = newestFirst(this.findMatches(accountId, filter), range, ({ sortedAt, id }) => [
      sortedAt,
      id,
    ]);
    const last = rows.at(-1);
    return Promise.resolve({
      traceIds: rows.map(({ id }) => id),
      ...(last !== undefined && rows.length === range.limit && { next: [last.sortedAt, last.id] as const }),
    });
  }

  count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }> {
    const findMatches = this.findMatches(accountId, filter);
    return Promise.resolve({
      traces: findMatches.length,
      spans: findMatches.reduce((sum, { spans }) => sum + spans, 0),
    });
  }

  deleteTraces(
    accountId: string,
    traceIds: readonly string[],
    { forgetAt, deletionId }: TraceDeletion,
  ): Promise<DeletedPart> {
    const deletedIds = new Set(traceIds);
    const { traces } = this.findDeleted(accountId);
    for (const id of traceIds) traces.set(id, [forgetAt, traces.get(id) ?? ''].sort().at(-1) ?? forgetAt);
    const account = this.accounts.get(accountId);
    const views = account ? toViews(account.records, deletedIds) : [];
    if (account) takeAway(account, deletedIds);
    const spans = views.reduce((sum, view) => sum + view.spans.length, 0);
    const deleted = { traces: views.length, spans };
    this.counted.add(accountId, deletionId, deleted);
    return Promise.resolve({ ...deleted, isDone: true });
  }

  isDeleted(accountId: string, traceId: string): Promise<boolean> {
    return Promise.resolve(this.deleted.get(accountId)?.traces.has(traceId) ?? false);
  }

  deleteGroup(accountId: string, group: TraceGroup, { deletedAt }: GroupDeletion): Promise<void> {
    this.findDeleted(accountId).groups.add(digestGroup(group), parseTimestamp(deletedAt) ?? 0);
    return Promise.resolve();
  }

  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return Promise.resolve(this.counted.of(accountId, deletionId));
  }

  scrub(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  settle(): Promise<void> {
    return Promise.resolve();
  }

  forget(now: string): Promise<void> {
    for (const { traces } of this.deleted.values()) {
      for (const [id, forgetAt] of traces) if (forgetAt <= normalTime(now)) traces.delete(id);
    }
    return Promise.resolve();
  }

  deleteAccount(accountId: string): void {
    this.deleted.delete(accountId);
  }

  /** A batch without what is of deleted traces, sessions and users. */
  withoutLate(accountId: string, batch: IngestBatch): Sorted {
    const { spans, traces } = batch;
    const account = this.accounts.get(accountId);
    const deleted = this.findDeleted(accountId);
    const traceIds = deleted.groups.lateIn(batch);
    for (const id of traceIds) deleted.traces.set(id, rememberedUntil(batch.receivedAt));
    if (account) takeAway(account, traceIds);
    const isKept = (traceId: string): boolean => !deleted.traces.has(traceId);
    const kept = {
      spans: spans.filter(({ trace_id }) => isKept(trace_id)),
      traces: traces.filter(({ id }) => isKept(id)),
    };
    const dropped = spans.length - kept.spans.length + traces.length - kept.traces.length;
    return { ...kept, dropped };
  }

  private findDeleted(accountId: string): Deleted {
    const known = this.deleted.get(accountId) ?? { traces: new Map(), groups: new DeletedGroups() };
    this.deleted.set(accountId, known);
    return known;
  }

  private findMatches(
    accountId: string,
    { traceIds, sessionId, userId, traceFunctionKey: key, before, exceptKeys = [] }: DeletableFilter,
  ): { id: string; sortedAt: string; spans: number }[] {
    const records = this.accounts.get(accountId)?.records ?? [];
    const isByKey = key !== undefined && traceIds === undefined && (sessionId ?? userId) === undefined;
    return toViews(records, traceIds && new Set(traceIds)).flatMap((view) => {
      const keys = view.spans.map((span) => span.trace_function_key);
      const call = view.spans.find((span) => span.trace_function_key === key);
      const sortedAt = (isByKey ? call?.started_at : undefined) ?? toSummary(view).started_at;
      const isMatch =
        (key === undefined || call !== undefined) &&
        (sessionId === undefined || view.record.session_id === sessionId) &&
        (userId === undefined || view.record.user_id === userId) &&
        (before === undefined || sortedAt < normalTime(before)) &&
        !exceptKeys.some((one) => keys.includes(one));
      return isMatch ? [{ id: view.id, sortedAt, spans: view.spans.length }] : [];
    });
  }
}

function takeAway(account: Account, deletedIds: ReadonlySet<string>): void {
  account.records = account.records.filter(({ traceId }) => !deletedIds.has(traceId));
}
