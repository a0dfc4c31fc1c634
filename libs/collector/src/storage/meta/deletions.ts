import { type DeletionRecord, parseTimestamp } from '@dacapo/protocol';
import type { Position, Range } from '../ports/range.js';
import type { MetaTransaction } from './transaction.js';

/** The progress of a deletion. */
export interface DeletionProgress {
  /** Traces whose deletion began. A process may have died in the middle. */
  traceIds?: readonly string[];
  /** Where the search for traces continues. */
  after?: Position;
  /** Everything is deleted. The scrub of the stores comes next. */
  isRemoved?: true;
}

export interface StoredDeletion {
  accountId: string;
  record: DeletionRecord;
  progress: DeletionProgress;
  /** The number of times it was stored; absent in a new one. */
  step?: number;
}

/** Ranks order open deletions, lowest first. A deletion that is done has 0. */
const REMOVED = 3;

interface DeletionRow {
  account_id: string;
  record: string;
  position: string | null;
}

const SELECT = 'SELECT account_id, record, position FROM deletions';

/** Deletions: jobs that survive the process. */
export class Deletions {
  static readonly writes = ['put', 'prune', 'remove'] as const;

  constructor(private readonly db: MetaTransaction) {}

  /**
   * Stores a new deletion, which replaces one with its id, or the next step of a deletion that was read.
   *
   * @returns `false`, with nothing changed, if another process stored a step since it was read, or if it was removed
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

  /** Newest first. */
  async list(accountId: string, { limit, after }: Range): Promise<DeletionRecord[]> {
    const [time, id] = after ?? [];
    const rows = await this.db.all<DeletionRow>(
      `${SELECT} WHERE account_id = :accountId ${after ? 'AND (created_us, deletion_id) < (:us, :id)' : ''}
        ORDER BY created_us DESC, deletion_id DESC LIMIT :limit`,
      { accountId, us: time && parseTimestamp(time), id, limit },
    );
    return rows.map((row) => toDeletion(row).record);
  }

  /** The next deletion of all accounts that is not removed yet: requests before retention rules, then oldest first. */
  async findNext(): Promise<StoredDeletion | undefined> {
    const sql = `${SELECT} WHERE rank > 0 AND rank < ${REMOVED} ORDER BY rank, deletion_no LIMIT 1`;
    const row = await this.db.get<DeletionRow>(sql);
    return row && toDeletion(row);
  }

  /** Deletions of all accounts that are removed and not done, oldest first. */
  async listRemoved(): Promise<StoredDeletion[]> {
    const sql = `${SELECT} WHERE rank > 0 AND rank = ${REMOVED} ORDER BY deletion_no`;
    return (await this.db.all<DeletionRow>(sql)).map(toDeletion);
  }

  /** Removes deletions that are done and older than that time. */
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

  /** Removes all deletions of an account, except one. */
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
