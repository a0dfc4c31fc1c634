import { type DeletionRecord, type DeletionScope, formatTimestamp } from '@dacapo/protocol';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import type { StoredDeletion } from '../storage/meta/deletions.js';
import { eraseTraceCopies, eraseRunItems } from '../storage/meta/erase-copies.js';
import { MetaStore } from '../storage/meta/meta-store.js';
import type { ScoresOfTraces } from '../storage/ports/score.js';
import { SpanStore } from '../storage/ports/span-store.js';
import {
  type DeletableFilter,
  hashId,
  GROUPED_BY,
  rememberedUntil,
  type TraceGroup,
} from '../storage/ports/trace-deletion.js';
import { RecentCalls } from '../traces/recent-calls.js';

const TRACES_AT_ONCE = 100;
/** Other writes wait some milliseconds while so many spans are deleted. */
const SPANS_AT_ONCE = 500;
/** Rows of an account that go in one write. */
const ROWS_AT_ONCE = 100;

/** Runs deletions step by step. Each step stores its plan first, so that another process can finish it. */
@Injectable()
export class DeletionSteps {
  constructor(
    private readonly meta: MetaStore,
    private readonly spans: SpanStore,
    private readonly recent: RecentCalls,
    private readonly clock: Clock,
  ) {}

  /** Runs the next step of a deletion. @returns the stored deletion */
  async next(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record, progress } = deletion;
    if (record.reason === 'account') return this.deleteAccount(deletion);
    if (record.state === 'waiting') return this.begin(deletion);
    if (progress.traceIds !== undefined) return this.deleteTraces(deletion, progress.traceIds);
    const range = {
      limit: TRACES_AT_ONCE,
      ...(progress.after !== undefined && { after: progress.after }),
    };
    const page = await this.spans.deletions.list(accountId, toFilter(record.scope), range);
    if (page.traceIds.length > 0) {
      const { traceIds: found, next: after } = page;
      // Replays contain the recorded inputs.
      const replays = record.keep_copies === true ? [] : await this.meta.copies.listReplays(accountId, found);
      const traceIds = [...new Set([...found, ...replays])];
      return this.keep({ ...deletion, progress: { traceIds, ...(after !== undefined && { after }) } });
    }
    if (page.next !== undefined) return this.keep({ ...deletion, progress: { after: page.next } });
    return this.end(deletion);
  }

  /** Stores why the deletion could not continue. */
  async fail(deletion: StoredDeletion, error: string): Promise<void> {
    await this.keep({ ...deletion, record: { ...deletion.record, error } });
  }

  /** Deletes an account's data again: requests that were running when it was deleted may have stored more. */
  async deleteLate({ accountId, record }: StoredDeletion): Promise<void> {
    if (record.reason === 'account') await this.deleteOwned(accountId);
  }

  /** @param waitingFor what the stores wait for; `undefined` when they hold no byte of the deleted data */
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
      if (!this.spans.capabilities.erasesBytes) next.erased_later = true;
      await this.keep({
        ...deletion,
        record: { ...next, state: 'done', ended_at: this.now() },
        progress: {},
      });
    }
  }

  private async begin(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    const [by, ...others] = Object.keys(record.scope);
    const group = readGroup(record.scope);
    // With a further condition, the deletion concerns only a part of the session or user.
    if (group !== undefined && group.by === by && others.length === 0) {
      const deletedAt = record.created_at;
      const how = { deletedAt, forgetAt: rememberedUntil(deletedAt), deletionId: record.id };
      await this.spans.deletions.deleteGroup(accountId, group, how);
      if (group.by === 'session_id') await this.meta.scores.deleteOfSession(accountId, group.id, how);
      await this.meta.copies.eraseGroup(accountId, group);
    }
    return this.keep({ ...deletion, record: { ...record, state: 'running', started_at: this.now() } });
  }

  /** Copies are deleted first: they are found through their originals. */
  private async deleteTraces(deletion: StoredDeletion, traceIds: readonly string[]): Promise<StoredDeletion> {
    const { accountId, record, progress } = deletion;
    const { id: deletionId } = record;
    const withCopies = record.keep_copies !== true;
    const forgetAt = rememberedUntil(this.now());
    const copies = { forgetAt, withDatasets: withCopies, deletionId };
    await eraseTraceCopies(this.meta.copies, accountId, traceIds, copies);
    await this.deleteScores(accountId, traceIds, { forgetAt, deletionId });
    const how = { forgetAt, mostSpans: SPANS_AT_ONCE, deletionId };
    while (!(await this.spans.deletions.deleteTraces(accountId, traceIds, how)).isDone);
    await this.meta.media.release(accountId, traceIds);
    this.recent.clear();
    const { after } = progress;
    const next = { ...deletion, record: withoutError(record) };
    // Without a position to continue at, this was the last page.
    return after === undefined ? this.end(next) : this.keep({ ...next, progress: { after } });
  }

  /** Those of the traces, and of sessions with no other trace. Once the traces are deleted, nothing shows their sessions. */
  private async deleteScores(
    accountId: string,
    traceIds: readonly string[],
    deletion: ScoresOfTraces,
  ): Promise<void> {
    await this.meta.scores.deleteOfTraces(accountId, traceIds, deletion);
    const traces = await this.spans.readTraces(accountId, [...traceIds]);
    for (const sessionId of new Set(traces.flatMap(({ session_id }) => session_id ?? []))) {
      const range = { limit: traceIds.length + 1 };
      const inSession = await this.spans.deletions.list(accountId, { sessionId }, range);
      if (inSession.next === undefined && inSession.traceIds.every((id) => traceIds.includes(id)))
        await this.meta.scores.deleteOfEndedSession(accountId, sessionId, deletion.deletionId);
    }
  }

  /** Erases test runs of the same age: they may have replayed items of a list, which have no trace. */
  private async eraseOldRuns({ accountId, record }: StoredDeletion): Promise<void> {
    const { before, trace_function_key: key, trace_ids, except_keys: exceptKeys } = record.scope;
    if (before === undefined || trace_ids !== undefined || readGroup(record.scope) !== undefined) return;
    const runs = {
      before,
      ...(key !== undefined && { traceFunctionKey: key }),
      ...(exceptKeys !== undefined && { exceptKeys }),
    };
    await eraseRunItems(this.meta.copies, accountId, { runs }, record.id);
    await this.meta.copies.closeRuns(accountId, runs);
  }

  private async end(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    await this.eraseOldRuns(deletion);
    await this.spans.deletions.settle(accountId);
    const scope = { ...record.scope };
    // Session and user ids may name a person.
    for (const by of GROUPED_BY) if (scope[by] !== undefined) scope[by] = hashId(scope[by]);
    const removed = { ...withoutError(record), scope };
    return this.keep({ ...deletion, record: removed, progress: { isRemoved: true } });
  }

  private async deleteAccount(deletion: StoredDeletion): Promise<StoredDeletion> {
    const { accountId, record } = deletion;
    await this.meta.accounts.delete(accountId);
    await this.deleteOwned(accountId);
    this.recent.clear();
    await this.meta.deletions.remove(accountId, record.id);
    return this.keep({
      ...deletion,
      record: { ...withoutError(record), state: 'running' },
      progress: { isRemoved: true },
    });
  }

  private async deleteOwned(accountId: string): Promise<void> {
    while (!(await this.meta.accounts.deleteOwned(accountId, ROWS_AT_ONCE)));
    await this.spans.deleteAccount(accountId);
  }

  /** Stores the deletion with the current counts, unless a process that lost its lock is behind another one by now. */
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

function readGroup(scope: DeletionScope): TraceGroup | undefined {
  const by = GROUPED_BY.find((name) => scope[name] !== undefined);
  const id = by && scope[by];
  return by === undefined || id === undefined ? undefined : { by, id };
}

export function toFilter(scope: DeletionScope): DeletableFilter {
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
