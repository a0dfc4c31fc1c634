import {
  type DeletionCounts,
  parseTimestamp,
  type ScoreRecord,
  type SpanRecord,
  type TraceRecord,
} from '@dacapo/protocol';
import type { IngestBatch, Range } from '../../src/storage/span-store.js';
import {
  type DeletableFilter,
  type DeletablePage,
  DeletedGroups,
  type DeletedPart,
  digestOfGroup,
  type GroupDeletion,
  rememberedUntil,
  type TraceDeletion,
  type TraceDeletions,
  type TraceGroup,
} from '../../src/storage/trace-deletion.js';
import type { OracleBatchIds } from './oracle-batch-ids.js';
import { OracleDeletionCounts } from './oracle-deletion-counts.js';
import type { OracleScores } from './oracle-scores.js';
import { newestFirst } from './newest-first.js';
import { type Arrived, normalTime, summaryOf, viewsOf } from './trace-view.js';

/** What is kept of one account. */
export interface Account {
  records: Arrived[];
  batchIds: OracleBatchIds;
  scores: OracleScores;
}

interface Deleted {
  /** By trace id, when they are forgotten. */
  traces: Map<string, string>;
  groups: DeletedGroups;
}

interface Sorted {
  spans: SpanRecord[];
  traces: TraceRecord[];
  scores: ScoreRecord[];
  dropped: number;
}

export class OracleTraceDeletions implements TraceDeletions {
  private readonly deleted = new Map<string, Deleted>();
  private readonly counted = new OracleDeletionCounts();

  constructor(private readonly accounts: ReadonlyMap<string, Account>) {}

  list(accountId: string, filter: DeletableFilter, range: Range): Promise<DeletablePage> {
    const rows = newestFirst(this.meant(accountId, filter), range, ({ sortedAt, id }) => [sortedAt, id]);
    const last = rows.at(-1);
    return Promise.resolve({
      traceIds: rows.map(({ id }) => id),
      ...(last !== undefined && rows.length === range.limit && { next: [last.sortedAt, last.id] as const }),
    });
  }

  count(accountId: string, filter: DeletableFilter): Promise<{ traces: number; spans: number }> {
    const meant = this.meant(accountId, filter);
    return Promise.resolve({
      traces: meant.length,
      spans: meant.reduce((sum, { spans }) => sum + spans, 0),
    });
  }

  deleteTraces(
    accountId: string,
    traceIds: readonly string[],
    { forgetAt, deletionId }: TraceDeletion,
  ): Promise<DeletedPart> {
    const gone = new Set(traceIds);
    const { traces } = this.deletedOf(accountId);
    for (const id of traceIds) traces.set(id, [forgetAt, traces.get(id) ?? ''].sort().at(-1) ?? forgetAt);
    const account = this.accounts.get(accountId);
    const views = account ? viewsOf(account.records, gone) : [];
    const scores = account ? this.takeAway(account, gone) : 0;
    const spans = views.reduce((sum, view) => sum + view.spans.length, 0);
    const deleted = { traces: views.length, spans, scores };
    this.counted.add(accountId, deletionId, deleted);
    return Promise.resolve({ ...deleted, isDone: true });
  }

  isDeleted(accountId: string, traceId: string): Promise<boolean> {
    return Promise.resolve(this.deleted.get(accountId)?.traces.has(traceId) ?? false);
  }

  deleteGroup(
    accountId: string,
    group: TraceGroup,
    { deletedAt, deletionId }: GroupDeletion,
  ): Promise<number> {
    this.deletedOf(accountId).groups.add(digestOfGroup(group), parseTimestamp(deletedAt) ?? 0);
    if (group.by !== 'session_id') return Promise.resolve(0);
    const scores = this.accounts
      .get(accountId)
      ?.scores.delete(
        ({ session_id, created_at }) => session_id === group.id && created_at < normalTime(deletedAt),
      );
    this.counted.add(accountId, deletionId, { scores: scores ?? 0 });
    return Promise.resolve(scores ?? 0);
  }

  deleteItemScores(
    accountId: string,
    testRunId: string,
    items: readonly (readonly [itemNo: number, repetition: number])[],
    deletionId?: string,
  ): Promise<number> {
    const parts = new Set(items.map((item) => item.join('/')));
    const scores = this.accounts
      .get(accountId)
      ?.scores.delete(
        ({ test_run_id, item_no, repetition = 0 }) =>
          test_run_id === testRunId && parts.has(`${item_no ?? 0}/${repetition}`),
      );
    this.counted.add(accountId, deletionId, { scores: scores ?? 0 });
    return Promise.resolve(scores ?? 0);
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
    const { spans, traces, scores = [] } = batch;
    const account = this.accounts.get(accountId);
    const deleted = this.deletedOf(accountId);
    const { traceIds, scoreIds } = deleted.groups.lateIn(batch);
    for (const id of traceIds) deleted.traces.set(id, rememberedUntil(batch.receivedAt));
    if (account) this.takeAway(account, traceIds);
    const isKept = (traceId: string | undefined): boolean =>
      traceId === undefined || !deleted.traces.has(traceId);
    const kept = {
      spans: spans.filter(({ trace_id }) => isKept(trace_id)),
      traces: traces.filter(({ id }) => isKept(id)),
      scores: scores.filter(({ id, trace_id }) => !scoreIds.has(id) && isKept(trace_id)),
    };
    const sizeOf = ({ spans: a, traces: b, scores: c }: Omit<Sorted, 'dropped'>): number =>
      a.length + b.length + c.length;
    return { ...kept, dropped: sizeOf({ spans, traces, scores }) - sizeOf(kept) };
  }

  /** @returns how many scores */
  private takeAway(account: Account, gone: ReadonlySet<string>): number {
    const sessions = new Set(viewsOf(account.records, gone).map(({ record }) => record.session_id));
    account.records = account.records.filter(({ traceId }) => !gone.has(traceId));
    const left = new Set(viewsOf(account.records).map(({ record }) => record.session_id));
    account.scores.delete(
      ({ session_id }) => session_id !== undefined && sessions.has(session_id) && !left.has(session_id),
    );
    return account.scores.delete(({ trace_id }) => trace_id !== undefined && gone.has(trace_id));
  }

  private deletedOf(accountId: string): Deleted {
    const known = this.deleted.get(accountId) ?? { traces: new Map(), groups: new DeletedGroups() };
    this.deleted.set(accountId, known);
    return known;
  }

  private meant(
    accountId: string,
    { traceIds, sessionId, userId, traceFunctionKey: key, before, exceptKeys = [] }: DeletableFilter,
  ): { id: string; sortedAt: string; spans: number }[] {
    const records = this.accounts.get(accountId)?.records ?? [];
    const isByKey = key !== undefined && traceIds === undefined && (sessionId ?? userId) === undefined;
    return viewsOf(records, traceIds && new Set(traceIds)).flatMap((view) => {
      const keys = view.spans.map((span) => span.trace_function_key);
      const call = view.spans.find((span) => span.trace_function_key === key);
      const sortedAt = (isByKey ? call?.started_at : undefined) ?? summaryOf(view).started_at;
      const isMeant =
        (key === undefined || call !== undefined) &&
        (sessionId === undefined || view.record.session_id === sessionId) &&
        (userId === undefined || view.record.user_id === userId) &&
        (before === undefined || sortedAt < normalTime(before)) &&
        !exceptKeys.some((one) => keys.includes(one));
      return isMeant ? [{ id: view.id, sortedAt, spans: view.spans.length }] : [];
    });
  }
}
