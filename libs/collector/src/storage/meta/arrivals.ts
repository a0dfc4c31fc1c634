import type { DeletionCounts } from '@dacapo/protocol';
import type { GroupDeletion, TraceGroup } from '../ports/trace-deletion.js';
import { findDeleted, rememberDeleted, rememberDeletedGroup } from './deleted-traces.js';
import { countDeleted, readDeletionCounts } from './deletion-counts.js';
import type { MetaTransaction } from './transaction.js';

/** What a batch is about. */
export interface Arrival {
  traceIds: readonly string[];
  /** Of sessions and users: see `digestOfGroup`. */
  digests: readonly string[];
}

/** Those of them that were deleted. */
export interface DeletedAmong {
  traceIds: string[];
  groups: [digest: string, deletedUs: number][];
}

export interface NotedBatch {
  batchId: string;
  receivedUs: number;
  /** Batches that were received before are forgotten; none when absent. */
  forgetBeforeUs?: number;
}

/** Traces that a span store in another database is about to delete. */
export interface TracesToDelete {
  traceIds: readonly string[];
  forgetAt: string;
  withCopies?: boolean;
  /** Under which they are counted; not at all when absent. */
  deletionId?: string;
  /** Names these traces among all that the deletion deletes: they are counted once, however often this is repeated. */
  part: string;
  counts: Partial<DeletionCounts>;
}

/** In the order in which an account is deleted. */
const ACCOUNT_TABLES = ['ingest_batches', 'deleted_traces', 'deleted_groups'];

/**
 * What a span store without transactions keeps in the database of `MetaStore`: the ids of batches, and which traces, sessions and users were
 * deleted. Every method sees one account's data alone.
 */
export class Arrivals {
  static readonly writes = ['noteBatch', 'deleteTraces', 'deleteGroup', 'deleteAccount'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async isKnown(accountId: string, batchId: string): Promise<boolean> {
    const row = await this.db.get(
      'SELECT 1 AS found FROM ingest_batches WHERE account_id = :accountId AND batch_id = :batchId',
      { accountId, batchId },
    );
    return row !== undefined;
  }

  async findDeleted(accountId: string, { traceIds, digests }: Arrival): Promise<DeletedAmong> {
    const deleted = await findDeleted(this.db, accountId, traceIds);
    const rows =
      digests.length === 0
        ? []
        : await this.db.all<{ digest: string; deleted_us: number }>(
            `SELECT digest, deleted_us FROM deleted_groups WHERE account_id = :accountId
              AND digest IN (SELECT value FROM ${this.db.dialect.texts(':digests')})`,
            { accountId, digests: JSON.stringify(digests) },
          );
    return { traceIds: [...deleted], groups: rows.map(({ digest, deleted_us }) => [digest, deleted_us]) };
  }

  /** @returns whether it is new */
  async noteBatch(accountId: string, { batchId, receivedUs, forgetBeforeUs }: NotedBatch): Promise<boolean> {
    if (forgetBeforeUs !== undefined) {
      await this.db.run('DELETE FROM ingest_batches WHERE received_us < :forgetBeforeUs', { forgetBeforeUs });
    }
    const row = { account_id: accountId, batch_id: batchId, received_us: receivedUs };
    return (await this.db.insert('ingest_batches', row, 'ON CONFLICT DO NOTHING')) === 1;
  }

  /** Has what comes of these traces dropped from now on, and counts them as deleted. */
  async deleteTraces(accountId: string, traces: TracesToDelete): Promise<void> {
    const { traceIds, deletionId, part, counts } = traces;
    await rememberDeleted(this.db, accountId, traceIds, traces);
    if (deletionId === undefined) return;
    const row = { account_id: accountId, deletion_id: deletionId, name: `part ${part}`, count: 1 };
    const isNew = await this.db.insert('deletion_counts', row, 'ON CONFLICT DO NOTHING');
    if (isNew === 1) await countDeleted(this.db, accountId, deletionId, counts);
  }

  deleteGroup(accountId: string, group: TraceGroup, deletion: GroupDeletion): Promise<void> {
    return rememberDeletedGroup(this.db, accountId, group, deletion);
  }

  /** What was counted under this id. */
  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(this.db, accountId, deletionId);
  }

  async deleteAccount(accountId: string): Promise<void> {
    for (const table of ACCOUNT_TABLES) {
      await this.db.run(`DELETE FROM ${table} WHERE account_id = :accountId`, { accountId });
    }
  }
}
