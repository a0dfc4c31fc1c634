import type { DeletionCounts } from '@dacapo/protocol';
import type { GroupDeletion, TraceGroup } from '../ports/trace-deletion.js';
import { findDeleted, findDeletedGroups, rememberDeleted, rememberDeletedGroup } from './deleted-traces.js';
import { countDeleted, readDeletionCounts } from './deletion-counts.js';
import type { MetaTransaction } from './transaction.js';

/** What a batch names. */
export interface Arrival {
  traceIds: readonly string[];
  /** Digests of sessions and users; see `digestGroup`. */
  digests: readonly string[];
}

/** The deleted ones among what a batch names. */
export interface DeletedAmong {
  traceIds: string[];
  groups: [digest: string, deletedUs: number][];
}

export interface NotedBatch {
  batchId: string;
  receivedUs: number;
  /** Deletes the ids of batches received before this time. Absent: deletes none. */
  forgetBeforeUs?: number;
}

/** Traces that a span store in another database will delete. */
export interface TracesToDelete {
  traceIds: readonly string[];
  forgetAt: string;
  withCopies?: boolean;
  /** The deletion that counts them. Absent: they are not counted. */
  deletionId?: string;
  /** Names this part of the deletion, so that a repeated part is counted once. */
  part: string;
  counts: Partial<DeletionCounts>;
}

/** In the order in which an account's rows are deleted. */
const ACCOUNT_TABLES = ['ingest_batches', 'deleted_traces', 'deleted_groups'];

/**
 * What a span store without transactions keeps in the database of `MetaStore`: ids of batches, and deleted traces, sessions and users.
 * Every method is limited to one account.
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
    return { traceIds: [...deleted], groups: await findDeletedGroups(this.db, accountId, digests) };
  }

  /** @returns whether the batch is new */
  async noteBatch(accountId: string, { batchId, receivedUs, forgetBeforeUs }: NotedBatch): Promise<boolean> {
    if (forgetBeforeUs !== undefined) {
      await this.db.run('DELETE FROM ingest_batches WHERE received_us < :forgetBeforeUs', { forgetBeforeUs });
    }
    const row = { account_id: accountId, batch_id: batchId, received_us: receivedUs };
    return (await this.db.insert('ingest_batches', row, 'ON CONFLICT DO NOTHING')) === 1;
  }

  /** Marks traces as deleted, so that late records are dropped, and counts them. */
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

  /** The counts of a deletion. */
  counts(accountId: string, deletionId: string): Promise<Partial<DeletionCounts>> {
    return readDeletionCounts(this.db, accountId, deletionId);
  }

  async deleteAccount(accountId: string): Promise<void> {
    for (const table of ACCOUNT_TABLES) {
      await this.db.run(`DELETE FROM ${table} WHERE account_id = :accountId`, { accountId });
    }
  }
}
