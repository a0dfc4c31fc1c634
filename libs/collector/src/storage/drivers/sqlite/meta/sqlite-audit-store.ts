import { type AuditedAction, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import type { AuditStore, ListedAuditEntry, NewAuditEntry } from '../../../audit-store.js';
import type { Connection } from '../connection.js';
import type { ReaderPool } from '../reader-pool.js';

interface EntryRow {
  entry_no: number;
  at_us: number;
  action: string;
  object: string | null;
  api_key_id: string | null;
  session_id: string | null;
  member_id: string | null;
  member_name: string | null;
  name: string | null;
  hint: string | null;
}

export class SqliteAuditStore implements AuditStore {
  constructor(
    private readonly writer: Connection,
    private readonly reader: ReaderPool,
  ) {}

  async add(
    accountId: string,
    { at, action, object, keyId, sessionId, member }: NewAuditEntry,
  ): Promise<void> {
    await this.writer.write([
      {
        sql: `INSERT INTO audit_log(account_id, at_us, action, object, api_key_id, session_id, member_id, member_name)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        rows: [[accountId, parseTimestamp(at), action, object, keyId, sessionId, member?.id, member?.name]],
      },
    ]);
  }

  async list(
    accountId: string,
    { limit, after }: { limit: number; after?: readonly [no: number] },
  ): Promise<ListedAuditEntry[]> {
    const rows = await this.reader.of(accountId).all<EntryRow>(
      `SELECT entry_no, at_us, action, object, audit_log.api_key_id, session_id, member_id, member_name,
          name, hint
        FROM audit_log LEFT JOIN api_keys USING (api_key_id)
        WHERE audit_log.account_id = ? AND entry_no < ? ORDER BY entry_no DESC LIMIT ?`,
      [accountId, after?.[0] ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return rows.map((row) => ({
      no: row.entry_no,
      entry: {
        at: formatTimestamp(row.at_us),
        action: row.action as AuditedAction,
        ...(row.object !== null && { object: row.object }),
        ...(row.api_key_id !== null && {
          api_key: { id: row.api_key_id, name: row.name ?? '', hint: row.hint ?? '' },
        }),
        ...(row.member_id !== null && { member: { id: row.member_id, name: row.member_name ?? '' } }),
        ...(row.session_id !== null && { browser_session_id: row.session_id }),
      },
    }));
  }

  async prune(before: string, most: number): Promise<void> {
    await this.writer.write([
      { sql: 'DELETE FROM audit_log WHERE at_us < ?', rows: [[parseTimestamp(before)]] },
      {
        sql: `DELETE FROM audit_log WHERE entry_no <= (SELECT newer.entry_no FROM audit_log newer
          WHERE newer.account_id = audit_log.account_id ORDER BY newer.entry_no DESC LIMIT 1 OFFSET ?)
          AND account_id IN (SELECT account_id FROM audit_log GROUP BY account_id HAVING count(*) > ?)`,
        rows: [[most, most]],
      },
    ]);
  }
}
