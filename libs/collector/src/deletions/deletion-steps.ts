import { type DeletionRecord, type DeletionScope, formatTimestamp } from '@dacapo/protocol';
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

  /** Deletes again what was stored of an account by requests that were under way. */
  async deleteLate({ accountId, record }: StoredDeletion): Promise<void> {
    if (record.reason === 'account') await this.deleteOwned(accountId);
  }

  /** @param waitingFor what the stores wait for; undefined when nothing that was deleted is left in them */
  async endScrub(deletion: StoredDeletion, waitingFor: string | undefined): Promise<void> {
    const { accountId, record } = deletion;
    const next = { ...record };
    delete next.waiting_for;
    if (waitingFor !== undefined) {
      if (record.waiting_for === waitingFor) return;
      await this.keep({ ...deletion, record: { ...next, waiting_for: waitingFor } });
    } else if (record.reason === 'account') {
      await this.meta.deletions.remove(accountId);
    } else {
      await this.keep({ accountId, record: { ...next, state: 'done', ended_at: this.now() }, progress: {} });
    }
  }

  private async begin(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    const [by, ...others] = Object.keys(record.scope);
    const group = groupOf(record.scope);
    // One of a part of a session or a user leaves the rest as it is.
    if (group !== undefined && group.by === by && others.length === 0) {
      const deletedAt = record.created_at;
      const how = { deletedAt, forgetAt: rememberedUntil(deletedAt), deletionId: record.id };
      await this.spans.deletions.deleteGroup(accountId, group, how);
      await this.meta.copies.eraseGroup(accountId, group);
    }
    return this.keep({ ...deletion, record: { ...record, state: 'running', started_at: this.now() } });
  }

  /** Copies first: what is not a copy tells which these are. */
  private async deleteTraces(deletion: StoredDeletion, traceIds: readonly string[]): Promise<StoredDeletion> {
    const { accountId, record, progress } = deletion;
    const { id: deletionId } = record;
    const withCopies = record.keep_copies !== true;
    const forgetAt = rememberedUntil(this.now());
    const { copies } = this.meta;
    if (withCopies) {
      const part = { forgetAt, most: COPIES_AT_ONCE, deletionId };
      while (!(await copies.eraseCopies(accountId, traceIds, part)).isDone);
    }
    await this.eraseRunItems(accountId, { traceIds, withDatasets: withCopies }, deletionId);
    const selected = { withDatasets: withCopies, most: COPIES_AT_ONCE };
    while (!(await copies.eraseSelected(accountId, traceIds, selected)));
    const how = { forgetAt, withCopies, mostSpans: SPANS_AT_ONCE, deletionId };
    while (!(await this.spans.deletions.deleteTraces(accountId, traceIds, how)).isDone);
    this.recent.clear();
    const { after } = progress;
    const next = { ...deletion, record: withoutError(record) };
    // Without a place to look on, the page was the last.
    return after === undefined ? this.end(next) : this.keep({ ...next, progress: { after } });
  }

  /** Their scores go first: once they are erased, nothing leads from the traces to them. */
  private async eraseRunItems(accountId: string, of: RunItemsOf, deletionId: string): Promise<void> {
    for (;;) {
      const refs = await this.meta.copies.listRunItems(accountId, of, COPIES_AT_ONCE);
      if (refs.length === 0) return;
      for (const testRunId of new Set(refs.map((ref) => ref.testRunId))) {
        const items = refs.filter((ref) => ref.testRunId === testRunId).map(({ item }) => item);
        await this.spans.deletions.deleteItemScores(accountId, testRunId, items, deletionId);
      }
      await this.meta.copies.eraseRunItems(accountId, refs, deletionId);
    }
  }

  /** Test runs that are as old as the traces: they may have played what is no trace. */
  private async eraseOldRuns({ accountId, record }: StoredDeletion): Promise<void> {
    const { before, trace_function_key: key, trace_ids, except_keys: exceptKeys } = record.scope;
    if (before === undefined || trace_ids !== undefined || groupOf(record.scope) !== undefined) return;
    const runs = {
      before,
      ...(key !== undefined && { traceFunctionKey: key }),
      ...(exceptKeys !== undefined && { exceptKeys }),
    };
    await this.eraseRunItems(accountId, { runs }, record.id);
    await this.meta.copies.closeRuns(accountId, runs);
  }

  private async end(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    await this.eraseOldRuns(deletion);
    await this.spans.deletions.settle(accountId);
    const scope = { ...record.scope };
    // They may name a person.
    for (const by of GROUPED_BY) if (scope[by] !== undefined) scope[by] = digestOf(scope[by]);
    const removed = { ...withoutError(record), scope };
    return this.keep({ accountId, record: removed, progress: { isRemoved: true } });
  }

  private async deleteAccount(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    await this.meta.accounts.delete(accountId);
    await this.deleteOwned(accountId);
    this.recent.clear();
    await this.meta.deletions.remove(accountId, record.id);
    return this.keep({
      accountId,
      record: { ...withoutError(record), state: 'running' },
      progress: { isRemoved: true },
    });
  }

  private async deleteOwned(accountId: string): Promise<void> {
    await this.meta.accounts.deleteOwned(accountId);
    await this.spans.deleteAccount(accountId);
  }

  /** With what the stores counted. */
  private async keep(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    const counts = {
      ...record.counts,
      ...(await this.spans.deletions.counts(accountId, record.id)),
      ...(await this.meta.copies.counts(accountId, record.id)),
    };
    const kept = { ...deletion, record: { ...record, counts } };
    await this.meta.deletions.put(kept);
    return kept;
  }

  private now(): string {
    return formatTimestamp(this.clock.nowUs());
  }
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
