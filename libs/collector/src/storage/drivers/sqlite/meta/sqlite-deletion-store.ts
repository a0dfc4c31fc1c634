import { type DeletionRecord, parseTimestamp } from '@dacapo/protocol';
import type { DeletionProgress, DeletionStore, StoredDeletion } from '../../../deletion-store.js';
import type { Range } from '../../../range.js';
import type { Connection, Reader } from '../connection.js';

/** What is done next has the lowest; 0 is done. */
function rankOf({ state, reason }: DeletionRecord): number {
  if (state === 'done') return 0;
  return reason === 'retention' ? 2 : 1;
}

const TRIES = 5;

export class SqliteDeletionStore implements DeletionStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: Reader,
  ) {}

  async put({ accountId, record, progress }: StoredDeletion): Promise<void> {
    await this.writer.write([
      {
        sql: `INSERT INTO deletions(account_id, deletion_id, created_us, rank, record, position) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT(account_id, deletion_id) DO UPDATE
          SET rank = excluded.rank, record = excluded.record, position = excluded.position`,
        rows: [
          [
            ...[accountId, record.id, parseTimestamp(record.created_at), rankOf(record)],
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
    const [row] = await this.reader.all<{ account_id: string; record: string; position: string | null }>(
      'SELECT account_id, record, position FROM deletions WHERE rank > 0 ORDER BY rank, deletion_no LIMIT 1',
    );
    return (
      row && {
        accountId: row.account_id,
        record: JSON.parse(row.record) as DeletionRecord,
        progress: JSON.parse(row.position ?? '{}') as DeletionProgress,
      }
    );
  }

  async prune(before: string): Promise<void> {
    await this.writer.write([
      {
        sql: 'DELETE FROM deletions WHERE rank = 0 AND created_us < ?',
        rows: [[parseTimestamp(before)]],
      },
    ]);
  }

  async remove(accountId: string): Promise<void> {
    await this.writer.write([{ sql: 'DELETE FROM deletions WHERE account_id = ?', rows: [[accountId]] }]);
  }

  /** Freed pages are overwritten (`secure_delete`); what the log still holds goes now, once nobody reads in it. */
  async scrub(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      const [row] = await this.writer.all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)');
      if (row?.busy === 0) return;
    }
  }
}
