import { type AuditedAction, type AuditEntry, formatTimestamp, parseTimestamp } from '@dacapo/protocol';
import { withoutNulls } from './rows.js';
import type { MetaTransaction } from './transaction.js';

export interface NewAuditEntry {
  at: string;
  action: AuditedAction;
  object?: string;
  keyId?: string;
  sessionId?: string;
  /** With the name at that time, because the entry outlives the member. */
  member?: { id: string; name: string };
}

export interface ListedAuditEntry {
  no: number;
  entry: AuditEntry;
}

interface EntryRow {
  entry_no: number;
  at_us: number;
  action: AuditedAction;
  object: string | null;
  api_key_id: string | null;
  session_id: string | null;
  member_id: string | null;
  member_name: string | null;
  name: string | null;
  hint: string | null;
}

/** The actions in an account, in the order in which they were stored. Entries never change, and are deleted only when they are too old. */
export class Audit {
  static readonly writes = ['add', 'prune'] as const;

  constructor(private readonly db: MetaTransaction) {}

  async add(accountId: string, entry: NewAuditEntry): Promise<void> {
    await this.db.insert('audit_log', {
      account_id: accountId,
      at_us: parseTimestamp(entry.at),
      action: entry.action,
      object: entry.object,
      api_key_id: entry.keyId,
      session_id: entry.sessionId,
      member_id: entry.member?.id,
      member_name: entry.member?.name,
    });
  }

  /** Newest first. `no` increases with each entry, so entries after a position have a lower one. */
  async list(
    accountId: string,
    { limit, after }: { limit: number; after?: readonly [no: number] },
  ): Promise<ListedAuditEntry[]> {
    const rows = await this.db.all<EntryRow>(
      `SELECT a.*, k.name, k.hint FROM audit_log a LEFT JOIN api_keys k ON k.api_key_id = a.api_key_id
        WHERE a.account_id = :accountId AND a.entry_no < :before ORDER BY a.entry_no DESC LIMIT :limit`,
      { accountId, before: after?.[0] ?? Number.MAX_SAFE_INTEGER, limit },
    );
    return rows.map((row) => ({
      no: row.entry_no,
      entry: withoutNulls({
        at: formatTimestamp(row.at_us),
        action: row.action,
        object: row.object,
        api_key:
          row.api_key_id === null ? null : { id: row.api_key_id, name: row.name ?? '', hint: row.hint ?? '' },
        member: row.member_id === null ? null : { id: row.member_id, name: row.member_name ?? '' },
        browser_session_id: row.session_id,
      }),
    }));
  }

  /** Deletes entries older than that time, and all but the newest `most` entries of each account. */
  async prune(before: string, most: number): Promise<void> {
    await this.db.run('DELETE FROM audit_log WHERE at_us < :beforeUs', { beforeUs: parseTimestamp(before) });
    const full = await this.db.all<{ account_id: string }>(
      'SELECT account_id FROM audit_log GROUP BY account_id HAVING count(*) > :most',
      { most },
    );
    for (const { account_id: accountId } of full) {
      await this.db.run(
        `DELETE FROM audit_log WHERE account_id = :accountId AND entry_no <= (SELECT entry_no FROM audit_log
          WHERE account_id = :accountId ORDER BY entry_no DESC LIMIT 1 OFFSET :most)`,
        { accountId, most },
      );
    }
  }
}
