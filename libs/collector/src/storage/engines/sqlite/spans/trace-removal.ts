import type { DeletionCounts } from '@dacapo/protocol';
import { Copies } from '../../../meta/copies.js';
import { forgetDeleted, rememberDeleted, rememberDeletedGroup } from '../../../meta/deleted-traces.js';
import { countDeleted } from '../../../meta/deletion-counts.js';
import { eraseLateTraceCopies } from '../../../meta/erase-copies.js';
import { Media } from '../../../meta/media.js';
import { Scores } from '../../../meta/scores.js';
import type { MetaTransaction } from '../../../meta/transaction.js';
import type { GroupDeletion, TraceDeletion, TraceGroup } from '../../../ports/trace-deletion.js';

const THESE = 'account_id = :accountId AND trace_id IN (SELECT value FROM json_each(:traceIds))';

/** The writes of deletions. Each is one transaction. Both stores share the tables of deletions. */
export class TraceRemoval {
  constructor(private readonly db: MetaTransaction) {}

  /** Deletes the traces and a part of their spans. */
  async deleteTraces(
    accountId: string,
    traceIds: readonly string[],
    { deletionId, mostSpans, forgetAt }: TraceDeletion,
  ): Promise<Required<Pick<DeletionCounts, 'traces' | 'spans'>>> {
    await rememberDeleted(this.db, accountId, traceIds, { forgetAt });
    const these = { accountId, traceIds: JSON.stringify(traceIds), mostSpans };
    await this.db.run(`DELETE FROM trace_attributes WHERE ${THESE}`, these);
    const traces = await this.db.run(`DELETE FROM traces WHERE ${THESE}`, these);
    const spans = await this.db.run(
      `DELETE FROM spans WHERE span_no IN (SELECT span_no FROM spans WHERE ${THESE} LIMIT :mostSpans)`,
      these,
    );
    await countDeleted(this.db, accountId, deletionId, { traces, spans });
    // Each part queues the traces again, because the rollup may run between two parts.
    await this.db.insert('changed_traces', { account_id: accountId, trace_ids: these.traceIds });
    return { traces, spans };
  }

  /** Deletes traces that, by a late record, belong to a deleted session or user, with their copies and scores. */
  async deleteLate(accountId: string, traceIds: readonly string[], deletion: TraceDeletion): Promise<void> {
    const stores = { copies: new Copies(this.db), media: new Media(this.db) };
    const all = await eraseLateTraceCopies(stores, accountId, traceIds, deletion.forgetAt);
    await new Scores(this.db).deleteOfTraces(accountId, all, deletion);
    await this.deleteTraces(accountId, all, deletion);
  }

  deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void> {
    return rememberDeletedGroup(this.db, accountId, group, deletion);
  }

  forget(now: string): Promise<void> {
    return forgetDeleted(this.db, now);
  }
}
