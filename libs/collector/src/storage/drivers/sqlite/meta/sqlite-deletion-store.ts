import { type DeletionRecord, parseTimestamp } from '@dacapo/protocol';
import type { DeletionProgress, DeletionStore, StoredDeletion } from '../../../deletion-store.js';
import type { Range } from '../../../range.js';
import { type Checkpointer, READS_THE_LOG } from '../checkpointer.js';
import type { Connection, Reader } from '../connection.js';
import type { Reserve } from '../reserve.js';

/** What is done next has the lowest; 0 is done. */
const REMOVED = 3;

function rankOf({ record: { state, reason }, progress }: StoredDeletion): number {
  if (state === 'done') return 0;
  if (progress.isRemoved) return REMOVED;
  return reason === 'retention' ? 2 : 1;
}

interface DeletionRow {
  account_id: string;
  record: string;
  position: string | null;
}

export class SqliteDeletionStore implements DeletionStore {
  constructor(
    private readonly writer: Pick<Connection, 'write'>,
    private readonly reader: Reader,
    private readonly checkpointer: Pick<Checkpointer, 'empty'>,
    private readonly reserve: Pick<Reserve, 'takeBack'>,
  ) {}

  async put(deletion: StoredDeletion): Promise<void> {
    const { accountId, record, progress } = deletion;
    await this.writer.write([
      {
        sql: `INSERT INTO deletions(account_id, deletion_id, created_us, rank, record, position) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT(account_id, deletion_id) DO UPDATE
          SET rank = excluded.rank, record = excluded.record, position = excluded.position`,
        rows: [
          [
            ...[accountId, record.id, parseTimestamp(record.created_at), rankOf(deletion)],
            ...[JSON.stringify(record), JSON.stringify(progress)],
          ],
        ],
      },
    ]);
  }

  async find(accountId: string, id: string): Promise<DeletionRecord | undefined> {
    const [row] = await this.reader.all<{ record: string }>(
      'SELECT record FROM deletions WHERE account_id = ? AND deletion_id = ?',
      [accountId, id],
    );
    return row && (JSON.parse(row.record) as DeletionRecord);
  }

  async list(accountId: string, { limit, after }: Range): Promise<DeletionRecord[]> {
    const rows = await this.reader.all<{ record: string }>(
      `SELECT record FROM deletions WHERE account_id = ? ${after ? 'AND (created_us, deletion_id) < (?, ?)' : ''}
        ORDER BY created_us DESC, deletion_id DESC LIMIT ?`,
      [accountId, ...(after ? [parseTimestamp(after[0]), after[1]] : []), limit],
    );
    return rows.map(({ record }) => JSON.parse(record) as DeletionRecord);
  }

  async findNext(): Promise<StoredDeletion | undefined> {
    const [row] = await this.reader.all<DeletionRow>(
      `SELECT account_id, record, position FROM deletions WHERE rank > 0 AND rank < ${REMOVED} ORDER BY rank, deletion_no LIMIT 1`,
    );
    return row && toDeletion(row);
  }

  async listRemoved(): Promise<StoredDeletion[]> {
    const rows = await this.reader.all<DeletionRow>(
      `SELECT account_id, record, position FROM deletions WHERE rank > 0 AND rank = ${REMOVED} ORDER BY deletion_no`,
    );
    return rows.map(toDeletion);
  }

  async prune(before: string): Promise<void> {
    const old = 'rank = 0 AND created_us < ?';
    await this.writer.write([
      {
        sql: `DELETE FROM deletion_counts WHERE (account_id, deletion_id) IN (
          SELECT account_id, deletion_id FROM deletions WHERE ${old})`,
        rows: [[parseTimestamp(before)]],
      },
      { sql: `DELETE FROM deletions WHERE ${old}`, rows: [[parseTimestamp(before)]] },
    ]);
  }

  async remove(accountId: string, exceptId = ''): Promise<void> {
    await this.writer.write(
      ['deletions', 'deletion_counts'].map((table) => ({
        sql: `DELETE FROM ${table} WHERE account_id = ? AND deletion_id <> ?`,
        rows: [[accountId, exceptId]],
      })),
    );
  }

  /** Freed pages are overwritten (`secure_delete`); the log still holds what was on them. */
  async scrub(): Promise<string | undefined> {
    if (!(await this.checkpointer.empty())) return READS_THE_LOG;
    await this.reserve.takeBack();
    return undefined;
  }
}

function toDeletion({ account_id, record, position }: DeletionRow): StoredDeletion {
  return {
    accountId: account_id,
    record: JSON.parse(record) as DeletionRecord,
    progress: JSON.parse(position ?? '{}') as DeletionProgress,
  };
}
