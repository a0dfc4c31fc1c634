import { type DeletionRecord, parseTimestamp } from '@dacapo/protocol';
import type { Position, Range } from '../ports/range.js';
import type { MetaTransaction } from './transaction.js';

/** How far a deletion is. */
export interface DeletionProgress {
  /** Traces that are being taken away: a process may have died in the middle. */
  traceIds?: readonly string[];
  /** Where traces are looked for next. */
  after?: Position;
  /** All is deleted, and the stores are scrubbed next. */
  isRemoved?: true;
}

export interface StoredDeletion {
  accountId: string;
  record: DeletionRecord;
  progress: DeletionProgress;
  /** How often it was stored; absent in a new one. */
  step?: number;
}

/** What is done next has the lowest; 0 is done. */
const REMOVED = 3;

interface DeletionRow {
  account_id: string;
  record: string;
  position: string | null;
}

const SELECT = 'SELECT account_id, record, position FROM deletions';

/** Deletions, as jobs that outlive the process. */
export class Deletions {
  static readonly writes = ['put', 'prune', 'remove'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /**
   * Stores a new deletion, in place of one with its id, or the next step of one that was read.
   *
   * @returns `false` if another process stored a step since it was read, or it is there no more: then nothing changes
   */
  async put(deletion: StoredDeletion): Promise<boolean> {
    const { accountId, record, progress, step } = deletion;
    const row = {
      account_id: accountId,
      deletion_id: record.id,
      created_us: parseTimestamp(record.created_at),
      rank: rankDeletion(deletion),
      record: JSON.stringify(record),
      position: JSON.stringify({ ...progress, step: (step ?? 0) + 1 }),
    };
    if (step === undefined) {
      const replace = `ON CONFLICT(account_id, deletion_id) DO UPDATE
        SET rank = excluded.rank, record = excluded.record, position = excluded.position`;
      return (await this.db.insert('deletions', row, replace)) === 1;
    }
    const sql = `UPDATE deletions SET rank = :rank, record = :record, position = :position
      WHERE account_id = :account_id AND deletion_id = :deletion_id AND ${this.db.dialect.number('position', 'step')} = :step`;
    return (await this.db.run(sql, { ...row, step })) === 1;
  }

  async find(accountId: string, id: string): Promise<DeletionRecord | undefined> {
    const sql = `${SELECT} WHERE account_id = :accountId AND deletion_id = :id`;
    const row = await this.db.get<DeletionRow>(sql, { accountId, id });
    return row && toDeletion(row).record;
  }

  /** The newest first. */
  async list(accountId: string, { limit, after }: Range): Promise<DeletionRecord[]> {
    const [time, id] = after ?? [];
    const rows = await this.db.all<DeletionRow>(
      `${SELECT} WHERE account_id = :accountId ${after ? 'AND (created_us, deletion_id) < (:us, :id)' : ''}
        ORDER BY created_us DESC, deletion_id DESC LIMIT :limit`,
      { accountId, us: time && parseTimestamp(time), id, limit },
    );
    return rows.map((row) => toDeletion(row).record);
  }

  /** The one to go on with, of all accounts: what somebody asked for before what a rule does, then the oldest. None that is removed. */
  async findNext(): Promise<StoredDeletion | undefined> {
    const sql = `${SELECT} WHERE rank > 0 AND rank < ${REMOVED} ORDER BY rank, deletion_no LIMIT 1`;
    const row = await this.db.get<DeletionRow>(sql);
    return row && toDeletion(row);
  }

  /** Those of all accounts that are removed and not done, the oldest first. */
  async listRemoved(): Promise<StoredDeletion[]> {
    const sql = `${SELECT} WHERE rank > 0 AND rank = ${REMOVED} ORDER BY deletion_no`;
    return (await this.db.all<DeletionRow>(sql)).map(toDeletion);
  }

  /** Removes those that are done and were made before that time. */
  async prune(before: string): Promise<void> {
    const old = 'rank = 0 AND created_us < :beforeUs';
    const beforeUs = parseTimestamp(before);
    await this.db.run(
      `DELETE FROM deletion_counts WHERE (account_id, deletion_id) IN (
        SELECT account_id, deletion_id FROM deletions WHERE ${old})`,
      { beforeUs },
    );
    await this.db.run(`DELETE FROM deletions WHERE ${old}`, { beforeUs });
  }

  /** All of an account, except one. */
  async remove(accountId: string, exceptId = ''): Promise<void> {
    for (const table of ['deletions', 'deletion_counts']) {
      const sql = `DELETE FROM ${table} WHERE account_id = :accountId AND deletion_id <> :exceptId`;
      await this.db.run(sql, { accountId, exceptId });
    }
  }
}

function rankDeletion({ record: { state, reason }, progress }: StoredDeletion): number {
  if (state === 'done') return 0;
  if (progress.isRemoved) return REMOVED;
  return reason === 'retention' ? 2 : 1;
}

function toDeletion({ account_id, record, position }: DeletionRow): StoredDeletion {
  const { step = 0, ...progress } = JSON.parse(position ?? '{}') as DeletionProgress & { step?: number };
  return { accountId: account_id, record: JSON.parse(record) as DeletionRecord, progress, step };
}
