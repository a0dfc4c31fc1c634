import {
  type DeletionCounts,
  type DeletionRecord,
  type DeletionScope,
  formatTimestamp,
} from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import type { RunItemsOf } from '../storage/copy-store.js';
import type { StoredDeletion } from '../storage/deletion-store.js';
import { MetaStore } from '../storage/meta-store.js';
import { SpanStore } from '../storage/span-store.js';
import {
  type DeletableFilter,
  digestOf,
  GROUPED_BY,
  rememberedUntil,
  type TraceGroup,
} from '../storage/trace-deletion.js';
import { RecentCalls } from '../traces/recent-calls.js';

/** Traces that are looked for, and noted as being taken away, in one go. */
const TRACES_AT_ONCE = 100;
/** Spans that go in one write: others wait for it, some milliseconds. */
const SPANS_AT_ONCE = 500;
const COPIES_AT_ONCE = 200;

/** Does deletions step by step. What a step began is noted before, so that another process can finish it. */
@Injectable()
export class DeletionSteps {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly recent: RecentCalls,
    private readonly clock: Clock,
  ) {}

  /** Goes on with a deletion. @returns how it is then, stored */
  async next(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record, progress } = deletion;
    if (record.reason === 'account') return this.deleteAccount(deletion);
    if (record.state === 'waiting') return this.begin(deletion);
    if (progress.traceIds !== undefined) return this.deleteTraces(deletion, progress.traceIds);
    const range = {
      limit: TRACES_AT_ONCE,
      ...(progress.after !== undefined && { after: progress.after }),
    };
    const page = await this.spans.deletions.list(accountId, filterOf(record.scope), range);
    if (page.traceIds.length > 0) {
      const { traceIds: found, next: after } = page;
      // What was played again holds what was recorded.
      const replays = record.keep_copies === true ? [] : await this.meta.copies.listReplays(accountId, found);
      const traceIds = [...new Set([...found, ...replays])];
      return this.keep({ ...deletion, progress: { traceIds, ...(after !== undefined && { after }) } });
    }
    if (page.next !== undefined) return this.keep({ ...deletion, progress: { after: page.next } });
    return this.end(deletion);
  }

  /** Why it could not go on; it stays where it is. */
  async fail(deletion: StoredDeletion, error: string): Promise<void> {
    await this.keep({ ...deletion, record: { ...deletion.record, error } });
  }

  /** What is left once all are done: the words of deleted texts. It may take a minute, and is once for all of them. */
  async clear(signal: AbortSignal): Promise<void> {
    if (await this.spans.deletions.clearTexts(signal)) await this.meta.deletions.scrub();
  }

  private async begin(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    const [by, ...others] = Object.keys(record.scope);
    const group = groupOf(record.scope);
    let scores = 0;
    // One that means a part of a session or a user leaves the rest as it is.
    if (group !== undefined && group.by === by && others.length === 0) {
      const deletedAt = record.created_at;
      const forgetAt = rememberedUntil(deletedAt);
      scores = await this.spans.deletions.deleteGroup(accountId, group, { deletedAt, forgetAt });
      await this.meta.copies.eraseGroup(accountId, group);
    }
    const begun = { ...withCounts(record, { scores }), state: 'running', started_at: this.now() } as const;
    return this.keep({ ...deletion, record: begun });
  }

  /** Copies first: what is not a copy tells which these are. */
  private async deleteTraces(deletion: StoredDeletion, traceIds: readonly string[]): Promise<StoredDeletion> {
    const { accountId, record, progress } = deletion;
    const withCopies = record.keep_copies !== true;
    let counted = withoutError(record);
    for await (const counts of this.parts(accountId, traceIds, withCopies)) {
      counted = withCounts(counted, counts);
    }
    this.recent.clear();
    const { after } = progress;
    // Without a place to look on, the page was the last.
    return after === undefined
      ? this.end({ ...deletion, record: counted, progress: {} })
      : this.keep({ ...deletion, record: counted, progress: { after } });
  }

  private async *parts(
    accountId: string,
    traceIds: readonly string[],
    withCopies: boolean,
  ): AsyncGenerator<Partial<DeletionCounts>> {
    const forgetAt = rememberedUntil(this.now());
    for (let isDone = !withCopies; !isDone;) {
      const most = COPIES_AT_ONCE;
      const part = await this.meta.copies.eraseCopies(accountId, traceIds, { forgetAt, most });
      yield { dataset_items: part.datasetItems, accepted_outcomes: part.acceptedOutcomes };
      isDone = part.isDone;
    }
    yield* this.eraseRunItems(accountId, { traceIds, withDatasets: withCopies });
    const selected = { withDatasets: withCopies, most: COPIES_AT_ONCE };
    while (!(await this.meta.copies.eraseSelected(accountId, traceIds, selected)));
    const how = { forgetAt, withCopies, mostSpans: SPANS_AT_ONCE };
    for (let isLast = false; !isLast;) {
      const { isDone, ...counts } = await this.spans.deletions.deleteTraces(accountId, traceIds, how);
      yield counts;
      isLast = isDone;
    }
  }

  /** Their scores go first: once they are erased, nothing leads from the traces to them. */
  private async *eraseRunItems(accountId: string, of: RunItemsOf): AsyncGenerator<Partial<DeletionCounts>> {
    for (;;) {
      const refs = await this.meta.copies.listRunItems(accountId, of, COPIES_AT_ONCE);
      if (refs.length === 0) return;
      let scores = 0;
      for (const testRunId of new Set(refs.map((ref) => ref.testRunId))) {
        const items = refs.filter((ref) => ref.testRunId === testRunId).map(({ item }) => item);
        scores += await this.spans.deletions.deleteItemScores(accountId, testRunId, items);
      }
      yield { scores, run_items: await this.meta.copies.eraseRunItems(accountId, refs) };
    }
  }

  /** Test runs that are as old as the traces: they may have played what is no trace. */
  private async eraseOldRuns({ accountId, record }: StoredDeletion): Promise<DeletionRecord> {
    const { before, trace_function_key: key, trace_ids, except_keys: exceptKeys } = record.scope;
    if (before === undefined || trace_ids !== undefined || groupOf(record.scope) !== undefined) return record;
    const runs = {
      before,
      ...(key !== undefined && { traceFunctionKey: key }),
      ...(exceptKeys !== undefined && { exceptKeys }),
    };
    let counted = record;
    for await (const counts of this.eraseRunItems(accountId, { runs })) counted = withCounts(counted, counts);
    await this.meta.copies.closeRuns(accountId, runs);
    return counted;
  }

  private async end(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId } = deletion;
    const record = await this.eraseOldRuns(deletion);
    const scope = { ...record.scope };
    // They may name a person.
    for (const by of GROUPED_BY) if (scope[by] !== undefined) scope[by] = digestOf(scope[by]);
    const done = { ...withoutError(record), scope, state: 'done', ended_at: this.now() } as const;
    const ended = await this.keep({ accountId, record: done, progress: {} });
    await this.spans.deletions.settle(accountId);
    await this.meta.deletions.scrub();
    return ended;
  }

  private async deleteAccount(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    await this.meta.accounts.delete(accountId);
    while (!(await this.meta.accounts.deleteOwned(accountId)));
    await this.spans.deleteAccount(accountId);
    await this.meta.deletions.remove(accountId);
    await this.meta.deletions.scrub();
    return { ...deletion, record: { ...record, state: 'done', ended_at: this.now() } };
  }

  private async keep(deletion: StoredDeletion): Promise<StoredDeletion> {
    await this.meta.deletions.put(deletion);
    return deletion;
  }

  private now(): string {
    return formatTimestamp(this.clock.nowUs());
  }
}

function withCounts(record: DeletionRecord, more: Partial<DeletionCounts>): DeletionRecord {
  const counts = { ...record.counts };
  for (const [name, count] of Object.entries(more)) counts[name as keyof DeletionCounts] += count;
  return { ...record, counts };
}

function withoutError(record: DeletionRecord): DeletionRecord {
  const next = { ...record };
  delete next.error;
  return next;
}

function groupOf(scope: DeletionScope): TraceGroup | undefined {
  const by = GROUPED_BY.find((name) => scope[name] !== undefined);
  const id = by && scope[by];
  return by === undefined || id === undefined ? undefined : { by, id };
}

export function filterOf(scope: DeletionScope): DeletableFilter {
  const {
    trace_ids: traceIds,
    session_id: sessionId,
    user_id: userId,
    trace_function_key: key,
    before,
    except_keys: exceptKeys,
  } = scope;
  return {
    ...(traceIds !== undefined && { traceIds }),
    ...(sessionId !== undefined && { sessionId }),
    ...(userId !== undefined && { userId }),
    ...(key !== undefined && { traceFunctionKey: key }),
    ...(before !== undefined && { before }),
    ...(exceptKeys !== undefined && { exceptKeys }),
  };
}
